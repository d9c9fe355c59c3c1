"""Tree: every file, folder and link below a workspace, read without following a link.

    entries = scan_tree("/srv/project")        # relative path → Entry

Folders are opened one below the other by descriptor, so that a name that is replaced by a link is not followed. Folders that package
managers fill are left out: what they hold is installed again, and is often larger than everything else.
"""

from __future__ import annotations

import os
import stat

from atip.errors import ExecutionError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALLED = frozenset(
    (
        *("node_modules", "bower_components", "site-packages", "Pods"),
        *(".venv", "venv", ".tox", ".nox"),
    )
)
"""Names of folders that are not kept."""
MAX_ENTRIES = 50_000
MAX_DEPTH = 200
FOLDER, FILE, LINK = "folder", "file", "link"
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeEntry(Value):
    """One name."""

    kind: str
    mode: int = 0
    """Permission bits, no others."""
    target: str = ""
    """Of a link."""
    size: int = 0
    stamp: str = ""
    """Of a file: changes with its content."""
    modified_ns: int = 0
    content: str = ""
    """Of a file: the name of its copy; empty: none was made."""


class TooLarge(ExecutionError):
    """The workspace is larger than the limits of undo."""


def open_folder(path: str) -> int:
    """A descriptor of a real folder."""
    return os.open(path, _OPEN)


def scan_tree(root: str) -> dict[str, TreeEntry]:
    """Everything below a folder; other kinds (sockets, devices) are not seen.

    Raises:
        TooLarge: `undo.too-large`.
        OSError: the folder cannot be read.
    """
    entries: dict[str, TreeEntry] = {}
    handle = open_folder(root)
    try:
        for path, entry in _walk(handle, "", 0):
            entries[path] = entry
            if len(entries) > MAX_ENTRIES:
                raise TooLarge(
                    "undo.too-large", f"`{root}` has more than {MAX_ENTRIES:,} files and folders"
                )
    finally:
        os.close(handle)
    return entries


def _walk(handle: int, prefix: str, depth: int) -> Iterator[tuple[str, TreeEntry]]:
    with os.scandir(handle) as listed:
        entries = list(listed)
    for each in entries:
        path = prefix + each.name
        try:
            status = each.stat(follow_symlinks=False)
            entry = _entry(handle, each.name, status)
        except FileNotFoundError:
            continue  # gone meanwhile
        if entry is None:
            continue
        yield path, entry
        if entry.kind == FOLDER and each.name not in INSTALLED and depth < MAX_DEPTH:
            yield from _inside(handle, each.name, f"{path}/", depth + 1)


def _inside(handle: int, name: str, prefix: str, depth: int) -> Iterator[tuple[str, TreeEntry]]:
    try:
        inner = os.open(name, _OPEN, dir_fd=handle)
    except OSError:
        return  # no right to look: the line has none either
    try:
        yield from _walk(inner, prefix, depth)
    finally:
        os.close(inner)


def _entry(handle: int, name: str, status: os.stat_result) -> TreeEntry | None:
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        return TreeEntry(kind=FOLDER, mode=mode)
    if stat.S_ISLNK(status.st_mode):
        return TreeEntry(kind=LINK, target=os.readlink(name, dir_fd=handle))
    if not stat.S_ISREG(status.st_mode):
        return None
    return TreeEntry(
        kind=FILE,
        mode=mode,
        size=status.st_size,
        stamp=f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}",
        modified_ns=status.st_mtime_ns,
    )
