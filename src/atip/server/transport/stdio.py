"""Stdio: frames on standard input and output, owned by the protocol alone.

While serving, descriptor 0 reads nothing and descriptor 1 is standard error: whatever prints by accident cannot
reach the client as a frame. A frame is one line of at most `MAX_FRAME` bytes; a longer one is dropped as it comes,
and nothing of it is kept. The end of input, or a signal to end, ends every run first.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from atip.server.transport.handshake import HandshakeMismatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from atip.server.app import App
    from atip.server.transport.handshake import Opening

MAX_FRAME = 16 * 1024 * 1024
_CHUNK = 65536


class Frames:
    """Lines of a descriptor, bounded; waits without a thread, so that it can be cancelled."""

    def __init__(self, descriptor: int, max_frame: int = MAX_FRAME, received: bytes = b"") -> None:
        self._descriptor, self._max_frame = descriptor, max_frame
        self._polls = True
        self._received = received

    async def __aiter__(self) -> AsyncIterator[str]:
        pending = bytearray()
        is_dropping = False
        while data := await self._read():
            *complete_lines, rest = data.split(b"\n")
            for line in complete_lines:
                if not is_dropping and len(pending) + len(line) <= self._max_frame:
                    yield bytes(pending + line).decode("utf-8", "replace")
                pending.clear()
                is_dropping = False
            # SECURITY: a frame without end must not fill the memory.
            is_dropping = is_dropping or len(pending) + len(rest) > self._max_frame
            pending = bytearray() if is_dropping else pending + rest
        if pending and not is_dropping:
            yield bytes(pending).decode("utf-8", "replace")

    async def _read(self) -> bytes:
        if self._received:
            data, self._received = self._received, b""
            return data
        if self._polls:
            try:
                await anyio.wait_readable(self._descriptor)
                return os.read(self._descriptor, _CHUNK)
            except OSError:
                self._polls = False  # a regular file: always ready, and no poll takes it
        return await anyio.to_thread.run_sync(os.read, self._descriptor, _CHUNK)


class Writer:
    """Frames to a descriptor. What was answered before the SDK was there is not sent again."""

    def __init__(self, descriptor: int, answer: dict[str, Any] | None = None) -> None:
        self._descriptor, self._answer = descriptor, answer

    async def write(self, line: str) -> None:
        if self._answer is not None:
            answer, self._answer = self._answer, None
            if json.loads(line) != answer:
                raise HandshakeMismatch
            return
        await anyio.to_thread.run_sync(_write_all, self._descriptor, line.encode())

    async def flush(self) -> None:
        """Nothing is held back."""


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


async def serve_stdio(app: App, opening: Opening) -> None:
    """Serve one client on standard input and output, until it goes away."""
    frames: Any = Frames(_divert(0, _nothing()), received=opening.received)
    writer: Any = Writer(_divert(1, os.dup(2)), opening.answer)
    async with anyio.create_task_group() as group:
        group.start_soon(_end_on_signal, group.cancel_scope)
        group.start_soon(app.watch)
        async with stdio_server(stdin=frames, stdout=writer) as (incoming, outgoing):
            server = app.server
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


def _divert(standard: int, instead: int) -> int:
    """A private copy of a standard descriptor, which is `instead` from now on."""
    wire = os.dup(standard)
    os.set_inheritable(wire, False)
    os.dup2(instead, standard)
    os.close(instead)
    return wire


def _nothing() -> int:
    return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            scope.cancel()
            return


def run_stdio(app: App, opening: Opening) -> int:
    """Serve; returns when the client is gone and everything that ran for it is ended."""
    anyio.run(serve_stdio, app, opening)
    sys.stderr.flush()
    return 0
