"""Files: bounded reads, atomic durable writes, locks. The only access to them.

Writers: lock, temporary file in the same directory, fsync, rename, fsync of the directory.
Readers never lock and see the whole old or the whole new file.
"""

from __future__ import annotations

import errno
import fcntl
import os

from atip.errors import AtipError, FormatError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPORARY = ".atip-tmp-"
"""Prefix of temporary files."""


def read_bytes(path: str, max_bytes: int) -> bytes:
    """The content of a regular file.

    Raises:
        NotFoundError: `file.not-found`.
        FormatError: `format.too-large` beyond `max_bytes`.
        AtipError: `file.unreadable`.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NotFoundError(
            "file.not-found", f"file `{path}` not found", hint="check the path"
        ) from error
    except OSError as error:
        raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error
    if len(data) > max_bytes:
        raise FormatError("format.too-large", f"`{path}` has more than {max_bytes:,} bytes")
    return data


def read_piece(path: str, start: int, length: int) -> bytes:
    """Some bytes of a file; fewer where it ends.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        return file.read(length)


def lines_backwards(path: str, max_line: int, *, block: int = 65_536) -> Iterator[bytes]:
    """The lines of a file, last first; a line longer than `max_line` is left out."""
    with open(path, "rb") as file:
        at = file.seek(0, os.SEEK_END)
        tail = b""
        while at > 0:
            start = max(0, at - block)
            file.seek(start)
            tail = file.read(at - start) + tail
            at = start
            first, *complete = tail.split(b"\n")
            yield from (line for line in reversed(complete) if 0 < len(line) <= max_line)
            tail = first
        if 0 < len(tail) <= max_line:
            yield tail


def stamp_of(path: str) -> str:
    """Size and time of a file or folder, to notice that it was changed; `-` without one."""
    try:
        status = os.stat(path)
    except OSError:
        return "-"
    return f"{status.st_size}.{status.st_mtime_ns}"


def stat_key(status: os.stat_result) -> tuple[int, int, int, int, int]:
    """Stat fields that identify unchanged content."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def write_atomic(path: str, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace `path` by `data` atomically.

    Raises:
        AtipError: `file.disk-full` or `file.unwritable`; the old content is untouched.
    """
    folder = os.path.dirname(path) or "."
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}")
    try:
        handle = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode
        )
        try:
            _write_all(handle, data)
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
        if durable:
            sync_directory(folder)
    except OSError as error:
        _unlink(temporary)
        raise _unwritable(path, error) from error


def _unlink(path: str) -> bool:
    """Whether a file is gone now that was there. Without `contextlib`, which `show` would pay for."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _unwritable(path: str, error: OSError) -> AtipError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return AtipError(
            "file.disk-full",
            f"no space left to write `{path}`; the old content is unchanged",
            hint="free some space and try again",
        )
    return AtipError("file.unwritable", f"cannot write `{path}`: {error.strerror}")


def sync_directory(folder: str) -> None:
    """Make a rename in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_private(folder: str) -> None:
    """Create a directory (and its parents) that only the user may enter.

    Raises:
        AtipError: `file.unsafe-directory` when it is a link or belongs to another user.
    """
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # SECURITY: a directory planted by another user could redirect everything we store.
        status = os.lstat(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    if status.st_uid not in (os.geteuid(), 0) or not os.path.isdir(folder):
        raise AtipError("file.unsafe-directory", f"`{folder}` is a link, or belongs to another user", hint="move it away, or choose another folder")  # fmt: skip


class locked:
    """Hold an exclusive lock; it dies with the process, so it is never stale.

    `wait` False does not wait for another holder; the context then returns whether the lock is held.
    """

    def __init__(self, path: str, *, wait: bool = True) -> None:
        self._path = path
        self._handle = -1
        self._mode = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB

    def __enter__(self) -> bool:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._handle = os.open(self._path, flags, 0o600)
        except OSError as error:
            raise _unwritable(self._path, error) from error
        try:
            fcntl.flock(self._handle, self._mode)
        except BlockingIOError:
            return False
        return True

    def __exit__(self, *_failure: object) -> None:
        os.close(self._handle)
