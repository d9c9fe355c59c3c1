"""The folder that a site is written to. A page that visitors may be reading is replaced whole."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_PUBLIC = 0o644


class SiteFolder:
    """Writes and removes files by their path in the site; counts what it wrote."""

    def __init__(self, place: str, *, is_first: bool) -> None:
        """
        Args:
            is_first: no page of the site is being read yet, so that files are written in place.
        """
        self._place = place
        self._is_first = is_first
        self._made: set[str] = set()
        self.written = 0

    def write(self, files: Iterable[tuple[str, bytes]]) -> int:
        """Write what differs from what is there; how many files that were.

        Raises:
            OSError: a file cannot be written.
        """
        before = self.written
        for path, data in files:
            target = f"{self._place}/{path}"
            self._make_folder(target[: target.rindex("/")])
            if self._is_first:
                _create(target, data)
            elif _read(target) != data:
                _create(f"{target}.new", data)
                os.rename(f"{target}.new", target)
            else:
                continue
            self.written += 1
        return self.written - before

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files, and folders that are empty then."""
        for path in sorted(paths, reverse=True):
            if os.path.isabs(path) or ".." in path.split("/"):
                continue  # SECURITY: the state lies in a folder that others may have written to
            target = os.path.join(self._place, path)
            with contextlib.suppress(OSError):
                os.unlink(target)
                os.removedirs(os.path.dirname(target))

    def _make_folder(self, folder: str) -> None:
        if folder in self._made:
            return
        try:
            os.mkdir(folder)  # its parent is there as a rule: no question first
        except OSError:
            os.makedirs(folder, exist_ok=True)
        self._made.add(folder)


def _create(path: str, data: bytes) -> None:
    handle = os.open(path, _NEW, _PUBLIC)
    try:
        written = os.write(handle, data)
        while written < len(data):
            written += os.write(handle, data[written:])
    finally:
        os.close(handle)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
