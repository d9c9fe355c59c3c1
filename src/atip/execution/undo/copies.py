"""Copies: the content of files as it was, one file each in a private folder; shared with the file system where it can do that."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat

from atip.errors import ExecutionError
from atip.execution.undo.tree import TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILE = 64 * 1024 * 1024
MAX_TOTAL = 1024 * 1024 * 1024
_PIECE = 1 << 20
_CLONE = 0x40049409
"""FICLONE: both files share their blocks until one is written."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Copies:
    """Copies of files below one workspace."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._total = -1

    def path_of(self, name: str) -> str:
        return os.path.join(self.folder, name)

    @property
    def total(self) -> int:
        """Bytes of all copies."""
        if self._total < 0:
            with os.scandir(self.folder) as listed:
                self._total = sum(copy.stat(follow_symlinks=False).st_size for copy in listed)
        return self._total

    def take(self, root: int, path: str, size: int) -> str:
        """Copy a file; the name of its copy.

        Raises:
            TooLarge: `undo.too-large`, `undo.full`; no earlier copy is deleted for it.
            OSError: it is gone, or cannot be read.
        """
        if size > MAX_FILE:
            raise TooLarge("undo.too-large", f"`{path}` is larger than {MAX_FILE:,} bytes")
        if self.total + size > MAX_TOTAL:
            raise TooLarge(
                "undo.full",
                f"the copies of files for `atip undo` have reached {MAX_TOTAL:,} bytes",
                hint="`atip undo --list` shows them, `atip undo --forget RUN` deletes them",
            )
        name = os.urandom(12).hex()
        source = open_below(root, path, _READ)
        try:
            if not stat.S_ISREG(os.fstat(source).st_mode):
                raise FileNotFoundError(path)
            self._total += self._write(source, name)
        finally:
            os.close(source)
        return name

    def _write(self, source: int, name: str) -> int:
        target = os.open(self.path_of(name), _NEW, 0o600)
        try:
            pour(source, target)
            return os.fstat(target).st_size
        except BaseException:
            os.unlink(self.path_of(name))
            raise
        finally:
            os.close(target)

    def equal(self, name: str, other: str) -> bool:
        """Whether two copies have the same content."""
        if not name or not os.path.exists(self.path_of(name)):
            return False
        with open(self.path_of(other), "rb") as file:
            return self.same(name, file.fileno())

    def drop(self, name: str) -> None:
        """Delete a copy."""
        os.unlink(self.path_of(name))
        self._total = -1

    def same(self, name: str, handle: int) -> bool:
        """Whether an open file has the content of a copy."""
        with open(self.path_of(name), "rb") as copy, open(os.dup(handle), "rb") as file:
            while True:
                one, other = copy.read(_PIECE), file.read(_PIECE)
                if one != other:
                    return False
                if not one:
                    return True

    def keep_only(self, names: Iterable[str]) -> None:
        """Remove copies that no record references."""
        referenced = set(names)
        for name in os.listdir(self.folder):
            if name not in referenced:
                with contextlib.suppress(OSError):
                    os.unlink(self.path_of(name))
        self._total = -1


def pour(source: int, target: int) -> None:
    """The whole content of one open file into another."""
    try:
        fcntl.ioctl(target, _CLONE, source)
        return
    except OSError:
        pass  # this file system copies
    while data := os.read(source, _PIECE):
        view = memoryview(data)
        while view:
            view = view[os.write(target, view) :]


def open_below(root: int, path: str, flags: int, mode: int = 0o600) -> int:
    """Open a relative path below a folder; no part of it may be a link.

    Raises:
        OSError: a part is missing, or a link.
        ExecutionError: `undo.path`.
    """
    *folders, name = path.split("/")
    if not name or {"", ".", ".."} & {*folders, name}:
        raise ExecutionError("undo.path", f"`{path}` is not below the workspace")
    handle = enter(root, folders)
    try:
        return os.open(name, flags, mode, dir_fd=handle)
    finally:
        os.close(handle)


def enter(root: int, folders: Iterable[str]) -> int:
    """A descriptor of a folder below another, step by step."""
    handle = os.dup(root)
    for name in folders:
        try:
            inner = os.open(
                name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle
            )
        finally:
            os.close(handle)
        handle = inner
    return handle
