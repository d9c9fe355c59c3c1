"""Executables in directories: names, real files, shadowing. Reads directories, not contents.

The key of a file is its `stat` result (device, inode, size, times): the content is read again only
when one of these changes.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from atip.discovery.files.directories import SkippedPath
from atip.model.value import Value
from atip.system.files import stat_key

if TYPE_CHECKING:
    from collections.abc import Collection

    from atip.discovery.files.listing import DirectoryListing

    StatKey = tuple[int, int, int, int, int]

_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


class Executable(Value):
    """One name on the PATH and the file it stands for."""

    name: str
    path: str
    real_path: str
    key: StatKey
    size: int
    is_link: bool = False


class Executables(Value):
    """All names, first on the PATH wins; the others are reported as shadowed."""

    programs: tuple[Executable, ...] = ()
    shadowed: tuple[SkippedPath, ...] = ()
    skipped: tuple[SkippedPath, ...] = ()


def list_executables(
    listing: DirectoryListing,
    *,
    allow: Collection[str] = (),
    deny: Collection[str] = (),
) -> Executables:
    """Every executable file of a listing. `allow` empty means all names."""
    executables: dict[str, Executable] = {}
    shadowed: list[SkippedPath] = []
    skipped = [
        SkippedPath(path=path, reason=f"unreadable: {why}") for path, why in listing.unreadable
    ]
    owners = (0, os.geteuid())
    for entry, status in listing.rows:
        if status is None:
            skipped.append(SkippedPath(path=entry.path, reason="broken-link"))
            continue
        if not stat.S_ISREG(status.st_mode) or not status.st_mode & _EXECUTABLE:
            continue
        reason = _why_not(entry.name, status, owners, allow, deny) or _why_not_here(entry.path)
        if reason:
            skipped.append(SkippedPath(path=entry.path, reason=reason))
        elif entry.name in executables:
            shadowed.append(
                SkippedPath(path=entry.path, reason=f"shadowed by {executables[entry.name].path}")
            )
        else:
            executables[entry.name] = _executable(entry, status)
    return Executables(
        programs=tuple(executables.values()), shadowed=tuple(shadowed), skipped=tuple(skipped)
    )


def _why_not(
    name: str,
    status: os.stat_result,
    owners: tuple[int, int],
    allow: Collection[str],
    deny: Collection[str],
) -> str | None:
    from atip.model.text.names import why_unsafe

    if is_not_tool(name):
        return "not-a-tool"
    if name in deny or (allow and name not in allow):
        return "denied" if name in deny else "not-allowed"
    if why_unsafe(name):
        return "unsafe-name"
    if status.st_mode & stat.S_IWOTH:
        return "world-writable"
    return None if status.st_uid in owners else "foreign-owner"


_NOT_TOOLS = re.compile(
    r"__pycache__|(?:de)?activate(?:\.\w+)?|ld(?:-linux[\w.-]*)?\.so[\w.]*|.*\.(?:so(?:\.\d+)*|dll|pyc|cmd|bat|ps1|exe)",
    re.I,
)


def is_not_tool(name: str) -> bool:
    """A library, a cache, a script for another system, or one that only a shell can read in."""
    return _NOT_TOOLS.fullmatch(name) is not None


def _why_not_here(path: str) -> str | None:
    """A version manager's stub for a program that no active version has: starting it is an error."""
    if "/shims/" not in path:
        return None
    from atip.discovery.files.stubs import is_absent_version

    return "version-not-active" if is_absent_version(path) else None


def _executable(entry: os.DirEntry[str], status: os.stat_result) -> Executable:
    is_link = entry.is_symlink()
    return Executable(
        name=entry.name,
        path=entry.path,
        real_path=os.path.realpath(entry.path) if is_link else entry.path,
        key=stat_key(status),
        size=status.st_size,
        is_link=is_link,
    )
