"""Survey: what lies below a writable place before a run – names to keep, repositories, and the folders themselves.

Folders are remembered with the time of their last change, which cannot be set back: after the run only those are read again
that changed.
"""

from __future__ import annotations

import os
import time

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.protected import repository
from atip.sandbox.protected.rules import DEPENDENCIES, REPOSITORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.sandbox.protected.repository import Snapshot
    from atip.sandbox.protected.rules import ProtectionRules

MAX_ENTRIES = 1_000_000
_FRESH_NS = 100_000_000
"""A folder that changed just now may change again within the same tick of the kernel's clock."""


class SurveyedFolder(Value):
    """One folder as it was."""

    stamp: tuple[int, int] | None
    """Inode and time of change; None: too recent to be distinguished from a later state."""
    folders: tuple[str, ...] = ()


class Survey(Value):
    """Everything below the writable roots that the rules cover."""

    rules: ProtectionRules
    roots: tuple[str, ...]
    folders: dict[str, SurveyedFolder]
    """Those that need not be read again unless they changed."""
    protected: tuple[str, ...]
    """Existing names, no links: mounted read-only."""
    links: dict[str, str]
    """Existing names that are links: where they lead."""
    repositories: dict[str, Snapshot]


def survey(roots: Iterable[str], rules: ProtectionRules) -> Survey:
    """Look, change nothing.

    Raises:
        SandboxError: `sandbox.cannot-enforce` where the place is too large to be looked through, or a folder cannot be read.
    """
    folders = tuple(root for root in roots if os.path.isdir(root))
    return _Walk(rules, folders).go()


def stamp_of(path: str) -> tuple[int, int] | None:
    """Of a real folder; None for one that changed this moment."""
    status = os.lstat(path)
    young = time.time_ns() - status.st_ctime_ns < _FRESH_NS
    return None if young else (status.st_ino, status.st_ctime_ns)


class _Walk:
    """One walk, which never follows a link."""

    def __init__(self, rules: ProtectionRules, roots: tuple[str, ...]) -> None:
        self._rules = rules
        self._roots = roots
        self._folders: dict[str, SurveyedFolder] = {}
        self._protected: list[str] = []
        self._links: dict[str, str] = {}
        self._repositories: dict[str, Snapshot] = {}
        self._left = MAX_ENTRIES

    def go(self) -> Survey:
        for root in self._roots:
            pending = [(root, False)]
            while pending:
                path, foreign = pending.pop()
                pending += [
                    (each, foreign or name in DEPENDENCIES)
                    for each, name in self._visit(path, foreign)
                ]
        return Survey(
            rules=self._rules,
            roots=self._roots,
            folders=self._folders,
            protected=tuple(self._protected),
            links=self._links,
            repositories=self._repositories,
        )

    def _visit(self, path: str, foreign: bool) -> list[tuple[str, str]]:
        """Remember one folder; the folders in it that are to be visited."""
        stamp = stamp_of(path)
        entries = self._entries(path)
        names = frozenset() if foreign else self._rules.names_in(os.path.basename(path))
        if os.path.basename(path) == REPOSITORY or repository.is_repository(
            entry.name for entry in entries
        ):
            return self._visit_repository(path)
        inside: list[tuple[str, str]] = []
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in names or (entry.name == REPOSITORY and not is_folder):
                self._keep(entry)
            elif is_folder:
                inside.append((entry.path, entry.name))
        self._folders[path] = SurveyedFolder(stamp=stamp, folders=tuple(name for _, name in inside))
        return inside

    def _keep(self, entry: os.DirEntry[str]) -> None:
        if entry.is_symlink():
            self._links[entry.path] = os.readlink(entry.path)
        else:
            self._protected.append(entry.path)

    def _visit_repository(self, path: str) -> list[tuple[str, str]]:
        """Of a sealed one nothing can change; of one that git works in, what decides what git runs."""
        if self._rules.sealed:
            self._protected.append(path)
            return []
        self._repositories[path] = repository.take(path)
        hooks = os.path.join(path, repository.HOOKS)
        if repository.HOOKS in self._rules.parts and os.path.lexists(hooks):
            if os.path.islink(hooks):
                self._links[hooks] = os.readlink(hooks)
            else:
                self._protected.append(hooks)
        return [(folder, os.path.basename(folder)) for folder in repository.inner_folders(path)]

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(path) as listing:
                entries = list(listing)
        except PermissionError:
            return []  # the run has no more rights than we have
        self._left -= len(entries)
        if self._left < 0:
            raise SandboxError(
                "sandbox.cannot-enforce",
                f"`{self._roots[0]}` holds more than {MAX_ENTRIES:,} files: too many to find the protected ones",
                hint="run it in a smaller folder",
            )
        return entries
