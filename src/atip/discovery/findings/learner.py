"""Learner: every program of a scan, the most used first, each kept as soon as it is known.

What has not changed since it was kept is not looked at again; an interrupt ends the questions under way and keeps the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atip.discovery.findings.popular import rank_of
from atip.model.value import Value
from atip.system.clock import monotonic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from atip.discovery.files.executables import Executable
    from atip.discovery.report import ScanReport
    from atip.discovery.sources.source_order import ProbeSubject, SourceFinding

    class SourceQuery(Protocol):
        """All sources as one function; `metadata_finder.MetadataFinder` is one."""

        def __call__(self, subject: ProbeSubject) -> SourceFinding | None: ...
        def by_summary(self, subject: ProbeSubject) -> SourceFinding | None: ...
        def inputs(self, subject: ProbeSubject) -> str: ...
        def stop(self) -> None: ...
        @property
        def probed(self) -> set[str]: ...

    Progress = Callable[[str, int, int], None]

FLUSH_S = 0.9
"""Seconds between flushes of findings; a killed scan has to repeat what was not flushed."""


class LearningTarget(Value):
    """One name to learn about."""

    file: Executable
    subject: ProbeSubject
    is_shared: bool
    """Whether other names have the same bytes."""


class ScanLearner:
    """One pass over all programs of a scan."""

    def __init__(
        self,
        find: SourceQuery,
        writer: Any,
        report: ScanReport,
        *,
        progress: Progress,
        learn: bool,
        refresh: bool,
        jobs: int,
    ) -> None:
        """
        Args:
            learn: programs are run; with several threads, as they are waited for.
            refresh: look again at what has not changed.
        """
        self._find = find
        self._writer = writer
        self._report = report
        self._progress = progress
        self._learn = learn
        self._refresh = refresh
        self._jobs = jobs
        self._flushed = monotonic()
        self._pending: dict[Future[SourceFinding | None], LearningTarget] = {}
        """Programs being learned, and results not yet stored."""

    def run(self, programs: Sequence[LearningTarget]) -> None:
        """Keep what is known of every program."""
        changed = [program for program in programs if not self._keep_unchanged(program)]
        # Large programs have the most commands: the last to be learned should be short.
        changed.sort(key=lambda program: (rank_of(program.file.name), -program.file.size))
        stage = "learning" if self._learn else "looking"
        try:
            for count, (program, finding) in enumerate(self._findings(changed), 1):
                self._keep(program, finding)
                self._progress(stage, count, len(changed))
        except BaseException:
            self._keep_finished()
            raise
        finally:
            self._report.ran |= self._find.probed
            self._writer.flush()

    def _keep_unchanged(self, program: LearningTarget) -> bool:
        subject = program.subject
        if self._refresh or subject.known_native is not None:
            return False
        source_kind = self._writer.reuse_unchanged(
            subject,
            lambda: self._find.inputs(subject),
            learned=self._learn,
            key=program.file.key,
        )
        if source_kind is not None:
            self._report.add_unchanged(source_kind)
        return source_kind is not None

    def _keep(self, program: LearningTarget, finding: SourceFinding | None) -> None:
        subject = program.subject
        self._writer.write(
            subject,
            finding,
            shared=program.is_shared,
            key=program.file.key,
            inputs=lambda: self._find.inputs(subject),
            learned=self._learn,
        )
        self._report.add_finding(program.file.name, finding)
        if monotonic() - self._flushed > FLUSH_S:
            self._writer.flush()
            self._flushed = monotonic()

    def _look(self, subject: ProbeSubject) -> SourceFinding | None:
        return self._find(subject) or self._find.by_summary(subject)

    def _findings(
        self, programs: Sequence[LearningTarget]
    ) -> Iterator[tuple[LearningTarget, SourceFinding | None]]:
        """As they come; with several threads where programs are run and waited for."""
        if not self._learn:
            yield from ((program, self._look(program.subject)) for program in programs)
            return
        from concurrent.futures import ThreadPoolExecutor, as_completed

        from atip.sandbox.probes.probe import default_jobs

        pool = ThreadPoolExecutor(self._jobs or default_jobs())
        pending = {pool.submit(self._look, program.subject): program for program in programs}
        self._pending = pending
        try:
            for future in as_completed(list(pending)):
                yield pending[future], future.result()
                del pending[future]
        except BaseException:
            self._find.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _keep_finished(self) -> None:
        """Store results that were learned before the scan was interrupted."""
        for future, program in self._pending.items():
            is_known = future.done() and not future.cancelled() and future.exception() is None
            if is_known:
                self._keep(program, future.result())
