"""Undo a setup: restore files that are unchanged since, and remove only our entries from others."""

from __future__ import annotations

import contextlib
import os

from atip.cli.first_setup.record import SetupFile, SetupRecord, delete_record, is_unchanged
from atip.cli.first_setup.steps import SetupStep, plan_removal
from atip.cli.guard.installation.installing import Scope, write_changes
from atip.system import files


def remove_setup(folder: str, record: SetupRecord, home: str) -> tuple[list[str], list[str]]:
    """Undo a setup; returns restored paths, and paths from which only our entries were removed."""
    scope = Scope(home=home, cwd=record.cwd, project=record.project)
    restored = [path for path in record.files if is_unchanged(path)]
    for file in restored:
        _restore(file)
    edited: list[str] = []
    for kind, client in record.steps:
        changes = plan_removal(SetupStep(kind=kind, client=client), scope)
        changed = [change for change in changes if change.before != change.after]
        write_changes(changed)
        edited += [change.path for change in changed]
    for backup in record.backups:
        if any(backup.startswith(f"{os.path.realpath(file.path)}.") for file in restored):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(backup)
    delete_record(folder)
    return [file.path for file in restored], list(dict.fromkeys(edited))


def _restore(file: SetupFile) -> None:
    real = os.path.realpath(file.path)
    if file.before is None:
        os.unlink(real)
        return
    mode = os.stat(real).st_mode & 0o777
    files.write_atomic(real, file.before.encode("utf-8", "surrogateescape"), mode=mode)
