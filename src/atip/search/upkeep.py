"""Upkeep: the index follows the store. Only tools whose metadata changed are read again.

The caller hands in what exists (name → stamp) and how to load one tool; nothing here knows the store. A tool that
cannot be loaded is still found by its name. Many tools are added in pieces, under a lock: a search meanwhile
answers from the pieces that are there, and the index says that it is not complete.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3

from atip.errors import AtipError
from atip.model.tool import Tool
from atip.search.index import FEW_TOOLS, SearchIndex
from atip.system.files import locked, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE = "index.sqlite"
LOCK = "index.lock"
PIECES = 8
"""Transactions of a large build at most; fewer than MAX_SEGMENTS, which stay separate."""


def open_index(
    folder: str,
    stamp: str,
    current: Callable[[], Mapping[str, str]],
    load: Callable[[str], Tool],
    progress: Callable[[str, int, int], None] | None = None,
) -> SearchIndex:
    """The index below `folder`, brought up to date.

    Args:
        stamp: changes whenever anything changed; while it is the same, nothing else is read.
        current: name → stamp of every tool there is.
        load: the tool of a name; may raise `AtipError`.
        progress: called with (`indexing`, tools done, tools in all) while many have changed.
    """
    try:
        return _current(_opened(folder), stamp, current, load, progress)
    except (OSError, sqlite3.OperationalError):
        # a full or read-only disk: the index is derived, so this search has one of its own
        return _current(SearchIndex(), stamp, current, load, progress)


def _opened(folder: str) -> SearchIndex:
    try:
        make_private(folder)
    except AtipError as error:
        if error.code == "file.unwritable":
            return SearchIndex()
        raise
    return SearchIndex(os.path.join(folder, FILE))


def _current(
    index: SearchIndex,
    stamp: str,
    current: Callable[[], Mapping[str, str]],
    load: Callable[[str], Tool],
    progress: Callable[[str, int, int], None] | None,
) -> SearchIndex:
    try:
        if index.storage.meta("stamp") != stamp:
            _update(index, stamp, current(), load, progress)
    except BaseException:
        index.close()
        raise
    return index


def _update(
    index: SearchIndex,
    stamp: str,
    current: Mapping[str, str],
    load: Callable[[str], Tool],
    progress: Callable[[str, int, int], None] | None,
) -> None:
    changed, gone = _changes(index, current)
    if len(changed) <= FEW_TOOLS:
        tools = [_loaded(name, load) for name in changed]
        index.put(tools, stamps=current, gone=gone, meta={"stamp": stamp})
        return
    folder = os.path.dirname(index.storage.path)
    with (
        contextlib.nullcontext(True)
        if not folder
        else locked(os.path.join(folder, LOCK), wait=False) as is_ours
    ):
        index.is_complete = is_ours
        if is_ours:
            changed, gone = _changes(index, current)  # the last holder may have finished meanwhile
            _build(index, stamp, current, _counted(load, len(changed), progress), changed, gone)


def _counted(
    load: Callable[[str], Tool], total: int, progress: Callable[[str, int, int], None] | None
) -> Callable[[str], Tool]:
    """`load` that says how many were loaded: reading them is most of the work of a build."""
    if progress is None:
        return load
    done = 0

    def counting(name: str) -> Tool:
        nonlocal done
        done += 1
        progress("indexing", done, total)
        return load(name)

    return counting


def _changes(index: SearchIndex, current: Mapping[str, str]) -> tuple[list[str], list[str]]:
    old = index.storage.stamps()
    changed = [name for name, state in current.items() if old.get(name) != state]
    return changed, [name for name in old if name not in current]


def _build(
    index: SearchIndex,
    stamp: str,
    current: Mapping[str, str],
    load: Callable[[str], Tool],
    changed: list[str],
    gone: list[str],
) -> None:
    size = max(FEW_TOOLS, -(-len(changed) // PIECES))
    for start in range(0, len(changed), size):
        tools = (_loaded(name, load) for name in changed[start : start + size])
        index.put(tools, stamps=current)
    index.put((), gone=gone, meta={"stamp": stamp})


def _loaded(name: str, load: Callable[[str], Tool]) -> Tool:
    try:
        return load(name).replace(name=name)
    except AtipError:
        return Tool(name=name)
