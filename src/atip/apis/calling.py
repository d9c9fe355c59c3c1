"""Caller: calls operations of configured sources; what generated wrappers and `api call` use.

One event loop in a thread of its own, where connections are pooled; callers may be synchronous or run in any loop.
Validates before, bounds and cleans after. Decides nothing: policy stands before it (`apis` verbs, Toolbox).
"""

from __future__ import annotations

import asyncio
import threading

from atip.apis.arguments import UNSET, Unset, check_arguments, output_problems, plain
from atip.apis.config import ApiConfig, load_config
from atip.apis.interface import open_door, source_of
from atip.apis.operations import find_operation
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

    from atip.apis.http_calls import Outcome
    from atip.apis.interface import Connection, Door
    from atip.model.operation import Api

    Cleaner = Callable[[Any, tuple[bytes, ...]], Any]

__all__ = ["UNSET", "CallResult", "Caller", "Unset"]


class CallResult(Value):
    """An answer with what an agent should know about it."""

    data: Any
    status: int = 0
    next_page: str = ""
    problems: tuple[Mapping[str, Any], ...] = ()
    """Where the answer differs from the described schema."""


class Caller:
    """Calls operations; keeps connections until `close`."""

    def __init__(
        self,
        config: ApiConfig | str | PathLike[str],
        *,
        door: Door | None = None,
        clean: Cleaner | None = None,
    ) -> None:
        """
        Args:
            config: `codegen.config.json` or its folder; or one that was loaded, and is then used as it was.
            clean: removes secrets from an answer; given the secrets that were used.
        """
        self._loaded = config if isinstance(config, ApiConfig) else None
        self._path = "" if isinstance(config, ApiConfig) else str(config)
        self._secrets: set[bytes] = set()
        self._clean = clean
        self._door = (door or open_door()).replace(secrets=self._secrets.update)
        self._connections: dict[str, asyncio.Task[Connection]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @property
    def config(self) -> ApiConfig:
        """The configuration, read when first needed."""
        if self._loaded is None:
            self._loaded = load_config(self._path)
        return self._loaded

    def call(self, source: str, operation: str, arguments: Mapping[str, Any]) -> Any:
        """The data of an answer. Raises `AtipError` with a stable code."""
        return self.run(source, operation, arguments).data

    async def call_async(self, source: str, operation: str, arguments: Mapping[str, Any]) -> Any:
        """The same from any event loop."""
        work = self._call(source, operation, arguments)
        future = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        return (await asyncio.wrap_future(future)).data

    def run(self, source: str, operation: str, arguments: Mapping[str, Any]) -> CallResult:
        """The whole result of a call."""
        work = self._call(source, operation, arguments)
        return asyncio.run_coroutine_threadsafe(work, self._running_loop()).result()

    @staticmethod
    def check(told: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        """Judge arguments without calling: before a person is asked.

        Raises:
            UsageError: `api.unknown-argument`, `api.invalid-argument`.
        """
        check_arguments(told["inputSchema"], plain(arguments))

    def close(self) -> None:
        """Close every connection and end the loop."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return
        asyncio.run_coroutine_threadsafe(self._close_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    async def _call(self, source: str, name: str, arguments: Mapping[str, Any]) -> CallResult:
        header, operation, told = find_operation(self.config, source, name)
        given = plain(arguments)
        check_arguments(told["inputSchema"], given)
        connection = await self._connection(source, header)
        outcome: Outcome = await connection.call(operation, given)
        problems = output_problems(operation.output, outcome.data) if outcome.status < 300 else []
        data = outcome.data
        if self._clean is not None:
            data = self._clean(data, tuple(self._secrets))
        return CallResult(
            data=data, status=outcome.status, next_page=outcome.next_page, problems=tuple(problems)
        )

    async def _connection(self, source: str, header: Api) -> Connection:
        """The one connection of a source, however many calls ask for it at once."""
        opening = self._connections.get(source)
        if opening is None:
            connect = source_of(header.kind).connect
            # in a thread: resolving a credential may ask a keyring, a helper or a token server
            work = asyncio.to_thread(connect, self.config.get(source), header, self._door)
            opening = self._connections[source] = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(opening)  # a call that is cancelled leaves it to the others
        finally:
            failed = opening.done() and (opening.cancelled() or opening.exception() is not None)
            if failed and self._connections.get(source) is opening:
                del self._connections[source]  # the next call tries again

    async def _close_all(self) -> None:
        opened, self._connections = list(self._connections.values()), {}
        for one in await asyncio.gather(*opened, return_exceptions=True):
            if not isinstance(one, BaseException):
                await one.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_serve, args=(self._loop,), name="atip-api", daemon=True
                ).start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()
