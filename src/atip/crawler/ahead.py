"""Run an iterator in a thread of its own, a bounded number of items ahead of whoever takes them."""

from __future__ import annotations

import queue
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    Item = TypeVar("Item")

LOOK_S = 0.5
"""How soon the thread notices that its items are no longer wanted."""


def run_ahead(items: Iterator[Item], size: int) -> Iterator[Item]:
    """The same items in the same order; an exception of the iterator is raised here, after the items before it."""
    ready: queue.Queue[tuple[bool, Item | BaseException | None]] = queue.Queue(size)
    stopped = threading.Event()

    def put(is_item: bool, value: Item | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                ready.put((is_item, value), timeout=LOOK_S)
                return True
            except queue.Full:
                continue
        return False

    def produce() -> None:
        try:
            for item in items:
                if not put(True, item):
                    return
        except BaseException as error:
            put(False, error)
        else:
            put(False, None)

    threading.Thread(target=produce, name="ahead", daemon=True).start()
    try:
        while True:
            is_item, value = ready.get()
            if is_item:
                yield value  # type: ignore[misc]
            elif value is None:
                return
            else:
                raise value  # type: ignore[misc]
    finally:
        stopped.set()
