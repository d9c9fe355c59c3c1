"""Upkeep: the index follows the store. Only tools whose metadata changed are read again.

The caller hands in what exists (name → stamp) and how to load one tool; nothing here knows the store. A tool that
cannot be loaded is still found by its name.
"""

from __future__ import annotations

import os
import sqlite3

from atip.errors import AtipError
from atip.model.tool import Tool
from atip.search.index import FEW_TOOLS, Index
from atip.system.files import make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE = "index.sqlite"


def open_index(
    folder: str, stamp: str, current: Callable[[], Mapping[str, str]], load: Callable[[str], Tool]
) -> Index:
    """The index below `folder`, brought up to date.

    Args:
        stamp: changes whenever anything changed; while it is the same, nothing else is asked.
        current: name → stamp of every tool there is.
        load: the tool of a name; may raise `AtipError`.
    """
    try:
        return _current(_opened(folder), stamp, current, load)
    except (OSError, sqlite3.OperationalError):
        # a full or read-only disk: the index is derived, so this search has one of its own
        return _current(Index(), stamp, current, load)


def _opened(folder: str) -> Index:
    try:
        make_private(folder)
    except AtipError as error:
        if error.code == "file.unwritable":
            return Index()
        raise
    return Index(os.path.join(folder, FILE))


def _current(
    index: Index, stamp: str, current: Callable[[], Mapping[str, str]], load: Callable[[str], Tool]
) -> Index:
    try:
        if index.storage.meta("stamp") != stamp:
            _update(index, stamp, current(), load)
    except BaseException:
        index.close()
        raise
    return index


def _update(
    index: Index, stamp: str, current: Mapping[str, str], load: Callable[[str], Tool]
) -> None:
    old = index.storage.stamps()
    changed = [name for name, state in current.items() if old.get(name) != state]
    gone = [name for name in old if name not in current]
    few = len(changed) <= FEW_TOOLS
    loaded = (_loaded(name, load) for name in changed)
    tools = [*loaded] if few else loaded
    index.put(tools, stamps=current, gone=gone, meta={"stamp": stamp})


def _loaded(name: str, load: Callable[[str], Tool]) -> Tool:
    try:
        return load(name).replace(name=name)
    except AtipError:
        return Tool(name=name)
