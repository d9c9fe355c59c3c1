"""The setup ledger: which steps are done, for one bundle, one workspace and one user. Survives kill -9.

One line per event, appended and made durable before anything else happens. A step is done when its line says so: it is
never run again unless its definition changes. A step that started and has no end is run again – it was not completed.
An incomplete last line (a crash while writing) is ignored. Implements AIP-29 "Lifecycle integration".
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.system.clock import now_iso
from atip.system.digests import sha256_hex
from atip.system.files import locked, make_private

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.codecs.climd.manifest import BundleStep

DONE = ("done", "skipped")
MAX_LEDGER = 4_000_000


class SetupLedger:
    """Events of the setup of one bundle."""

    def __init__(self, folder: str, *, workspace: str, user: str) -> None:
        name = sha256_hex(f"{workspace}\0{user}".encode())[:16]
        self.path = os.path.join(folder, f"ledger-{name}.jsonl")
        self._owner = {"workspace": workspace, "user": user}

    def events(self) -> list[dict[str, Any]]:
        """Every complete line, oldest first."""
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_LEDGER)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise AtipError("ledger.unreadable", f"cannot read `{self.path}`: {error}") from error
        events: list[dict[str, Any]] = []
        for line in data.split(b"\n")[:-1]:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                events.append(event)
        return events

    def completed(self) -> dict[str, str]:
        """Step id → digest of the definition under which it was completed."""
        return {
            str(event["step"]): str(event.get("definition", ""))
            for event in self.events()
            if event.get("event") in DONE and "step" in event
        }

    def pending(self, steps: Iterable[BundleStep]) -> list[BundleStep]:
        """Steps that are not complete, in order."""
        completed = self.completed()
        return [step for step in steps if completed.get(step.id) != definition(step)]

    def record(self, step: BundleStep, event: str, **more: str) -> None:
        """Append an event, durably.

        Raises:
            AtipError: `ledger.unwritable`.
        """
        entry = {
            "step": step.id,
            "event": event,
            "definition": definition(step),
            "at": now_iso(),
            **self._owner,
            **more,
        }
        folder = os.path.dirname(self.path)
        try:
            make_private(folder)
            with locked(self.path + ".lock"):
                self._append(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise AtipError("ledger.unwritable", f"cannot write `{self.path}`: {error}") from error

    def _append(self, line: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(self.path, flags, 0o600)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line  # a crash left half a line
            while line:
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        finally:
            os.close(handle)


def definition(step: BundleStep) -> str:
    """Digest of a step's definition, without its description."""
    return sha256_hex(repr(step.replace(description="")).encode())
