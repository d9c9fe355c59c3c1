"""Worktree: whether git has the present content of a file, by its index. Reads the index once; starts nothing.

A file counts as recorded if the index holds it with the size and the time that it has now, as git itself decides. Indexes of version 2 and 3;
others, damaged ones and very large ones record nothing.
"""

from __future__ import annotations

import os
import stat
import struct

MAX_INDEX = 50_000_000
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED = 0x4000
_STAGE = 0x3000


class Worktree:
    """The repository that holds a folder."""

    def __init__(self, cwd: str) -> None:
        self.root = find_root(cwd)
        """Real path; empty: the folder is not under version control."""
        self._index: dict[str, tuple[int, int, int]] | None = None

    def restores(self, path: str) -> bool:
        """Whether an absolute path lies below the root, outside of `.git`, and is new or recorded as it is now."""
        if not self.root:
            return False
        real = os.path.realpath(path)
        name = real.removeprefix(self.root + "/")
        if name == real or ".git" in name.split("/"):
            return False
        try:
            status = os.lstat(real)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return False
        seconds, rest = divmod(status.st_mtime_ns, 1_000_000_000)
        return self._load_index().get(name) == (seconds, rest, status.st_size & 0xFFFFFFFF)

    def _load_index(self) -> dict[str, tuple[int, int, int]]:
        if self._index is None:
            self._index = _read_index(git_folder(self.root))
        return self._index


def find_root(cwd: str) -> str:
    """The nearest folder at or above that holds a `.git`; empty: none does."""
    folder = os.path.realpath(cwd)
    while folder != "/":
        if git_folder(folder):
            return folder
        folder = os.path.dirname(folder)
    return ""


def git_folder(root: str) -> str:
    """Folder of the repository's index: `.git`, or the one that the `.git` file of a linked worktree names; empty: neither."""
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path if os.path.lexists(os.path.join(path, "HEAD")) else ""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(4_096)
    except (OSError, ValueError):
        return ""
    if not text.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(root, text.removeprefix("gitdir:").strip()))


def _read_index(folder: str) -> dict[str, tuple[int, int, int]]:
    try:
        with open(os.path.join(folder, "index"), "rb") as file:
            data = file.read(MAX_INDEX + 1)
        return _parse_index(data) if len(data) <= MAX_INDEX else {}
    except (OSError, ValueError, struct.error):
        return {}


def _parse_index(data: bytes) -> dict[str, tuple[int, int, int]]:
    """Name → seconds and nanoseconds of the last change, size."""
    magic, version, count = struct.unpack_from(">4sII", data)
    if magic != b"DIRC" or version not in (2, 3):
        return {}
    entries: dict[str, tuple[int, int, int]] = {}
    at = 12
    for _ in range(count):
        fields = _ENTRY.unpack_from(data, at)
        seconds, rest, size, flags = fields[2], fields[3], fields[9], fields[11]
        start = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        end = data.index(b"\0", start)
        if not flags & (_STAGE | _EXTENDED):  # in conflict, or marked as not to be looked at
            entries[os.fsdecode(data[start:end])] = (seconds, rest, size)
        at += (end - at + 8) // 8 * 8
    return entries
