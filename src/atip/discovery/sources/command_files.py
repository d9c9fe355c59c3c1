"""Programs that keep a file for each of their commands: `git log` is `git-log` in a folder of git's own.

Completion scripts, manual pages and even lists that are compiled in name commands of packages that are not installed (`git svn`).
Where nearly every command has its file, one without a file is not a command of this machine. Folders are
listed; nothing runs.
"""

from __future__ import annotations

import bisect
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

PARENTS = ("lib", "libexec")
OWN = ("{}-core", "{}")
"""Folders below the prefix of a program with files of its commands, by convention: `lib/git-core`, `libexec/git`, `libexec` itself."""
LEAST = 8
"""Commands with a file; with fewer, names that begin alike may be programs of their own (`ssh-keygen`)."""
SHARE = 0.8
"""Of the commands that are described; a program with fewer files has most commands within itself."""


class CommandFiles:
    """Lookup of the commands of a program that are files of their own. Each folder is listed once."""

    def __init__(self, search_path: Sequence[str]) -> None:
        """
        Args:
            search_path: the folders of PATH, where such a program looks too.
        """
        self._search_path = search_path
        self._listings: dict[str, list[str]] = {}

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Changes when a file of a command is added or removed."""
        folders = self._own_folders(subject)
        return " ".join(
            sorted(
                self._commands_in((*folders, *self._search_path), subject.name) if folders else ()
            )
        )

    def without_absent(self, tool: Tool, subject: ProbeSubject) -> Tool:
        """The tool without commands whose files are missing; as it is, if its commands are not files."""
        folders = self._own_folders(subject) if tool.commands else []
        if not folders:
            return tool
        files = self._commands_in(folders, subject.name)
        commands = tool.commands or {}
        count = len(files & commands.keys())
        if count < LEAST or count < SHARE * len(commands):
            return tool
        files |= self._commands_in(self._search_path, subject.name)
        return tool.replace(
            commands={name: command for name, command in commands.items() if name in files}
        )

    def _own_folders(self, subject: ProbeSubject) -> list[str]:
        """The program's own folder and those below its prefix, if they have files of several commands."""
        folders: set[str] = set()
        for place in {os.path.dirname(subject.path), os.path.dirname(subject.real_path)}:
            prefix = os.path.dirname(place)
            folders |= {place, f"{prefix}/libexec"}
            for parent in PARENTS:
                # Most programs have no such folder: a look into the listing costs less than a call for each.
                own = (form.format(subject.name) for form in OWN)
                folders |= {
                    f"{prefix}/{parent}/{name}"
                    for name in own
                    if self._has(f"{prefix}/{parent}", name)
                }
        return [
            folder for folder in folders if len(self._commands_in([folder], subject.name)) >= LEAST
        ]

    def _commands_in(self, folders: Iterable[str], tool: str) -> set[str]:
        begin = f"{tool}-"
        commands: set[str] = set()
        for folder in folders:
            names = self._list(folder)
            first = bisect.bisect_left(names, begin)
            last = bisect.bisect_left(names, f"{tool}.", first)  # `.` follows `-`
            commands.update(name[len(begin) :] for name in names[first:last])
        return commands

    def _has(self, folder: str, name: str) -> bool:
        names = self._list(folder)
        place = bisect.bisect_left(names, name)
        return place < len(names) and names[place] == name

    def _list(self, folder: str) -> list[str]:
        names = self._listings.get(folder)
        if names is None:
            try:
                names = sorted(os.listdir(folder))
            except OSError:
                names = []
            self._listings[folder] = names
        return names
