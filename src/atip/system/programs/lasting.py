"""A thread that lasts as long as the process, for starting children that die with their parent.

The kernel's "die with your parent" means the *thread* that started a child: one from a pool would
take its children along when it ends. The main thread lasts; for all others this one stands in.
"""

from __future__ import annotations

import _thread
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import queue
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")


class _Starter:
    """One worker thread and the process it belongs to (a fork does not inherit threads)."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        import queue
        import threading

        self.tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="atip-starter", daemon=True).start()

    def _work(self) -> None:
        while True:
            self.tasks.get()()


_LOCK = _thread.allocate_lock()
_STARTER: list[_Starter] = []


def from_lasting_thread(task: Callable[[], T]) -> T:
    """The result of `task`, run in a thread that ends only with the process."""
    threading = sys.modules.get("threading")  # not loaded: there is no other thread
    if threading is None or threading.current_thread() is threading.main_thread():
        return task()
    import queue

    results: queue.SimpleQueue[tuple[T | None, OSError | None]] = queue.SimpleQueue()

    def attempt() -> None:
        try:
            results.put((task(), None))
        except OSError as error:
            results.put((None, error))

    with _LOCK:
        if not _STARTER or _STARTER[0].pid != os.getpid():
            _STARTER[:] = [_Starter()]
    _STARTER[0].tasks.put(attempt)
    result, error = results.get()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]
