"""The metadata finder of one machine: all sources, the user's overrides, and the summaries, as one function of a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.discovery.findings.memory import conditions_of
from atip.discovery.findings.source import RememberedSource, StopSignal
from atip.discovery.frameworks import EXECUTING, executing_sources
from atip.discovery.sources.command_files import CommandFiles
from atip.discovery.sources.knowledge_source import storable
from atip.discovery.sources.source_order import OUTRANKS_KNOWLEDGE, SourceFinding, find_metadata
from atip.discovery.sources.stored_sources import apply_override
from atip.model.tool import Tool, Trust
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.discovery.findings.memory import FindingsMemory
    from atip.discovery.sources.source_order import MetadataSource, ProbeSubject
    from atip.discovery.sources.stored_sources import OverrideSource
    from atip.discovery.summaries.sources import SummarySources


class MetadataFinder:
    """Queries every source about one program; see `source_order.find_metadata`."""

    def __init__(
        self,
        readers: Sequence[MetadataSource],
        *,
        override: OverrideSource,
        summaries: SummarySources,
        memory: FindingsMemory,
        prober: Any = None,
        refresh: bool = False,
        search_path: Sequence[str] = (),
    ) -> None:
        """
        Args:
            readers: sources that run nothing.
            prober: runs programs, confined; None: those that run programs answer from memory.
            refresh: query again what is cached.
            search_path: the folders of PATH.
        """
        self._command_files = CommandFiles(search_path)
        self._signal = StopSignal(prober.close if prober is not None else lambda: None)
        self._memory = memory
        self._override = override
        self._summaries = summaries
        self._readers = [override, *readers]
        sources = executing_sources(prober) if prober is not None else [None] * len(EXECUTING)
        self._executing = [
            RememberedSource(
                memory,
                name=name,
                source_kind=source_kind,
                source=source,
                refresh=refresh,
                signal=self._signal,
            )
            for (name, source_kind), source in zip(EXECUTING, sources, strict=True)
        ]

    def __call__(self, subject: ProbeSubject) -> SourceFinding | None:
        """Metadata of a program, with the user's partial override merged over it."""
        finding = find_metadata(
            subject,
            [*self._readers, *self._executing],
            may_execute=False,
            merge_knowledge=storable,
            summarize=self._summaries,
        )
        if finding is None or finding.source_kind == "override":
            return finding
        if finding.source_kind not in OUTRANKS_KNOWLEDGE:
            tool = self._command_files.without_absent(finding.tool, subject)
            finding = finding.replace(tool=tool)
        partial = self._override.find(subject)
        if partial is None:
            return finding
        return finding.replace(tool=apply_override(finding.tool, partial))

    def by_summary(self, subject: ProbeSubject) -> SourceFinding | None:
        """A program that no source describes, by the one line that its package or our own list has for it."""
        line = self._summaries.find(subject, {})
        if not line:
            return None
        trust = Trust(source="inferred", verified=False)
        tool = Tool(name=subject.name, version="unknown", description=line, trust=trust)
        return SourceFinding(tool=tool, source_kind="summary")

    def inputs(self, subject: ProbeSubject) -> str:
        """Changes when the answer may: with our release, the program, and every text that is read about it."""
        texts = [_fingerprint(reader, subject) for reader in self._readers]
        all_inputs = [
            subject.name,
            subject.digest,
            conditions_of(subject),
            self._memory.stamp(subject),
            self._command_files.fingerprint(subject),
            *texts,
        ]
        return sha256_hex("\n".join(all_inputs).encode("utf-8", "surrogateescape"))[:32]

    def stop(self) -> None:
        """Stop running probes; calls in progress raise `ScanStopped`."""
        self._signal.stop()

    @property
    def probed(self) -> set[str]:
        """Paths of the programs that were run."""
        return set().union(*(source.probed for source in self._executing))


def _fingerprint(reader: MetadataSource, subject: ProbeSubject) -> str:
    """Fingerprint of the inputs of a source, if it has one; else its answer."""
    tell = getattr(reader, "fingerprint", None)
    if tell is not None:
        return str(tell(subject))
    answer = reader.ask(subject)
    if answer is None:
        return "-"
    from atip.discovery.sources.native import answer_digest

    return answer_digest(answer)
