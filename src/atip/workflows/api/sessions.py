"""Sessions with MCP servers that outlast a call, so that the state of their tools (a page, a transaction) is kept.

A single call opens and closes its own connection, and so does every call of a source without state, which then uses
fresh credentials. Where one process makes many calls – our own server – those to an MCP server share a caller, until its
configuration or synced operations change, it cannot be reached or requires a login, or the owner exits.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.apis.calling import OperationCaller


class Sessions:
    """Callers by configuration and source."""

    def __init__(self) -> None:
        self._callers: dict[str, tuple[object, OperationCaller]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, stamp: object, make: Callable[[], OperationCaller]) -> OperationCaller:
        """Return the caller of a key; a new one when `stamp` changed."""
        with self._lock:
            before = self._callers.get(key)
            if before is not None and before[0] == stamp:
                return before[1]
            caller = make()
            self._callers[key] = (stamp, caller)
        if before is not None:
            before[1].close()
        return caller

    def drop(self, key: str, caller: OperationCaller) -> None:
        """Close a caller whose server does not answer any more; the next call opens a new one."""
        with self._lock:
            if self._callers.get(key, (None, None))[1] is caller:
                del self._callers[key]
        caller.close()

    def close(self) -> None:
        with self._lock:
            callers, self._callers = self._callers, {}
        for _, caller in callers.values():
            caller.close()
