"""Our server as its clients meet it: a process of its own, spoken to by the official client or frame by frame."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import select
import subprocess
import sys
import time
import typing

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

COMMAND = [sys.executable, "-m", "atip.cli.main", "mcp", "serve"]


def environment(home: pathlib.Path, **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ATIP_"))}
    return {**kept, "HOME": str(home), "ATIP_TRACEBACK": "", **more}


def parameters(home: pathlib.Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *words], env=environment(home), cwd=str(home)
    )


def text(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def answering(answer: str, action: typing.Any = "accept", asked: list[str] | None = None):
    """A user who always says the same."""

    async def elicit(context, params):
        if asked is not None:
            asked.append(params.message)
        return types.ElicitResult(action=action, content={"answer": answer})

    return elicit


def talk(server, work, **options) -> None:
    """Run `work(client)` against a server with the official client."""

    async def main() -> None:
        with anyio.fail_after(90):
            async with Client(server, **options) as client:
                await work(client)

    anyio.run(main)


def unique_seconds() -> str:
    """An argument for `sleep` that no other process on this machine has."""
    return f"{random.randint(50, 59)}.{random.randint(10**7, 10**8)}7"


def processes_with(word: str) -> list[int]:
    """Processes with this very word on their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]


def until(condition: typing.Callable[[], bool], seconds: float) -> bool:
    """Whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Raw:
    """A server spoken to frame by frame; every line it writes must be one frame."""

    def __init__(self, home: pathlib.Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home),
            cwd=home,
        )
        self.frames: list[dict[str, typing.Any]] = []
        self._rest = b""
        self._next = 0

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self.process.kill()
        self.process.wait()

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(
        self, method: str, params: object = None, *, wait: bool = True
    ) -> dict[str, typing.Any]:
        """A request; its answer unless `wait` is false."""
        self._next += 1
        frame = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}
        self.send(json.dumps(frame).encode() + b"\n")
        return self.answer(self._next) if wait else frame

    def answer(self, number: int, seconds: float = 60) -> dict[str, typing.Any]:
        deadline = time.monotonic() + seconds
        while True:
            for frame in self.frames:
                if frame.get("id") == number and "method" not in frame:
                    return frame
            assert self.read(deadline - time.monotonic()), "the server is silent"

    def read(self, seconds: float) -> bool:
        """Take what the server wrote; False when nothing came in time."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        if not select.select([descriptor], [], [], max(0.0, seconds))[0]:
            return False
        data = os.read(descriptor, 1 << 20)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            frame = json.loads(line)  # every line is one frame, or the test fails here
            assert frame["jsonrpc"] == "2.0"
            self.frames.append(frame)
        return bool(data)

    def initialize(self, **capabilities: object) -> None:
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def call(self, name: str, arguments: dict[str, object], *, wait: bool = True):
        return self.ask("tools/call", {"name": name, "arguments": arguments}, wait=wait)
