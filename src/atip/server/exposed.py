"""Chosen commands as MCP tools of their own, with annotations from the most they may do.

What is published is what the user approved: the texts of the first start are pinned, later ones are compared with
the pins. A command that changed, or that a known tool grew, is not published before it is approved; clients are told
when the list changes. Defends against threats 5 and 24 of conformance/threats.toml.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from atip.calls.offering import offered
from atip.errors import NotFoundError, UsageError
from atip.server.catalogue import declared
from atip.server.pins import CHANGED, NEW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.calls.functions import Function
    from atip.server.catalogue import Catalogue
    from atip.server.pins import Pins

MAX_EXPOSED = 128
"""More than this no client shows, and no model reads."""


class ServerCommands:
    """The published commands of one server. `load` is called again whenever something may have changed."""

    def __init__(self, catalogue: Catalogue, pins: Pins, targets: Sequence[str]) -> None:
        self._catalogue, self._pins, self._targets = catalogue, pins, list(targets)
        self._published: dict[str, tuple[Function, dict[str, Any]]] = {}
        self._withheld: dict[str, Function] = {}
        self._stamp: object = None
        self._lock = threading.Lock()

    @property
    def declarations(self) -> list[dict[str, Any]]:
        """MCP tool objects, in the order of the targets."""
        return [declaration for _, declaration in self._published.values()]

    @property
    def withheld(self) -> Mapping[str, Function]:
        """Commands that wait for approval, by name."""
        return self._withheld

    def find(self, name: str) -> Function | None:
        """The function behind a published or withheld name."""
        if name in self._withheld:
            return self._withheld[name]
        entry = self._published.get(name)
        return entry[0] if entry is not None else None

    def load(self) -> bool:
        """Read the store and the pins; whether the published list is another one than before.

        Raises:
            NotFoundError: a target that is nothing to call, at the first time.
            UsageError: `mcp.too-many`.
        """
        if not self._targets:
            return False
        with self._lock:
            stamp = self._stamps()
            if stamp == self._stamp:
                return False
            is_changed = self._loaded(first=self._stamp is None)
            self._stamp = (
                stamp  # taken before reading: what changed meanwhile is seen the next time
            )
            return is_changed

    def _loaded(self, *, first: bool) -> bool:
        before = self.declarations
        published: dict[str, tuple[Function, dict[str, Any]]] = {}
        withheld: dict[str, Function] = {}
        for function, document, is_chosen in self._functions(first):
            state = self._pins.state(function, document)
            if state == NEW and is_chosen:
                self._pins.put(function, document)
                state = ""
            if state in (NEW, CHANGED):
                withheld[function.name] = function
                if function.name in self._published:  # clients go on seeing what was approved
                    published[function.name] = self._published[function.name]
            else:
                narrow = offered(function)
                published[function.name] = (narrow, declared(narrow))
        self._published, self._withheld = published, withheld
        return not first and self.declarations != before

    def _functions(self, first: bool) -> list[tuple[Function, Mapping[str, Any], bool]]:
        """Functions of all targets, and whether the user's own word chose each: it was named itself, or its
        group is published for the first time. What a group grew later was not."""
        published: dict[str, tuple[Function, Mapping[str, Any], bool]] = {}
        for target in self._targets:
            words = self._catalogue.box.calls.target_words(target)
            try:
                loaded = self._catalogue.get(words[0], words[1:])
            except NotFoundError:
                if first:
                    raise
                continue  # forgotten meanwhile: its commands leave the list
            path = tuple(words[1:])
            functions = [f for way, f in loaded.functions.items() if way[: len(path)] == path]
            if not functions and first:
                self._catalogue.function(target)  # suggests the closest command
            is_new = first and self._pins.begin(target)
            for function in functions:
                is_chosen = is_new or (first and function.path == path)
                published[function.name] = (function, loaded.document, is_chosen)
        if len(published) > MAX_EXPOSED:
            raise UsageError(
                "mcp.too-many",
                f"{len(published)} commands would be published; at most {MAX_EXPOSED} are",
                hint="name commands: `--expose 'gh pr list'`; `find` reaches all others",
            )
        return list(published.values())

    def _stamps(self) -> tuple[Any, ...]:
        box = self._catalogue.box
        places = [os.path.join(box.places.data, "registry.json"), self._pins.folder]
        places += [entry.path for entry in _entries(self._pins.folder)]
        return tuple(_stat(place) for place in places)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _stat(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino
