"""The record of a setup: the previous content of each file, so that `atip init --remove` restores it byte for byte."""

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
    """None: the setup created it."""
    digest: str
    """SHA-256 of the content that the setup wrote."""


class SetupRecord(Value):
    """Changes made by `init`."""

    cwd: str
    project: bool
    steps: tuple[tuple[str, str], ...]
    """Kind and client of each."""
    files: tuple[SetupFile, ...]
    backups: tuple[str, ...]


def load_record(folder: str) -> SetupRecord | None:
    """Load the record; None: there was no setup.

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
            files=tuple(SetupFile(**path) for path in raw["files"]),
            backups=tuple(map(str, raw["backups"])),
        )
    except NotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            "setup.damaged",
            f"the setup record `{path}` cannot be read",
            hint="`atip guard uninstall CLIENT` removes the hooks without it",
        ) from error


def save_record(folder: str, record: SetupRecord) -> None:
    """Save the record, readable only by its user: settings of clients may contain secrets."""
    value = {
        "cwd": record.cwd,
        "project": record.project,
        "steps": record.steps,
        "files": [
            {"path": path.path, "before": path.before, "digest": path.digest}
            for path in record.files
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
    """Add changes to the record; for a file changed twice, keep the first `before` and the last digest."""
    files = {path.path: path for path in record.files}
    for change in changes:
        if change.before == change.after or change.after is None:
            continue
        before = files[change.path].before if change.path in files else change.before
        digest = sha256_hex(change.after.encode("utf-8", "surrogateescape"))
        files[change.path] = SetupFile(path=change.path, before=before, digest=digest)
    added = tuple((step.kind, step.client) for step in steps)
    return record.replace(
        steps=tuple(dict.fromkeys((*record.steps, *added))),
        files=tuple(files.values()),
        backups=(*record.backups, *backups),
    )


def is_unchanged(file: SetupFile) -> bool:
    """Whether a file is unchanged since the setup."""
    text = load_text(file.path)
    return text is not None and sha256_hex(text.encode("utf-8", "surrogateescape")) == file.digest
