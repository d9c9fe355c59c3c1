"""The record of a setup: what each file was before, so that `atip init --remove` restores it byte for byte."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from atip.errors import FormatError, NotFoundError
from atip.model.value import Value
from atip.server.configuration.settings_file import load_text
from atip.system import files
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.cli.first_setup.steps import SetupStep
    from atip.cli.guard.installation.installing import GuardChange

MAX_BYTES = 16 << 20
_FILE = "setup.json"


class SetupFile(Value):
    """One file that the setup changed."""

    path: str
    before: str | None
    """None: the setup made it."""
    digest: str
    """SHA-256 of what the setup wrote."""


class SetupRecord(Value):
    """What `init` did here."""

    cwd: str
    project: bool
    steps: tuple[tuple[str, str], ...]
    """Kind and client of each."""
    files: tuple[SetupFile, ...]
    backups: tuple[str, ...]


def load_record(folder: str) -> SetupRecord | None:
    """None: there was no setup.

    Raises:
        FormatError: `setup.damaged`.
    """
    path = os.path.join(folder, _FILE)
    try:
        raw = json.loads(files.read_bytes(path, MAX_BYTES))
        return SetupRecord(
            cwd=str(raw["cwd"]),
            project=bool(raw["project"]),
            steps=tuple((str(kind), str(client)) for kind, client in raw["steps"]),
            files=tuple(SetupFile(**each) for each in raw["files"]),
            backups=tuple(map(str, raw["backups"])),
        )
    except NotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            "setup.damaged",
            f"the record of the setup, `{path}`, cannot be read",
            hint="`atip guard uninstall CLIENT` removes the hooks without it",
        ) from error


def save_record(folder: str, record: SetupRecord) -> None:
    """Only its user reads it: settings of clients may hold secrets."""
    value = {
        "cwd": record.cwd,
        "project": record.project,
        "steps": record.steps,
        "files": [
            {"path": each.path, "before": each.before, "digest": each.digest}
            for each in record.files
        ],
        "backups": record.backups,
    }
    os.makedirs(folder, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, indent=1)
    files.write_atomic(os.path.join(folder, _FILE), text.encode(), mode=0o600)


def delete_record(folder: str) -> None:
    os.unlink(os.path.join(folder, _FILE))


def add_setup(
    record: SetupRecord,
    steps: Sequence[SetupStep],
    changes: Sequence[GuardChange],
    backups: Sequence[str],
) -> SetupRecord:
    """The record with these changes; of a file that is changed twice the first `before` and the last text count."""
    known = {each.path: each for each in record.files}
    for change in changes:
        if change.before == change.after or change.after is None:
            continue
        before = known[change.path].before if change.path in known else change.before
        digest = sha256_hex(change.after.encode("utf-8", "surrogateescape"))
        known[change.path] = SetupFile(path=change.path, before=before, digest=digest)
    added = tuple((step.kind, step.client) for step in steps)
    return record.replace(
        steps=tuple(dict.fromkeys((*record.steps, *added))),
        files=tuple(known.values()),
        backups=(*record.backups, *backups),
    )


def is_unchanged(file: SetupFile) -> bool:
    """Whether a file is as the setup left it."""
    text = load_text(file.path)
    return text is not None and sha256_hex(text.encode("utf-8", "surrogateescape")) == file.digest
