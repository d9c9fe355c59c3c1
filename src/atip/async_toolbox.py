"""AsyncToolbox: the same methods for callers that live in an event loop.

Each call runs the synchronous one in a worker thread, so that nothing blocks the loop. Cancelling a task that
awaits `run` ends the program; other calls go on in their thread to their own deadline. What `Toolbox` offers as
properties (`registries`, `apis`, `intents`, …), and what makes objects and does no work, is reached through `box`.

    box = atip.AsyncToolbox()
    explanation = await box.explain("git push --force")
    result = await box.run(["git", "status"])
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from atip.toolbox import Toolbox

MAX_RUNS = 64
"""Programs that run at once; further ones wait their turn."""

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import ThreadPoolExecutor

    Done = TypeVar("Done")

    from atip.discovery.mcp.configs import McpConfigs
    from atip.discovery.report import ScanPlan, ScanReport
    from atip.discovery.scan import Progress, ScanOptions
    from atip.discovery.sources.native import NativeAnswer
    from atip.discovery.sources.source_order import SourceFinding
    from atip.execution.call import CallOptions, ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.search.index import SearchHit
    from atip.toolbox import Explanation, IntentResult, Observation, Preview, SyncedRegistries
    from atip.trust.options import VerifyOptions


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

    async def plan_scan(self, options: ScanOptions | None = None) -> ScanPlan:
        return await asyncio.to_thread(self.box.plan_scan, options)

    async def sync(
        self, *, approve: Sequence[str] = (), prefetch: Sequence[str] = (), refresh: bool = True
    ) -> SyncedRegistries:
        return await asyncio.to_thread(
            self.box.sync, approve=approve, prefetch=prefetch, refresh=refresh
        )

    async def list(self) -> Sequence[dict[str, Any]]:
        return await asyncio.to_thread(self.box.list)

    async def find(self, name: str) -> Tool | None:
        return await asyncio.to_thread(self.box.find, name)

    async def get(self, name: str, words: Sequence[str] = ()) -> Tool:
        return await asyncio.to_thread(self.box.get, name, words)

    async def get_document(
        self, name: str, words: Sequence[str] = (), *, only: bool = False
    ) -> dict[str, Any]:
        return await asyncio.to_thread(self.box.get_document, name, words, only=only)

    async def with_claims(self, document: dict[str, Any], *, every: bool = False) -> dict[str, Any]:
        return await asyncio.to_thread(self.box.with_claims, document, every=every)

    async def document_pieces(self, name: str) -> Sequence[bytes | memoryview]:
        return await asyncio.to_thread(self.box.document_pieces, name)

    async def resolve(self, name: str) -> dict[str, Any]:
        return await asyncio.to_thread(self.box.resolve, name)

    async def locate(self, name: str, *, real: bool = True) -> str:
        return await asyncio.to_thread(self.box.locate, name, real=real)

    async def get_part(self, name: str, commands: Sequence[str]) -> Tool:
        return await asyncio.to_thread(self.box.get_part, name, commands)

    async def probe(self, name: str, *, force: bool = False) -> NativeAnswer:
        return await asyncio.to_thread(self.box.probe, name, force=force)

    async def infer(self, name: str) -> SourceFinding:
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
    ) -> Sequence[SearchHit]:
        return await asyncio.to_thread(
            self.box.search, words, limit,
            tool=tool, having=having, lacking=lacking, accept=accept, available=available,
        )  # fmt: skip

    async def build_search_index(self, progress: Progress | None = None) -> None:
        await asyncio.to_thread(self.box.build_search_index, progress)

    async def forget(self, names: Sequence[str]) -> Sequence[str]:
        return await asyncio.to_thread(self.box.forget, names)

    async def mcp_servers(self) -> McpConfigs:
        return await asyncio.to_thread(self.box.mcp_servers)

    async def verify(self, name: str) -> Verdict:
        return await asyncio.to_thread(self.box.verify, name)

    async def verify_file(
        self, path: str, *, tool: Tool | None = None, options: VerifyOptions | None = None
    ) -> Verdict:
        return await asyncio.to_thread(self.box.verify_file, path, tool=tool, options=options)

    async def explain(
        self, line: str, *, cwd: str | None = None, preset: str | None = None, once: bool = False
    ) -> Explanation:
        return await asyncio.to_thread(self.box.explain, line, cwd=cwd, preset=preset, once=once)

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_bytes: int | None = None,
        structured: bool = False,
        ask: ConsentPrompt | None = None,
    ) -> Result:
        """As `Toolbox.run`; many may run at once, and cancelling the task ends the program."""
        from atip.execution.runs import ActiveRuns

        runs = ActiveRuns()
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
        ask: ConsentPrompt | None = None,
        real: bool = False,
        answers: Mapping[str, bytes] | None = None,
    ) -> Observation:
        return await self._ended_with_task(
            lambda: self.box.observe(
                argv, cwd=cwd, stdin=stdin, timeout_s=timeout_s, preset=preset,
                assume_yes=assume_yes, ask=ask, real=real, answers=answers,
            ),
            None,
        )  # fmt: skip

    async def save_observation(self, seen: Observation) -> str:
        return await asyncio.to_thread(self.box.save_observation, seen)

    async def preview_call(
        self, call: ProgramCall, *, preset: str | None = None, ask: ConsentPrompt | None = None
    ) -> Preview:
        return await self._ended_with_task(
            lambda: self.box.preview_call(call, preset=preset, ask=ask), None
        )

    async def preview(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        ask: ConsentPrompt | None = None,
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
        ask: ConsentPrompt | None = None,
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
        ask: ConsentPrompt | None = None,
    ) -> Result:
        return await asyncio.to_thread(
            self.box.call, call,
            provider=provider, cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes, ask=ask,
        )  # fmt: skip
