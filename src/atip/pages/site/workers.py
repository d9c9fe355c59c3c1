"""Many tools rendered and written at once, each by one of several processes; few are done in this one.

A worker reads the shims of a tool, makes its pages and writes them. What comes back is small: a summary for lists,
search and feeds.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TYPE_CHECKING, Any

from atip.calls.effects.ceiling import Claim, EffectCause
from atip.errors import AtipError
from atip.model.reading.wire import WIRE
from atip.model.value import Value
from atip.pages.rendering import Renderer, load_assets
from atip.pages.site.folder import SiteFolder
from atip.pages.site.published import CatalogEntry, open_registry, read_tool
from atip.pages.site.quick_values import quicken
from atip.pages.site.tool_pages import describe_tools, render_pages
from atip.system.programs.processes import end_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from concurrent.futures import Future

    from atip.pages.site.published import PublishedTool

    Failure = tuple[str, str, str]
    """Code, message and hint: an error of ours does not travel between processes."""

_MANY = 200
"""From so many tools on, processes are worth their start."""
_MAX_JOBS = 8
_CHUNK = 64
"""Tools of one group at most; all their pages are held before the first is written."""
_PER_JOB = 4
"""Groups for each process at least, so that all end at about the same time."""
_AHEAD = 3
"""Chunks under way for each process, so that none waits."""
_RARELY = (200_000, 20, 100)
"""Thresholds of the garbage collector: a build makes millions of values that hold no cycles, and each would be visited
again and again."""


class ToolOrder(Value):
    """A tool whose pages may have to be made."""

    entry: CatalogEntry
    mark: str
    """Digest of the data of the last build; empty: the pages must be made."""


class ToolResult(Value):
    """Result for one tool."""

    name: str
    mark: str
    summary: dict[str, Any] | None
    """None: the pages are those of last time."""
    written: int = 0


class WorkPlace(Value):
    """Settings that all workers share."""

    registry: str
    out: str
    site: Mapping[str, Any]
    is_first: bool


class ToolWorker:
    """Makes the pages of some tools at a time."""

    def __init__(self, place: WorkPlace) -> None:
        quicken(*WIRE, Claim, EffectCause)
        self._store = open_registry(place.registry)
        self._renderer = Renderer(place.site, load_assets())
        self._folder = SiteFolder(place.out, is_first=place.is_first)

    def work(self, orders: Iterable[ToolOrder]) -> list[ToolResult]:
        """Read all, describe all, render all, write all: each step is quicker while the processor has its code at hand."""
        results: list[ToolResult] = []
        changed: list[tuple[str, PublishedTool]] = []
        for order in orders:
            published = read_tool(self._store, order.entry)
            mark = published.mark
            if mark == order.mark:
                results.append(ToolResult(name=published.name, mark=mark, summary=None))
            else:
                changed.append((mark, published))
        described = describe_tools([published for _, published in changed])
        rendered = render_pages(described, self._renderer)
        for (mark, published), pages, files in zip(changed, described, rendered, strict=True):
            written, summary = self._folder.write(files), pages.summary
            results.append(
                ToolResult(name=published.name, mark=mark, summary=summary, written=written)
            )
        return results


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Fewer passes of the garbage collector until the block ends."""
    before = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def work_all(orders: list[ToolOrder], place: WorkPlace, jobs: int = 0) -> Iterator[ToolResult]:
    """The result of each order, in any order.

    Args:
        jobs: how many processes; 0 chooses by the number of tools and processors.

    Raises:
        AtipError: `site.worker`; whatever reading the registry raises.
        OSError: a file cannot be written.
    """
    jobs = jobs or (min(_MAX_JOBS, _processors()) if len(orders) >= _MANY else 1)
    if jobs > 1:
        return _work_apart(orders, place, jobs)
    worker = ToolWorker(place)
    queue = iter(orders)
    chunks = iter(lambda: list(islice(queue, _CHUNK)), [])
    return (result for chunk in chunks for result in worker.work(chunk))


def _work_apart(orders: list[ToolOrder], place: WorkPlace, jobs: int) -> Iterator[ToolResult]:
    size = max(1, min(_CHUNK, len(orders) // (jobs * _PER_JOB)))
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start, initargs=(place, os.getpid())
    )
    queue = iter(orders)
    waiting: set[Future[list[ToolResult] | Failure]] = set()
    try:
        while True:
            while len(waiting) < jobs * _AHEAD and (chunk := list(islice(queue, size))):
                waiting.add(pool.submit(_work_chunk, chunk))
            if not waiting:
                return
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                yield from _results(future)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _results(future: Future[list[ToolResult] | Failure]) -> list[ToolResult]:
    try:
        found = future.result()
    except BrokenProcessPool as error:
        hint = "the machine may be short of memory; run it again"
        raise AtipError("site.worker", "a process that renders pages ended", hint=hint) from error
    if isinstance(found, tuple):
        code, message, hint = found
        raise AtipError(code, message, hint=hint)
    return found


_worker: ToolWorker | None = None


def _start(place: WorkPlace, host: int) -> None:
    """In a new process."""
    end_with(host)
    gc.set_threshold(*_RARELY)
    global _worker  # noqa: PLW0603 - one worker for the life of the process
    _worker = ToolWorker(place)


def _work_chunk(orders: list[ToolOrder]) -> list[ToolResult] | Failure:
    assert _worker is not None
    try:
        return _worker.work(orders)
    except AtipError as error:
        return error.code, error.message, error.hint


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
