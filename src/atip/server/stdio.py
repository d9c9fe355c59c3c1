"""Stdio: frames on standard input and output, owned by the protocol alone.

While serving, descriptor 0 reads nothing and descriptor 1 is standard error: whatever prints by accident cannot
reach the client as a frame. A frame is one line of at most `MAX_FRAME` bytes; a longer one is dropped as it comes,
and nothing of it is kept. The end of input, or a signal to end, ends every run first.
"""

from __future__ import annotations

import os
import signal
import sys

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from atip.server.app import App

MAX_FRAME = 16 * 1024 * 1024
_CHUNK = 65536


class Frames:
    """Lines of a descriptor, bounded; waits without a thread, so that it can be cancelled."""

    def __init__(self, descriptor: int, max_frame: int = MAX_FRAME) -> None:
        self._descriptor, self._max_frame = descriptor, max_frame
        self._polls = True

    async def __aiter__(self) -> AsyncIterator[str]:
        kept = bytearray()
        is_dropping = False
        while data := await self._read():
            *whole, rest = data.split(b"\n")
            for line in whole:
                if not is_dropping and len(kept) + len(line) <= self._max_frame:
                    yield bytes(kept + line).decode("utf-8", "replace")
                kept.clear()
                is_dropping = False
            # SECURITY: a frame without end must not fill the memory.
            is_dropping = is_dropping or len(kept) + len(rest) > self._max_frame
            kept = bytearray() if is_dropping else kept + rest
        if kept and not is_dropping:
            yield bytes(kept).decode("utf-8", "replace")

    async def _read(self) -> bytes:
        if self._polls:
            try:
                await anyio.wait_readable(self._descriptor)
                return os.read(self._descriptor, _CHUNK)
            except OSError:
                self._polls = False  # a regular file: always ready, and no poll takes it
        return await anyio.to_thread.run_sync(os.read, self._descriptor, _CHUNK)


async def serve_stdio(app: App) -> None:
    """Serve one client on standard input and output, until it goes away."""
    wire = os.dup(0)
    os.set_inheritable(wire, False)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.close(nothing)
    frames: Any = Frames(wire)
    async with anyio.create_task_group() as group:
        group.start_soon(_end_on_signal, group.cancel_scope)
        group.start_soon(app.watch)
        async with stdio_server(stdin=frames) as (incoming, outgoing):
            server = app.server
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            scope.cancel()
            return


def run_stdio(app: App) -> int:
    """Serve; returns when the client is gone and everything that ran for it is ended."""
    anyio.run(serve_stdio, app)
    sys.stderr.flush()
    return 0
