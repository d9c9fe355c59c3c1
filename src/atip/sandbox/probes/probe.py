"""Probe sandbox: run many foreign programs with `--help`, `--agent` or `--version`, confined.

    with ProbeSandbox(visible=["/opt/tools"]) as box:
        result = box.run(["/opt/tools/gh", "--agent"])

One sandbox serves many probes, so a probe costs a spawn and not a sandbox. Inside, a supervisor
(supervisor.py) ends everything and empties the scratch directories after each one. No network,
empty home, read-only system, closed stdin, no terminal, limits from `PROBE`. A probe is never run
unconfined and never tried twice: if its sandbox dies, it failed, and the next gets a fresh one.
Output is bytes as the program wrote them; reading them strictly is the caller's task.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Self

from atip.errors import SandboxError
from atip.model.permissions.confinement import PROBE, Limits
from atip.model.value import Value
from atip.sandbox.probes.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from atip.sandbox.probes.worker import ProbeResult

HINT_CLOSED = "use it as a context manager and keep probes inside the `with` block"


class Probe(Value):
    """One question to one program. `argv[0]` is an absolute path that is visible inside."""

    argv: tuple[str, ...]
    env_set: Mapping[str, str] = {}
    wall_s: float | None = None
    """`None`: the limit of the sandbox."""


class ProbeSandbox:
    """A few equal confinements (`jobs`), each running one probe at a time.

    `run` may be called from several threads; `run_all` keeps every confinement busy from one.
    Confinements start when first needed and end with the `with` block, with an exception, and
    with this process, however it dies.
    """

    def __init__(
        self,
        *,
        visible: Iterable[str] = (),
        limits: Limits = PROBE.limits,
        jobs: int = 1,
        root: str = "",
    ) -> None:
        """
        Args:
            visible: files and directories outside the system that are shown read-only. Empty:
                the system only.
            root: a folder that is shown instead of this host's system: `usr` and `etc`, complete with the files of
                `system_view.placeholder_files`. Empty: the host's.
        """
        if jobs < 1:
            raise ValueError("jobs must be at least 1")
        self._workers = [Worker(tuple(visible), limits, root) for _ in range(jobs)]
        self._idle = list(self._workers)
        self._changed = threading.Condition()
        self._open = True
        self._limits = limits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every confinement; nothing that ran inside survives this call."""
        self._open = False
        for worker in self._workers:
            worker.close()

    def start(self) -> None:
        """Start the first confinement now, to learn early whether the host can confine at all.

        Raises:
            SandboxError: `sandbox.namespaces-unavailable`, `sandbox.bubblewrap-missing`.
        """
        worker = self._take()
        try:
            worker.ensure()
        finally:
            self._give_back([worker])

    def run(
        self,
        argv: Sequence[str],
        *,
        env_set: Mapping[str, str] | None = None,
        wall_s: float | None = None,
    ) -> ProbeResult:
        """Run one probe and wait for it. A failure of the probe is a result, not an exception.

        Raises:
            SandboxError: when this host cannot confine; nothing was run then.
        """
        worker = self._take()
        try:
            worker.send(tuple(argv), env_set or {}, self._wall(wall_s))
            return worker.receive()
        except BaseException:
            worker.close()  # Ctrl-C in the middle: the probe ends with its namespace
            raise
        finally:
            self._give_back([worker])

    def run_all(self, probes: Iterable[Probe]) -> Iterator[tuple[int, ProbeResult]]:
        """Run many probes on all confinements; yields (position, result) as they finish."""
        from atip.sandbox.probes.worker import wait_for_any

        queue = enumerate(probes)
        busy: dict[Worker, int] = {}
        idle = self._take_all()
        try:
            while True:
                while idle and (following := next(queue, None)) is not None:
                    position, probe = following
                    worker = idle.pop()
                    busy[worker] = position
                    worker.send(probe.argv, probe.env_set, self._wall(probe.wall_s))
                if not busy:
                    return
                worker = wait_for_any(busy)
                result = worker.receive()
                idle.append(worker)
                yield busy.pop(worker), result
        finally:
            for worker in busy:
                worker.close()
            self._give_back([*idle, *busy])

    def _wall(self, wall_s: float | None) -> float:
        limit = self._limits.wall_s if wall_s is None else wall_s
        return 3600.0 if limit is None else limit

    def _take(self) -> Worker:
        with self._changed:
            while self._open and not self._idle:
                self._changed.wait()
            self._check_open()
            return self._idle.pop()

    def _take_all(self) -> list[Worker]:
        with self._changed:
            self._check_open()
            workers, self._idle = self._idle, []
        if not workers:
            raise SandboxError("sandbox.busy", "every worker of this sandbox is busy")
        return workers

    def _give_back(self, workers: list[Worker]) -> None:
        with self._changed:
            self._idle.extend(workers)
            self._changed.notify_all()

    def _check_open(self) -> None:
        if not self._open:
            raise SandboxError("sandbox.closed", "this sandbox is closed", hint=HINT_CLOSED)


def default_jobs() -> int:
    """Confinements worth having on this machine: two for each processor we may use, as one program computes while another waits."""
    return 2 * max(1, len(os.sched_getaffinity(0)))
