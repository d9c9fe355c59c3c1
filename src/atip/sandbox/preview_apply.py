"""Making a preview real: staged changes are carried over, one name after the other, and never through a link.

    (1) nothing is carried over if anything it would touch has changed since it was looked at
    (2) every folder is opened from its parent without following links
    (3) a file is written under a name of its own and then put in place in one step
    (4) links that lead out of their root, and devices, pipes and sockets, are skipped and reported

A program in the preview could prepare the stage, and another process the real folder; neither can make
us write outside of the root that was granted.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from typing import TYPE_CHECKING

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.preview import FileChange, look

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


class AppliedChanges(Value):
    """Changes that were applied, and those that were not."""

    applied: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Path and reason."""


def apply_changes(changes: Sequence[FileChange]) -> AppliedChanges:
    """Carry changes over to the real files.

    Raises:
        SandboxError: `preview.changed-since` before anything was written.
    """
    for change in changes:  # (1)
        now = look(change.path)
        if now.kind != change.before.kind or now.mark != change.before.mark:
            raise SandboxError(
                "preview.changed-since",
                f"`{change.path}` changed since the preview; nothing was applied",
                hint="run the preview again",
            )
    applied: list[str] = []
    left: list[tuple[str, str]] = []
    removals = [c for c in changes if c.kind in ("deleted", "replaced") and not _why_not(c)]
    for change in reversed(removals):  # what lies deeper goes first
        _remove(change)
    for change in changes:
        why = _why_not(change)
        if why:
            left.append((change.path, why))
        else:
            if change.kind != "deleted":
                _put(change)
            applied.append(change.path)
    return AppliedChanges(applied=tuple(applied), left_out=tuple(left))


def _why_not(change: FileChange) -> str:
    """(4) Why a change is not carried over; empty: it is."""
    if change.after.kind == "other":
        return "a device, pipe or socket"
    if change.after.kind == "link":
        folder = os.path.dirname(change.path)
        target = os.path.normpath(os.path.join(folder, change.target))
        root = change.root.rstrip("/") + "/"
        # SECURITY: a link to outside would make the next writer in this folder write there
        if os.path.isabs(change.target) or not (target + "/").startswith(root):
            return "a link that points outside the folder"
    return ""


@contextlib.contextmanager
def _parent(change: FileChange) -> Iterator[tuple[int, str]]:
    """(2) The folder that holds a change, opened step by step, and the name in it."""
    folder, name = (change.root, change.name) if change.name else os.path.split(change.root)
    parts = name.split("/")
    handle = os.open(folder, _FOLDER)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle, parts[-1]
    except OSError as error:
        raise SandboxError(
            "preview.not-kept", f"`{change.path}` could not be written: {error.strerror}"
        ) from error
    finally:
        os.close(handle)


def _remove(change: FileChange) -> None:
    with _parent(change) as (folder, name):
        if change.before.kind == "folder":
            shutil.rmtree(name, dir_fd=folder)  # itself safe against links
        else:
            os.unlink(name, dir_fd=folder)


def _put(change: FileChange) -> None:
    with _parent(change) as (folder, name):
        # SECURITY: no set-user-id bit is ever carried over
        mode = change.after.mode & 0o777
        if change.after.kind == "folder":
            if change.kind != "mode":
                os.mkdir(name, 0o700, dir_fd=folder)
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.fchmod(inner, mode | 0o700 if change.kind != "mode" else mode)
            os.close(inner)
        elif change.kind == "mode":
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.fchmod(handle, mode)
            os.close(handle)
        else:
            _replace(change, folder, name, mode)


def _replace(change: FileChange, folder: int, name: str, mode: int) -> None:
    """(3)"""
    fresh = f".atip-{secrets.token_hex(8)}"
    try:
        if change.after.kind == "link":
            os.symlink(change.target, fresh, dir_fd=folder)
        else:
            _copy(change.staged, folder, fresh, mode)
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh, dir_fd=folder)
        raise


def _copy(staged: str, folder: int, name: str, mode: int) -> None:
    source = os.open(staged, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        target = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            while data := os.read(source, _CHUNK):
                view = memoryview(data)
                while view:
                    view = view[os.write(target, view) :]
            os.fchmod(target, mode)
            os.fsync(target)
        finally:
            os.close(target)
    finally:
        os.close(source)
