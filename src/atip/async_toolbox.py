"""AsyncToolbox: the same methods for callers that live in an event loop.

Each call runs the synchronous one in a worker thread, so that nothing blocks the loop. Cancelling a task that
awaits `run` ends the program; other calls go on in their thread to their own deadline.
"""

from __future__ import annotations

import asyncio

from atip.toolbox import Toolbox

MAX_RUNS = 64
"""Programs that run at once; further ones wait their turn."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from typing import Any, TypeVar

    Done = TypeVar("Done")

    from atip.discovery.ladder import Finding
    from atip.discovery.native import NativeAnswer
    from atip.discovery.report import ScanReport
    from atip.discovery.scan import Progress, ScanOptions
    from atip.execution.call import CallOptions
    from atip.execution.consent import Asker
    from atip.execution.result import Result
    from atip.model.tool import Tool
    from atip.search.index import Hit
    from atip.toolbox import IntentResult, Observation, Preview, Synced


class AsyncToolbox:
    """Mirrors `Toolbox`; `box` is the one that does the work."""

    def __init__(
        self, *, home: str | None = None, offline: bool | None = None, policy: str | None = None
    ) -> None:
        self.box = Toolbox(home=home, offline=offline, policy=policy)
        self._threads: ThreadPoolExecutor | None = None

    async def scan(
        self, options: ScanOptions | None = None, *, progress: Progress | None = None
    ) -> ScanReport:
        return await asyncio.to_thread(self.box.scan, options, progress=progress)

    async def sync(
        self, *, approve: Sequence[str] = (), prefetch: Sequence[str] = (), refresh: bool = True
    ) -> Synced:
        return await asyncio.to_thread(
            self.box.sync, approve=approve, prefetch=prefetch, refresh=refresh
        )

    async def list(self) -> Sequence[dict[str, Any]]:
        return await asyncio.to_thread(self.box.list)

    async def find(self, name: str) -> Tool | None:
        return await asyncio.to_thread(self.box.find, name)

    async def get(self, name: str) -> Tool:
        return await asyncio.to_thread(self.box.get, name)

    async def get_part(self, name: str, commands: Sequence[str]) -> Tool:
        return await asyncio.to_thread(self.box.get_part, name, commands)

    async def probe(self, name: str, *, force: bool = False) -> NativeAnswer:
        return await asyncio.to_thread(self.box.probe, name, force=force)

    async def infer(self, name: str) -> Finding:
        return await asyncio.to_thread(self.box.infer, name)

    async def search(
        self,
        words: str,
        limit: int = 5,
        *,
        tool: str | None = None,
        having: Sequence[str] = (),
        lacking: Sequence[str] = (),
        accept: Callable[[str], bool] | None = None,
        available: bool = False,
    ) -> Sequence[Hit]:
        return await asyncio.to_thread(
            self.box.search, words, limit,
            tool=tool, having=having, lacking=lacking, accept=accept, available=available,
        )  # fmt: skip

    async def forget(self, names: Sequence[str]) -> Sequence[str]:
        return await asyncio.to_thread(self.box.forget, names)

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_bytes: int | None = None,
        structured: bool = False,
        ask: Asker | None = None,
    ) -> Result:
        """As `Toolbox.run`; many may run at once, and cancelling the task ends the program."""
        from atip.execution.runs import Runs

        runs = Runs()
        return await self._ended_with_task(
            lambda: self.box.run(
                argv, cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes,
                structured=structured, ask=ask, runs=runs,
            ),
            runs.cancel,
        )  # fmt: skip

    async def observe(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        preset: str | None = None,
        assume_yes: bool = False,
        ask: Asker | None = None,
        real: bool = False,
    ) -> Observation:
        return await self._ended_with_task(
            lambda: self.box.observe(
                argv, cwd=cwd, stdin=stdin, timeout_s=timeout_s, preset=preset,
                assume_yes=assume_yes, ask=ask, real=real,
            ),
            None,
        )  # fmt: skip

    async def preview(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        ask: Asker | None = None,
    ) -> Preview:
        return await self._ended_with_task(
            lambda: self.box.preview(argv, cwd=cwd, stdin=stdin, timeout_s=timeout_s, ask=ask), None
        )

    async def _ended_with_task(
        self, work: Callable[[], Done], cancel: Callable[[], None] | None
    ) -> Done:
        """Work in a thread of its own: runs mostly wait, so they are not held to the few of the loop."""
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(MAX_RUNS, thread_name_prefix="atip-run")
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if cancel is not None:
                cancel()
            raise

    async def run_intent(
        self,
        request: str,
        values: Mapping[str, object] | None = None,
        *,
        tool: str | None = None,
        number: int | None = None,
        options: CallOptions | None = None,
        ask: Asker | None = None,
    ) -> IntentResult:
        return await asyncio.to_thread(
            self.box.run_intent, request, values, tool=tool, number=number, options=options, ask=ask
        )

    async def call(
        self,
        call: object,
        *,
        provider: str = "",
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_bytes: int | None = None,
        ask: Asker | None = None,
    ) -> Result:
        return await asyncio.to_thread(
            self.box.call, call,
            provider=provider, cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes, ask=ask,
        )  # fmt: skip
