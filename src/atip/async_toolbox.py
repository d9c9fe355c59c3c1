"""AsyncToolbox: the same methods for callers that live in an event loop.

Each call runs the synchronous one in a worker thread, so that nothing blocks the loop. Cancelling the
awaiting task does not stop the thread; runs have deadlines of their own.
"""

from __future__ import annotations

import asyncio

from atip.toolbox import Toolbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from atip.cmp_running import IntentResult
    from atip.discovery.ladder import Finding
    from atip.discovery.native import NativeAnswer
    from atip.discovery.report import ScanReport
    from atip.discovery.scan import Progress, ScanOptions
    from atip.execution.result import Result
    from atip.model.tool import Tool
    from atip.search.index import Hit


class AsyncToolbox:
    """Mirrors `Toolbox`; `box` is the one that does the work."""

    def __init__(
        self, *, home: str | None = None, offline: bool | None = None, policy: str | None = None
    ) -> None:
        self.box = Toolbox(home=home, offline=offline, policy=policy)

    async def scan(
        self, options: ScanOptions | None = None, *, progress: Progress | None = None
    ) -> ScanReport:
        return await asyncio.to_thread(self.box.scan, options, progress=progress)

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

    async def search(self, words: str, limit: int = 5, **filters: Any) -> Sequence[Hit]:
        return await asyncio.to_thread(self.box.search, words, limit, **filters)

    async def forget(self, names: Sequence[str]) -> Sequence[str]:
        return await asyncio.to_thread(self.box.forget, names)

    async def run(self, argv: Sequence[str], **options: Any) -> Result:
        return await asyncio.to_thread(self.box.run, argv, **options)

    async def run_intent(self, request: str, values: Any = None, **options: Any) -> IntentResult:
        return await asyncio.to_thread(self.box.run_intent, request, values, **options)

    async def call(self, call: object, **options: Any) -> Result:
        return await asyncio.to_thread(self.box.call, call, **options)
