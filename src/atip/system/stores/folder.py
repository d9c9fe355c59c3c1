"""A local folder as an object store.

Each write goes to a temporary file and is renamed. A directory that does not exist yet is filled under a temporary
name and renamed as a whole: cheaper than renaming every file, and readers never see it half full.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

from atip.errors import AtipError, FormatError
from atip.system.clock import now
from atip.system.files import TEMPORARY, locked, sync_directory
from atip.system.stores.parts import ObjectInfo, StoredObject, changed_meanwhile, checked_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ABANDONED_S = 86400.0
PUBLIC_FILE, PUBLIC_FOLDER = 0o644, 0o755
"""Published files are readable by all users, regardless of the umask."""


class FolderStore:
    """Files below one directory, which is made when the first object is put."""

    def __init__(self, place: str) -> None:
        self.place = os.path.abspath(place)

    def find(self, key: str, max_bytes: int) -> StoredObject | None:
        """An object, or None.

        Raises:
            FormatError: `format.too-large`.
            AtipError: `file.unreadable`.
        """
        try:
            handle = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise AtipError("file.unreadable", f"cannot read `{key}`: {error.strerror}") from error
        try:
            data = _read(handle, max_bytes + 1)
        finally:
            os.close(handle)
        if len(data) > max_bytes:
            raise FormatError("format.too-large", f"`{key}` has more than {max_bytes:,} bytes")
        return StoredObject(data=data, tag=hashlib.sha256(data).hexdigest())

    def put(self, key: str, data: bytes, *, expected: str | None = None) -> None:
        """Write one object; with `expected`, durably, and only if its tag is still that one (see `ABSENT`).

        Raises:
            AtipError: `objects.changed`, `file.disk-full` or `file.unwritable`.
        """
        if expected is None:
            self.put_many([(key, data)])
            return
        os.makedirs(self.place, mode=PUBLIC_FOLDER, exist_ok=True)
        with locked(f"{self.place}.lock"):
            current = self.find(key, 1 << 30)
            if (current.tag if current else "") != expected:
                raise changed_meanwhile(self.place, key)
            self._replace(key, data)
            sync_directory(os.path.dirname(self._path(key)))

    def put_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Write objects one after the other."""
        with _Writer(self) as writer:
            for key, data in objects:
                writer.write(key, data)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Every object below a prefix that is a directory; links and temporary files are none."""
        folders = [prefix]
        while folders:
            folder = folders.pop()
            try:
                entries = sorted(os.scandir(os.path.join(self.place, folder)), key=_name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            inner = []
            for entry in entries:
                key = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name.startswith(TEMPORARY):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(key)
                elif entry.is_file(follow_symlinks=False):
                    yield _info(key, entry.stat(follow_symlinks=False))
            folders += reversed(inner)

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are gone already do not matter."""
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(key))

    def _path(self, key: str) -> str:
        return os.path.join(self.place, checked_key(key))

    def _replace(self, key: str, data: bytes) -> None:
        from atip.system.files import write_atomic

        path = self._path(key)
        os.makedirs(os.path.dirname(path), mode=PUBLIC_FOLDER, exist_ok=True)
        write_atomic(path, data, mode=PUBLIC_FILE)


class _Writer:
    """Many writes: remembers directories, and those that are still under a temporary name."""

    def __init__(self, folder: FolderStore) -> None:
        self.folder = folder
        self.open: dict[str, tuple[int, str, str]] = {}
        """Directory of the key → descriptor, temporary path or empty, final path."""

    def __enter__(self) -> _Writer:
        return self

    def write(self, key: str, data: bytes) -> None:
        directory, _, name = key.rpartition("/")
        directory_state = self.open.get(directory)
        if directory_state is None:
            checked_key(key)
            directory_state = self._enter(directory)
        handle, temporary, _final = directory_state
        try:
            if temporary:
                _create(name, data, handle)
                return
            shadow = f"{TEMPORARY}{os.getpid()}-{name}"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(shadow, dir_fd=handle)
            _create(shadow, data, handle)
            os.rename(shadow, name, src_dir_fd=handle, dst_dir_fd=handle)
        except OSError as error:
            raise _unwritable(key, error) from error

    def _enter(self, directory: str) -> tuple[int, str, str]:
        final = os.path.join(self.folder.place, directory) if directory else self.folder.place
        try:
            if os.path.isdir(final):
                entered, temporary = final, ""
            else:
                parent = os.path.dirname(final)
                os.makedirs(parent, mode=PUBLIC_FOLDER, exist_ok=True)
                _sweep(parent)
                entered = temporary = os.path.join(parent, f"{TEMPORARY}{os.urandom(6).hex()}")
                os.mkdir(temporary, PUBLIC_FOLDER)
            handle = os.open(entered, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise _unwritable(directory, error) from error
        self.open[directory] = (handle, temporary, final)
        return self.open[directory]

    def __exit__(self, failure: type[BaseException] | None, *_rest: object) -> None:
        # Deepest first: a directory may have been made inside one that is still temporary.
        for _, (handle, temporary, final) in sorted(self.open.items(), reverse=True):
            os.close(handle)
            if temporary and failure is None:
                _settle(temporary, final)
            elif temporary:
                import shutil

                shutil.rmtree(temporary, ignore_errors=True)


def _read(handle: int, max_bytes: int) -> bytes:
    """A file as far as the limit; in one piece, which is as large as the file, where it does not grow meanwhile."""
    size = min(max_bytes, os.fstat(handle).st_size + 1)
    data = os.read(handle, size)
    more = data if len(data) == size < max_bytes else b""
    while more and len(data) < max_bytes:
        more = os.read(handle, max_bytes - len(data))
        data += more
    return data


def _info(key: str, status: os.stat_result) -> ObjectInfo:
    stamp = f"{status.st_mtime_ns:x}.{status.st_size:x}.{status.st_ino:x}"
    return ObjectInfo(key=key, size=status.st_size, stamp=stamp)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _create(name: str, data: bytes, folder: int) -> None:
    handle = os.open(name, _CREATE, PUBLIC_FILE, dir_fd=folder)
    try:
        written_bytes = os.write(handle, data)
        while written_bytes < len(data):
            written_bytes += os.write(handle, data[written_bytes:])
    finally:
        os.close(handle)


def _sweep(parent: str) -> None:
    """Remove directories that a writer left half full when it was killed; older than a day, so no longer in use."""
    import shutil

    with os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(TEMPORARY) and entry.is_dir(follow_symlinks=False):
                age_s = now() - entry.stat(follow_symlinks=False).st_mtime
                if age_s > _ABANDONED_S:
                    shutil.rmtree(entry.path, ignore_errors=True)


def _settle(temporary: str, final: str) -> None:
    """Give a filled directory its name; if one came into being meanwhile, move the files into it."""
    if not os.path.isdir(final):
        os.rename(temporary, final)
        return
    for name in os.listdir(temporary):
        os.rename(os.path.join(temporary, name), os.path.join(final, name))
    os.rmdir(temporary)


def _unwritable(key: str, error: OSError) -> AtipError:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return AtipError(
            "file.disk-full",
            f"no space left to write `{key}`",
            hint="free some space and try again",
        )
    return AtipError("file.unwritable", f"cannot write `{key}`: {error.strerror}")
