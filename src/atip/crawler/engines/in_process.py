"""Local processes: one per processor. When a worker dies, only its job is lost."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from atip.errors import ExecutionError
from atip.system.programs.processes import end_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    from atip.crawler.engines.interface import EngineAnswer

AHEAD = 3
"""Orders waiting for each worker: enough to keep it busy while the next packages are fetched."""
RECYCLE = 200
"""Jobs after which a worker is replaced, to free the memory that packages left behind."""


class ProcessEngine:
    """A pool of workers; a broken one is replaced."""

    def __init__(self, jobs: int = 0) -> None:
        self._jobs = jobs or max(1, len(os.sched_getaffinity(0)))

    def run(
        self, task: Callable[[bytes], bytes], orders: Iterable[bytes]
    ) -> Iterator[EngineAnswer]:
        queue = iter(orders)
        unfinished: list[bytes] = []
        while True:
            pool = _Pool(task, queue, self._jobs)
            yield from pool.run()
            unfinished += pool.lost
            if not pool.lost:
                break
        # SECURITY: another job may have killed the worker, so each lost job runs once more, alone.
        for order in unfinished:
            single = _Pool(task, iter([order]), 1)
            yield from single.run()
            if single.lost:
                reason = "the worker died twice while processing this package"
                yield order, ExecutionError("crawl.worker-died", reason)


class _Pool:
    """Processes until the queue is empty or one of them has died."""

    def __init__(self, task: Callable[[bytes], bytes], queue: Iterator[bytes], jobs: int) -> None:
        self._task = task
        self._queue = queue
        self._jobs = jobs
        self._waiting: dict[Future[bytes], bytes] = {}
        self.lost: list[bytes] = []
        """Orders that were under way when a worker died."""

    def run(self) -> Iterator[EngineAnswer]:
        context = multiprocessing.get_context("forkserver")
        pool = ProcessPoolExecutor(
            self._jobs, mp_context=context, max_tasks_per_child=RECYCLE,
            initializer=end_with, initargs=(os.getpid(),),
        )  # fmt: skip
        try:
            while self._fill(pool):
                finished, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    failure = future.exception()
                    if isinstance(failure, BrokenProcessPool):
                        self.lost = list(self._waiting.values())
                        return
                    order = self._waiting.pop(future)
                    yield order, failure if failure is not None else future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _fill(self, pool: ProcessPoolExecutor) -> bool:
        """Keep every worker busy; false when nothing is left to wait for."""
        while len(self._waiting) < self._jobs * AHEAD:
            order = next(self._queue, None)
            if order is None:
                break
            try:
                self._waiting[pool.submit(self._task, order)] = order
            except BrokenProcessPool:
                self.lost = [order]
                break
        return bool(self._waiting)
