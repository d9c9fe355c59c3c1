"""Which directories may be looked at: absolute, ours or the system's, not writable by others.

Compared by path component after resolving links (A47), and so are all parents: whoever can write a
parent can swap the child. A directory that the user names explicitly may lie below a sticky one
such as the temporary directory. Implements ATIP 0.6 §5.2 and SECURITY-BAR row 1.
"""

from __future__ import annotations

import os
import stat

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEFAULT_DIRECTORIES = (
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/opt/homebrew/bin",
)


class Skipped(Value):
    """Something that was not looked at, and why."""

    path: str
    reason: str
    """Stable slug such as `relative` or `world-writable`."""

    def to_json(self) -> dict[str, str]:
        return {"path": self.path, "reason": self.reason}


class Directories(Value):
    """What to scan, in order, and what was left out."""

    chosen: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def choose_directories(entries: Iterable[str], *, named: bool = False) -> Directories:
    """Decide on PATH entries (or on directories named by the user, `named`)."""
    chosen: list[str] = []
    skipped: list[Skipped] = []
    seen: set[tuple[int, int]] = set()
    for entry in entries:
        if not entry or not os.path.isabs(entry):
            skipped.append(Skipped(path=entry or ".", reason="relative"))
            continue
        try:
            status = os.stat(entry)
        except OSError:
            skipped.append(Skipped(path=entry, reason="missing"))
            continue
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        reason = why_unsafe_directory(entry, named=named)
        if reason:
            skipped.append(Skipped(path=entry, reason=reason))
        else:
            chosen.append(entry)
    return Directories(chosen=tuple(chosen), skipped=tuple(skipped))


def why_unsafe_directory(path: str, *, named: bool = False) -> str | None:
    """The reason why a directory must not be scanned, or None."""
    real = os.path.realpath(path)
    owners = (0, os.geteuid())
    folder, is_child = real, True
    while True:
        try:
            status = os.stat(folder)
        except OSError:
            return "missing"
        if not stat.S_ISDIR(status.st_mode):
            return "not-a-directory"
        sticky = bool(status.st_mode & stat.S_ISVTX)
        if status.st_mode & stat.S_IWOTH and not (sticky and named and not is_child):
            return "world-writable" if is_child else "below-world-writable"
        if status.st_mode & stat.S_IWGRP and status.st_gid not in _own_groups() and not sticky:
            return "group-writable" if is_child else "below-group-writable"
        if status.st_uid not in owners:
            return "foreign-owner" if is_child else "below-foreign-owner"
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder, is_child = parent, False


def _own_groups() -> set[int]:
    """Groups whose write right is no one else's: root's and the user's own primary one."""
    return {0, os.getegid()}


def path_entries(environment_path: str, extra: Sequence[str] = ()) -> list[str]:
    """Directories of a PATH variable, then further ones; the defaults when there is none."""
    entries = environment_path.split(os.pathsep) if environment_path else list(DEFAULT_DIRECTORIES)
    return [*entries, *extra]
