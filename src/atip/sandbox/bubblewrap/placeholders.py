"""Placeholders: files at denied names that do not exist, so that there is something to cover.

They say what they are, so that one that a killed run left behind is known and goes with the next. Several runs may need the same one. Each holds a shared lock on it, and only the last one removes it: a name that is
unlinked loses the covers that lie on it, in every sandbox.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from atip.errors import SandboxError

_TRIES = 100
MARK = b"placeholder of an atip sandbox; it goes away by itself\n"


def hold_placeholder(path: str) -> int:
    """Make or share the placeholder at `path`; the descriptor holds it.

    Raises:
        SandboxError: `sandbox.cannot-enforce` where the name cannot be made, or is a link by now.
    """
    for _ in range(_TRIES):
        handle = _open(path)
        if handle < 0:
            continue
        fcntl.flock(handle, fcntl.LOCK_SH)
        if _is_there(path, handle):
            return handle
        os.close(handle)  # the last holder removed it in between
    raise SandboxError("sandbox.cannot-enforce", f"other runs keep creating and removing `{path}`", hint="run it again")  # fmt: skip


def release_placeholder(path: str, handle: int) -> None:
    """Release it; the last holder removes it, unless it is a real file."""
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.pread(handle, len(MARK) + 1, 0) == MARK and _is_there(path, handle):
                os.unlink(path)
    finally:
        os.close(handle)


def is_placeholder(path: str) -> bool:
    """Whether a name holds a placeholder, of a running or a killed run."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.fstat(handle).st_size == len(MARK) and os.pread(handle, len(MARK), 0) == MARK
    except OSError:
        return False
    finally:
        os.close(handle)


def _open(path: str) -> int:
    """A new placeholder, or what lies there; -1: it came or went in this moment."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(handle, MARK)
            return handle
        return os.open(path, flags)
    except FileNotFoundError:
        return -1
    except OSError as error:
        raise SandboxError(
            "sandbox.cannot-enforce", f"`{path}` cannot be covered: {error.strerror}"
        ) from error


def _is_there(path: str, handle: int) -> bool:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    status_now = os.fstat(handle)
    return (status.st_dev, status.st_ino) == (status_now.st_dev, status_now.st_ino)
