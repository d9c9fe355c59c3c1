"""Kept outputs: the whole, redacted output of a run that was too long for its Result, in the user's cache.

One file per run and stream (0600), begun only when something would be lost. Bounded per file and
together; the oldest go first. No confined program sees the folder. A policy may forbid it
(`execution.keepOutput: false`).
"""

from __future__ import annotations

import contextlib
import os

from atip.errors import AtipError, NotFoundError
from atip.model.text.regex import late_regex
from atip.system import files

FOLDER = "outputs"
MAX_FILE = 256 * 1024 * 1024
MAX_TOTAL = 1024 * 1024 * 1024
_NAME = late_regex(r"[0-9a-f]{16}\.(stdout|stderr)\Z")


class SavedOutput:
    """One stream on its way into a file. Writing stops at the bound or at the first error, and says so."""

    def __init__(self, folder: str, run: str, stream: str, *, max_bytes: int = MAX_FILE) -> None:
        self.run, self.stream = run, stream
        self._folder = folder
        self._path = os.path.join(folder, f"{run}.{stream}")
        self._max_bytes = max_bytes
        self._handle = -1
        self.size = 0
        self.whole = True
        """False: the file ends before the output did."""

    @property
    def begun(self) -> bool:
        return self.size > 0

    def write(self, data: bytes) -> None:
        """Append a piece of redacted output."""
        if not self.whole or not data:
            return
        try:
            if self._handle < 0:
                self._open()
            room = self._max_bytes - self.size
            self.whole = len(data) <= room
            piece = memoryview(data)[: max(0, room)]
            while piece:
                count = os.write(self._handle, piece)
                self.size += count
                piece = piece[count:]
        except (OSError, AtipError):
            self.whole = False

    def _open(self) -> None:
        files.make_private(self._folder)
        evict_oldest(self._folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._handle = os.open(self._path, flags, 0o600)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def evict_oldest(folder: str, *, max_total: int = MAX_TOTAL - MAX_FILE) -> None:
    """Remove the oldest outputs until one more fits."""
    files = []
    for entry in os.scandir(folder):
        if _NAME.match(entry.name) and entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            files.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= max_total:
            return
        with contextlib.suppress(FileNotFoundError):  # another run made room at the same time
            os.unlink(path)
        total -= size


def read_saved(folder: str, run: str, stream: str, *, start: int, count: int) -> tuple[bytes, int]:
    """A part of a kept output, and its whole size.

    Raises:
        NotFoundError: `output.not-kept`.
    """
    name = f"{run}.{stream}"
    path = os.path.join(folder, name)
    try:
        if not _NAME.match(name):
            raise FileNotFoundError(name)
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise NotFoundError(
            "output.not-kept",
            f"the complete {stream} of run `{run[:40]}` was not saved",
            hint="only truncated outputs are saved, for a limited time, and only if policy allows it",
        ) from error
    try:
        return os.pread(handle, count, max(0, start)), os.fstat(handle).st_size
    finally:
        os.close(handle)
