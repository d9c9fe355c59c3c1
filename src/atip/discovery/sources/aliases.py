"""Aliases: several names of one program are asked once, where its first answer shows that the name makes no difference.

A file may be many programs (`xz` and `unxz`), so equal bytes alone do not suffice: the help of the second name has to be that of the
first, but for the name itself.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from atip.model.tool import Command

Made = TypeVar("Made")


class Once(Generic[Made]):
    """Makes one value per key, for several threads: the second to ask waits for the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._made: dict[Hashable, Made] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value of a key; an exception of `make` is raised, and not kept."""
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]


class ExploredHelp(Value):
    """The commands of a program as it was asked under one name."""

    name: str
    text: str
    """Its answer to the first question."""
    command: Command
    was_cut: bool

    def under(self, name: str, text: str) -> ExploredHelp | None:
        """The same for another name of the file, if it answered that question alike; else None."""
        if without_name(text, name) != without_name(self.text, self.name):
            return None
        return self.replace(name=name, command=_renamed(self.command, self.name, name))


def without_name(text: str, name: str) -> str:
    """A text with a mark in place of the name of the program."""
    return _as_word(name).sub("\0", text)


def _as_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")


def _renamed(command: Command, before: str, after: str) -> Command:
    if before == after:
        return command
    usage = _as_word(before).sub(lambda _: after, command.usage) if command.usage else command.usage
    commands = {
        name: _renamed(child, before, after) for name, child in (command.commands or {}).items()
    }
    return command.replace(usage=usage, commands=commands or None)
