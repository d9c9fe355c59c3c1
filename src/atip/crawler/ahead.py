"""Run iterators in threads of their own, a bounded number of items ahead of the consumer."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Item = TypeVar("Item")

LOOK_S = 0.5
"""Seconds until the thread notices that it should stop."""


def run_ahead(sources: Sequence[Iterator[Item]], size: int) -> Iterator[Item]:
    """Yield the items of all iterators, those of each in order; an exception is raised after the items before it."""
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

    def produce(items: Iterator[Item]) -> None:
        try:
            for item in items:
                if not put(True, item):
                    return
        except BaseException as error:
            put(False, error)
        else:
            put(False, None)

    for items in sources:
        threading.Thread(target=produce, args=(items,), name="ahead", daemon=True).start()
    remaining = len(sources)
    try:
        while remaining:
            is_item, value = ready.get()
            if is_item:
                yield value  # type: ignore[misc]
            elif value is None:
                remaining -= 1
            else:
                raise value  # type: ignore[misc]
    finally:
        stopped.set()
