"""MCP client: one server, over stdio or streamable HTTP, started when needed and ended for sure.

The one user of the official `mcp` package. A server that dies fails the calls under way and is started again for the next;
nothing is repeated on its own. Starts no program itself: the caller has confined it. Belongs to one event loop. Needs the extra `mcp`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FetchError, SandboxError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from contextlib import AbstractAsyncContextManager

    from atip.system.network.mcp_pipes import StartServer

START_S = 30.0
CLOSE_S = 10.0
MAX_TOOLS = 10_000
CONNECTION_CLOSED = -32000
"""The code with which the package ends what was under way when the server went."""


class McpServer(Value):
    """An MCP server to connect to: `start` launches it, or `url` is its address."""

    start: StartServer | None = None
    url: str = ""
    headers: Mapping[str, str] = {}


class McpClient:
    """A session with one server."""

    def __init__(self, server: McpServer, *, timeout_s: float = 30.0) -> None:
        self._server = server
        self._timeout_s = timeout_s
        self._task: asyncio.Task[None] | None = None
        self._session: Any = None
        self._stop = asyncio.Event()
        self._lock = asyncio.Lock()

    async def list_tools(self) -> list[dict[str, Any]]:
        """Every tool, all pages, as plain values.

        Raises:
            FetchError: `api.mcp`.
        """
        session = await self._open()
        import mcp_types

        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            params = mcp_types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self._request(session.list_tools(params=params))
            tools += [
                tool.model_dump(by_alias=True, exclude_none=True, mode="json")
                for tool in page.tools
            ]
            cursor = page.next_cursor
            if not cursor or len(tools) >= MAX_TOOLS:
                return tools

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a tool, as plain values.

        Raises:
            FetchError: `api.mcp` when the server is gone or silent.
        """
        session = await self._open()
        result = await self._request(session.call_tool(name, dict(arguments)))
        document: dict[str, Any] = result.model_dump(by_alias=True, exclude_none=True, mode="json")
        return document

    async def close(self) -> None:
        """End the session and the server."""
        task, self._task = self._task, None
        self._session = None
        if task is None:
            return
        self._stop.set()
        _, late = await asyncio.wait([task], timeout=CLOSE_S)
        if late:
            task.cancel()
            await asyncio.wait([task], timeout=CLOSE_S)

    async def _request(self, work: Any) -> Any:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await work
        except TimeoutError as error:
            await self.close()
            raise FetchError("api.mcp", "the MCP server did not answer in time") from error
        except _failures() as error:
            if (
                getattr(getattr(error, "error", None), "code", CONNECTION_CLOSED)
                == CONNECTION_CLOSED
            ):
                # The server is gone; the next call starts it again.
                await self.close()
            raise FetchError("api.mcp", f"the MCP server failed: {str(error)[:300]}") from error

    async def _open(self) -> Any:
        async with self._lock:
            if self._task is not None and not self._task.done():
                return self._session
            self._stop = asyncio.Event()
            ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._serve(ready))
            try:
                async with asyncio.timeout(START_S):
                    self._session = await ready
            except TimeoutError as error:
                await self.close()
                raise FetchError("api.mcp", "the MCP server did not start in time") from error
            return self._session

    async def _serve(self, ready: asyncio.Future[Any]) -> None:
        """Holds the session open: its contexts must be entered and left by one task."""
        from mcp import ClientSession

        try:
            async with (
                _transport(self._server) as (read, write),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                ready.set_result(session)
                await self._stop.wait()
        except asyncio.CancelledError:
            if not ready.done():
                ready.cancel()
            raise
        except BaseException as error:
            if not ready.done():
                ready.set_exception(
                    error
                    if isinstance(error, SandboxError)
                    else FetchError("api.mcp", f"the MCP server could not be used: {_text(error)}")
                )


def _transport(server: McpServer) -> AbstractAsyncContextManager[Any]:
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def over_http() -> AsyncIterator[Any]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        client = httpx2.AsyncClient(
            headers=dict(server.headers), trust_env=False, follow_redirects=False, timeout=30.0
        )
        async with client, streamable_http_client(server.url, http_client=client) as streams:
            yield streams[:2]

    check_extra()
    if server.start is not None:
        from atip.system.network.mcp_pipes import open_pipes

        return open_pipes(server.start)
    return over_http()


def check_extra() -> None:
    """
    Raises:
        AtipError: `api.missing-extra`.
    """
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise AtipError(
            "api.missing-extra",
            "MCP sources need the `mcp` package",
            hint='pip install "atip-cli[mcp]"',
        ) from error


def _failures() -> tuple[type[BaseException], ...]:
    import anyio
    from mcp import MCPError

    return (
        MCPError,
        anyio.ClosedResourceError,
        anyio.BrokenResourceError,
        anyio.EndOfStream,
        OSError,
    )


def _text(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]
