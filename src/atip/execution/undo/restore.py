"""Restore: bring back what a line changed or removed, and remove what it made; all or nothing is decided before the first write.

Stays beneath the workspace, follows no link, sets permission bits only. A name that is not as the line left it was changed since, and is
not touched: then nothing is.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from atip.errors import ExecutionError
from atip.execution.undo.copies import enter, open_below, pour
from atip.execution.undo.tree import FILE, FOLDER, LINK, TreeEntry, open_folder

if TYPE_CHECKING:
    from atip.execution.undo.journal import LineChange, UndoJournal

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_NAMED = 10


def restore(journal: UndoJournal, change: LineChange) -> None:
    """Undo one line.

    Raises:
        ExecutionError: `undo.done`, `undo.changed` (nothing was touched), `undo.not-kept`.
        OSError: a write failed in the middle; the copies are still there.
    """
    if change.undone:
        raise ExecutionError("undo.done", f"run {change.run} is already undone")
    root = open_folder(journal.snapshots.workspace)
    try:
        _Restore(journal, change, root).go()
    finally:
        os.close(root)
    journal.mark_undone(change)


class _Restore:
    def __init__(self, journal: UndoJournal, change: LineChange, root: int) -> None:
        self._copies = journal.snapshots.copies
        self._change = change
        self._root = root

    def go(self) -> None:
        self._check()
        before, after = self._change.before, self._change.after
        for path in sorted(after, reverse=True):  # what lies inside of a folder first
            old = before.get(path)
            if old is None or old.kind != after[path].kind or old.kind != FOLDER:
                self._remove(path, after[path])
        for path in sorted(before):  # a folder before what lies inside of it
            self._put(path, before[path])
        for path in sorted(before, reverse=True):
            if before[path].kind == FOLDER:
                self._set_mode(path, before[path].mode)

    # -- before the first write ------------------------------------------------------------------

    def _check(self) -> None:
        changed = [path for path in self._change.paths if not self._is_as_left(path)]
        if changed:
            raise ExecutionError(
                "undo.changed",
                f"changed since run {self._change.run}: {', '.join(changed[:MAX_NAMED])}; nothing was restored",
                hint="undo the later runs first, or move those files away",
            )
        lost = [
            path
            for path, entry in self._change.before.items()
            if entry.kind == FILE and not os.path.exists(self._copies.path_of(entry.content or "-"))
        ]
        if lost:
            raise ExecutionError(
                "undo.not-kept", f"no copy was saved of {', '.join(lost[:MAX_NAMED])}"
            )

    def _is_as_left(self, path: str) -> bool:
        left = self._change.after.get(path)
        try:
            folder, name = self._enter(path)
        except OSError:
            return left is None  # its folder is gone
        try:
            return self._matches(folder, name, path, left)
        finally:
            os.close(folder)

    def _matches(self, folder: int, name: str, path: str, left: TreeEntry | None) -> bool:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return left is None
        if left is None:
            return False
        if stat.S_ISDIR(status.st_mode):
            return left.kind == FOLDER and self._holds_nothing_new(path)
        if stat.S_ISLNK(status.st_mode):
            return left.kind == LINK and os.readlink(name, dir_fd=folder) == left.target
        if left.kind != FILE or not left.content or status.st_size != left.size:
            return False
        handle = os.open(name, _READ, dir_fd=folder)
        try:
            return self._copies.same(left.content, handle)
        finally:
            os.close(handle)

    def _holds_nothing_new(self, path: str) -> bool:
        """A folder that would be removed must hold only what is removed with it."""
        if path in self._change.before:
            return True
        handle = enter(self._root, path.split("/"))
        try:
            return all(f"{path}/{name}" in self._change.after for name in os.listdir(handle))
        finally:
            os.close(handle)

    # -- writes ----------------------------------------------------------------------------------

    def _enter(self, path: str) -> tuple[int, str]:
        *folders, name = path.split("/")
        if {"", ".", ".."} & {*folders, name}:
            raise ExecutionError("undo.path", f"`{path}` is not below the workspace")
        return enter(self._root, folders), name

    def _remove(self, path: str, entry: TreeEntry) -> None:
        folder, name = self._enter(path)
        try:
            if entry.kind == FOLDER:
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)
        finally:
            os.close(folder)

    def _put(self, path: str, entry: TreeEntry) -> None:
        folder, name = self._enter(path)
        try:
            if entry.kind == FOLDER:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=folder)
            elif entry.kind == LINK:
                os.symlink(entry.target, name, dir_fd=folder)
            else:
                self._put_file(path, entry)
        finally:
            os.close(folder)

    def _put_file(self, path: str, entry: TreeEntry) -> None:
        target = open_below(self._root, path, _NEW)
        try:
            source = os.open(self._copies.path_of(entry.content), _READ)
            try:
                pour(source, target)
            finally:
                os.close(source)
            os.fchmod(target, entry.mode & 0o777)
            os.utime(target, ns=(entry.modified_ns, entry.modified_ns))
        finally:
            os.close(target)

    def _set_mode(self, path: str, mode: int) -> None:
        handle = enter(self._root, path.split("/"))
        try:
            os.fchmod(handle, mode & 0o777)
        finally:
            os.close(handle)
