"""MCP over the pipes of a process that another package started: one JSON message per line, each way.

The session is over when the process ends, its output is not a message, or the context is left; then the process is ended.
Belongs to one event loop. Needs the extra `mcp`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    class ServerProcess(Protocol):
        """A process whose output is forwarded while `wait` runs."""

        def wait(self) -> object: ...

        def cancel(self) -> None: ...

    StartServer = Callable[[int, Callable[[str, bytes], None]], ServerProcess]
    """Descriptor of its input, and what takes its output → the process."""

MAX_MESSAGE = 32 * 1024 * 1024
GRACE_S = 2.0
"""Seconds a server has to exit after its input has ended."""


class _Session:
    """One process, and what it said that was not read yet."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._reader = asyncio.StreamReader(limit=MAX_MESSAGE)
        self._unread = 0
        self._process: ServerProcess | None = None
        self._ended = asyncio.Event()

    async def start(self, start: StartServer, stdin_fd: int) -> None:
        self._process = await asyncio.to_thread(start, stdin_fd, self._take)
        # a thread of its own: those of the pool are few, and a server lasts
        threading.Thread(target=self._wait, args=(self._process,), daemon=True).start()

    def _wait(self, process: ServerProcess) -> None:
        try:
            process.wait()
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed: no reader is left
                self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        self._reader.feed_eof()
        self._ended.set()

    def _take(self, name: str, data: bytes) -> None:
        if name == "stdout":
            self._loop.call_soon_threadsafe(self._feed, data)

    def _feed(self, data: bytes) -> None:
        self._unread += len(data)
        # SECURITY: a server that talks faster than it is read takes no more memory than this
        if self._unread > 2 * MAX_MESSAGE and self._process is not None:
            self._process.cancel()
            return
        self._reader.feed_data(data)

    async def receive(self, received: Any) -> None:
        """Forward messages until the end, or the first line that is not one."""
        import mcp_types
        from mcp.shared.message import SessionMessage

        async with received:
            with contextlib.suppress(ValueError):  # too long, or not a message
                while line := await self._reader.readline():
                    self._unread -= len(line)
                    message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await received.send(SessionMessage(message))

    async def end(self) -> None:
        """Its input has ended; a server that goes on is killed."""
        if self._process is None:
            return
        try:
            async with asyncio.timeout(GRACE_S):
                await self._ended.wait()
        except TimeoutError:
            self._process.cancel()
            await self._ended.wait()


@contextlib.asynccontextmanager
async def open_pipes(start: StartServer) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of a session with the process that `start` makes."""
    import anyio

    pipes: Any = [anyio.create_memory_object_stream(0) for _ in range(2)]
    (received, read_stream), (write_stream, outgoing) = pipes
    session = _Session()
    theirs, ours = os.pipe()
    writer = await _writer(ours)
    work: list[asyncio.Task[None]] = []
    try:
        try:
            await session.start(start, theirs)
        finally:
            os.close(theirs)
        work.append(asyncio.create_task(session.receive(received)))
        work.append(asyncio.create_task(_send(outgoing, writer, received)))
        yield read_stream, write_stream
    finally:
        for task in work:
            task.cancel()
        for stream in (read_stream, write_stream, received, outgoing):
            stream.close()
        writer.close()
        await asyncio.shield(session.end())


async def _send(outgoing: Any, writer: asyncio.StreamWriter, received: Any) -> None:
    try:
        async for each in outgoing:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            writer.write(f"{text}\n".encode())
            await writer.drain()
    except OSError:
        await received.aclose()  # no reader is left: the session sees the end, and no request hangs


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", 0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), pipe
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
