"""Interface of an engine: runs one function over many orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    class Engine(Protocol):
        """Runs the same function over many orders, in any order, each at least once."""

        def run(
            self, task: Callable[[bytes], bytes], orders: Iterable[bytes]
        ) -> Iterator[EngineAnswer]: ...

    EngineAnswer = tuple[bytes, bytes | BaseException]
    """The order, and its result or failure."""
