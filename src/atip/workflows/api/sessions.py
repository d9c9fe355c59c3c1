"""Sessions with MCP servers that outlast a call: what their tools remember (a page, a transaction) lasts between calls.

A call alone opens and closes its own connection, and so does every call of a source without state, whose credentials are then
as fresh as can be. Where one process makes many calls – our own server – those to an MCP server share a caller, until its
configuration or what was synced of it changes, it cannot be reached or wants a login, or the owner ends.
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
        self._kept: dict[str, tuple[object, OperationCaller]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, stamp: object, make: Callable[[], OperationCaller]) -> OperationCaller:
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

    def drop(self, key: str, caller: OperationCaller) -> None:
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
