"""Digests of files, kept while a file is the same: device, inode, size, and when content and status changed last.

One small file per inode, in the store's folder. For judging only: what runs is hashed as it is started.
"""

from __future__ import annotations

import os
import time

from atip.errors import AtipError
from atip.system.digests import new_sha256
from atip.system.files import make_private, read_bytes, stat_key, write_atomic

_CHUNK = 1 << 20
_SETTLED_NS = 2_000_000_000
"""SECURITY: a file that changed just now may change again within one tick of the clock; its digest is not kept."""
_MAX_KEPT = 4_000
_MAX_LINE = 300
_FORM = len("sha256:") + 64


def file_digest(path: str, folder: str) -> str:
    """`sha256:` and hex digits of a file's content.

    Args:
        folder: where digests are kept; one that cannot be written only costs time.

    Raises:
        AtipError: `file.unreadable`.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error
    try:
        status = os.fstat(handle)
        cache_path = os.path.join(folder, f"{status.st_dev:x}.{status.st_ino:x}")
        digest = _cached_digest(cache_path, _key(status))
        if digest:
            return digest
        digest = _hash(handle, status.st_size)
        if _key(os.fstat(handle)) == _key(status) and _is_settled(status):
            _store_digest(cache_path, f"{_key(status)} {digest}")
        return digest
    except OSError as error:
        raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error
    finally:
        os.close(handle)


def _key(status: os.stat_result) -> str:
    return " ".join(map(str, stat_key(status)))


def _is_settled(status: os.stat_result) -> bool:
    return time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS


def _cached_digest(path: str, key: str) -> str:
    try:
        line = read_bytes(path, _MAX_LINE).decode("ascii", "replace")
    except AtipError:
        return ""
    cached_key, _, digest = line.rpartition(" ")
    return digest if cached_key == key and len(digest) == _FORM else ""


def _store_digest(path: str, line: str) -> None:
    folder = os.path.dirname(path)
    try:
        make_private(folder)
        names = os.listdir(folder)
        if len(names) >= _MAX_KEPT:
            for name in names:
                os.unlink(os.path.join(folder, name))
        write_atomic(path, line.encode(), durable=False)
    except (AtipError, OSError):
        return


def _hash(handle: int, size: int) -> str:
    hasher = new_sha256(size)
    while chunk := os.read(handle, _CHUNK):
        hasher.update(chunk)
    return f"sha256:{hasher.hexdigest()}"
