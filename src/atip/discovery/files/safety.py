"""Whether a directory may be scanned: absolute, ours or the system's, not writable by others.

Compared by path component after resolving links (A47), and so are all parents: a user who can write a
parent can swap the child. A directory that the user names explicitly may lie below a sticky one
such as the temporary directory. Implements ATIP 0.6 §5.2 and threat 1 of conformance/threats.toml. Imports nothing that
a scan of an unchanged machine does not need.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_DIRECTORIES = (
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/opt/homebrew/bin",
)  # fmt: skip


def why_unsafe_directory(path: str, *, is_explicit: bool = False) -> str | None:
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
        if status.st_mode & stat.S_IWOTH and not (sticky and is_explicit and not is_child):
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
    """Groups without other members: root's and the user's primary group."""
    return {0, os.getegid()}


def path_entries(environment_path: str, extra: Sequence[str] = ()) -> list[str]:
    """Directories of a PATH variable, then further ones; the defaults when there is none."""
    entries = environment_path.split(os.pathsep) if environment_path else list(DEFAULT_DIRECTORIES)
    return [*entries, *extra]
