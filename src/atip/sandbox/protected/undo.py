"""Undo: after a run, names that must not have appeared are set aside under a name that nothing reads.

Nothing is deleted and nothing is copied: `.envrc` becomes `.envrc.refused-1a2b3c4d`, and the notes of the run say so. The run
is over when this begins, so nothing changes under our feet but by the user's own hand. Links are never followed.
"""

from __future__ import annotations

import contextlib
import os

from atip.sandbox.protected import repository
from atip.sandbox.protected.rules import DEPENDENCIES, REPOSITORY
from atip.sandbox.protected.survey import SurveyedFolder, stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.sandbox.protected.survey import Survey

_UNSEEN = SurveyedFolder(stamp=None)
_MARK = ".refused-"


def undo_changes(before: Survey) -> tuple[str, ...]:
    """Set aside what may not stay; what was done, for a person to read."""
    return _Undo(before).go()


class _Undo:
    """One walk over what changed."""

    def __init__(self, before: Survey) -> None:
        self._before = before
        self._rules = before.rules
        self._suffix = f"{_MARK}{os.urandom(4).hex()}"
        self._protected = {*before.protected, *before.links}
        self._failures: list[str] = []

    def go(self) -> tuple[str, ...]:
        for root in self._before.roots:
            pending = [(root, False)]
            while pending:
                path, foreign = pending.pop()
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    pending += self._visit(path, foreign)
        for path, target in self._before.links.items():
            self._restore_link(path, target)
        return tuple(self._failures)

    def _visit(self, path: str, foreign: bool) -> list[tuple[str, bool]]:
        """Judge one folder if it changed; the folders in it."""
        before = self._before.folders.get(path, _UNSEEN)
        if path in self._before.repositories or path in self._protected:
            return self._visit_repository(path, foreign)
        if before.stamp is not None and before.stamp == stamp_of(path):
            names = list(before.folders)
        else:
            entries = list(os.scandir(path))
            by_content = repository.is_repository(entry.name for entry in entries)
            if by_content or os.path.basename(path) == REPOSITORY:
                return self._visit_repository(path, foreign)
            names = self._judge(path, entries, foreign)
        return [(os.path.join(path, name), foreign or name in DEPENDENCIES) for name in names]

    def _judge(self, path: str, entries: list[os.DirEntry[str]], foreign: bool) -> list[str]:
        before = frozenset() if foreign else self._rules.names_in(os.path.basename(path))
        folders: list[str] = []
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.path in self._protected:
                continue  # held by a mount, or a link that is looked at on its own
            if entry.name in before:
                self._set_aside(entry.path)
            elif entry.name == REPOSITORY and not is_folder:
                self._judge_pointer(entry)
            elif is_folder:
                folders.append(entry.name)
        return folders

    def _judge_pointer(self, entry: os.DirEntry[str]) -> None:
        """A file that leads to a repository: it must lie where it is judged too."""
        target = "" if entry.is_symlink() else repository.pointer_target(entry.path)
        if not any(target.startswith(f"{root}/") for root in self._before.roots):
            self._set_aside(entry.path)

    def _visit_repository(self, path: str, foreign: bool) -> list[tuple[str, bool]]:
        if path in self._protected:
            return []  # mounted read-only as a whole
        before = self._before.repositories.get(path, repository.NEW)
        for name in list(repository.changes(path, before, self._rules, self._before.roots)):
            part = os.path.join(path, name)
            self._set_aside(part)
            old = dict(before.parts).get(name)
            if old is not None:
                _write(part, old)
        return [(folder, foreign) for folder in repository.inner_folders(path)]

    def _restore_link(self, path: str, target: str) -> None:
        try:
            if os.path.islink(path) and os.readlink(path) == target:
                return
            if os.path.lexists(path):
                self._set_aside(path)
            if os.path.isdir(os.path.dirname(path)):
                os.symlink(target, path)
        except OSError as error:
            self._failures.append(f"`{path}` could not be brought back: {error.strerror}")

    def _set_aside(self, path: str) -> None:
        aside = f"{path}{self._suffix}"
        try:
            os.rename(path, aside)
        except FileNotFoundError:
            return
        except OSError as error:
            self._failures.append(
                f"`{path}` must not stay, and could not be set aside: {error.strerror}"
            )
            return
        self._failures.append(
            f"`{path}` was set aside as `{os.path.basename(aside)}`: what stands there runs later, outside of the sandbox"
        )


def _write(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(path, flags, 0o644)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
