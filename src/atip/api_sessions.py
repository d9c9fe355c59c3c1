"""Sessions with MCP servers that outlast a call: what their tools remember (a page, a transaction) lasts between calls.

A call alone opens and closes its own connection, and so does every call of a source without state, whose credentials are then
as fresh as can be. Where one process makes many calls – our own server – those to an MCP server share a caller, until its
configuration or what was synced of it changes, it cannot be reached or wants a login, or the owner ends.
"""

from __future__ import annotations

import contextlib
import os
import threading

from atip.errors import AtipError, AuthRequired, FetchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atip.apis.calling import Caller, Cleaner
    from atip.apis.config import ApiConfig
    from atip.toolbox import Toolbox


STATEFUL = "mcp"
"""The kind of source that may remember."""


class Sessions:
    """Callers by configuration and source."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Caller]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, stamp: object, make: Callable[[], Caller]) -> Caller:
        """The caller that is kept; a new one when `stamp` is another than before."""
        with self._lock:
            before = self._kept.get(key)
            if before is not None and before[0] == stamp:
                return before[1]
            caller = make()
            self._kept[key] = (stamp, caller)
        if before is not None:
            before[1].close()
        return caller

    def drop(self, key: str, caller: Caller) -> None:
        """Forget a caller whose server does not answer any more; the next call starts anew."""
        with self._lock:
            if self._kept.get(key, (None, None))[1] is caller:
                del self._kept[key]
        caller.close()

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, {}
        for _, caller in kept.values():
            caller.close()


@contextlib.contextmanager
def keep_sessions(box: Toolbox) -> Iterator[None]:
    """While this holds, calls of `box` to an MCP server share its session."""
    box.sessions = sessions = Sessions()
    try:
        yield
    finally:
        box.sessions = None
        sessions.close()


@contextlib.contextmanager
def open_caller(box: Toolbox, config: ApiConfig, source: str, clean: Cleaner) -> Iterator[Caller]:
    """A caller for one call: the kept one where sessions are kept, else one of its own."""
    from atip.apis.calling import Caller
    from atip.apis.interface import open_door
    from atip.apis.operations import operations_path

    door = open_door(offline=box.offline)
    if box.sessions is None or config.get(source).kind != STATEFUL:
        with Caller(config.folder, door=door, clean=clean) as caller:
            yield caller
        return
    synced = os.stat(operations_path(config, source))
    stamp = (repr(config.told), synced.st_mtime_ns, synced.st_size)
    # By source: what one server lost is no reason to end the others.
    key = f"{config.folder}\0{source}"
    caller = box.sessions.take(key, stamp, lambda: Caller(config.folder, door=door, clean=clean))
    try:
        yield caller
    except BaseException as error:
        # A tool that says no, a refusal, bad arguments: the session goes on. Anything else may have broken it.
        if isinstance(error, FetchError | AuthRequired) or not isinstance(error, AtipError):
            box.sessions.drop(key, caller)
        raise
