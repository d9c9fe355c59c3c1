"""Scan: find every tool on the machine, read it once, probe it confined, store its metadata.

(1) choose directories        (5) probe candidates: `--agent`, confined
(2) list executables          (6) find metadata for every name
(3) nothing changed? done     (7) store entries and metadata
(4) read new files once       (8) remember
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.discovery.files.directories import choose_directories
from atip.discovery.files.executables import list_executables
from atip.discovery.files.listing import DirectoryListing
from atip.discovery.files.safety import path_entries
from atip.discovery.memory import Answers, FileContent, ScanMemory
from atip.discovery.report import ScanPlan, ScanReport, render_summary
from atip.discovery.unchanged import salt_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.discovery.files.content import ContentReader
    from atip.discovery.files.directories import Directories
    from atip.discovery.files.executables import Executable, Executables
    from atip.discovery.files.stubs import Stub
    from atip.discovery.findings.learner import LearningTarget, SourceQuery
    from atip.discovery.findings.memory import FindingsMemory
    from atip.discovery.sources.native import NativeAnswer, ProbeAnswer
    from atip.discovery.store_writer import StoreWriter

    Progress = Callable[[str, int, int], None]


class ScanOptions(Value):
    """Options of a scan."""

    paths: tuple[str, ...] = ()
    """Directories named by the user; empty: PATH and the configured ones."""
    only: tuple[str, ...] = ()
    """Names to look at; empty: all."""
    refresh: bool = False
    """Probe again even what is unchanged."""
    learn: bool = False
    """Use the sources that run programs too."""
    jobs: int = 0
    """Confinements at work; 0: two per processor."""


class Scanner:
    """One scan. Holds what the steps hand to each other."""

    def __init__(
        self,
        options: ScanOptions,
        *,
        config: Mapping[str, Any],
        cache: str,
        environment_path: str,
        findings: FindingsMemory,
        progress: Progress | None = None,
    ) -> None:
        self.options = options
        self.findings = findings
        self.config = config
        self.cache = cache
        self.environment_path = environment_path
        self.progress = progress or (lambda stage, done, total: None)
        self._answers: Answers | None = None
        self.contents: dict[str, FileContent] = {}

    @property
    def answers(self) -> Answers:
        """Earlier answers by digest; loaded on first use."""
        if self._answers is None:
            self._answers = Answers(self.cache)
        return self._answers

    def directories(self) -> Directories:
        """(1) Directories named by the user, or configured, or those of PATH."""
        if self.options.paths:
            paths = [os.path.abspath(path) for path in self.options.paths]
            return choose_directories(paths, is_explicit=True)
        configured = self.config.get("paths")
        if configured:
            return choose_directories(
                [os.path.expanduser(path) for path in configured], is_explicit=True
            )
        extra = [os.path.expanduser(path) for path in self.config.get("extraPaths", ())]
        return choose_directories(path_entries(self.environment_path, extra))

    def executables(self, listing: DirectoryListing) -> Executables:
        """(2) Names and files, by the user's lists."""
        allow = self.options.only or tuple(self.config.get("allow", ()))
        return list_executables(listing, allow=allow, deny=self.config.get("deny", ()))

    def memory(self, directories: Directories) -> ScanMemory:
        """Memory of the last scan with the same options."""
        lists = [self.config.get(name, ()) for name in ("allow", "deny", "skip")]
        salt = salt_of(self.options.only, self.options.learn, lists)
        return ScanMemory(self.cache, directories.chosen, salt)

    def read(self, programs: Sequence[Executable], memory: ScanMemory) -> None:
        """(4) Digest and marks of every file that is new or changed; each inode once."""
        from atip.discovery.files.content import ContentReader

        reader = ContentReader()
        by_key: dict[tuple[int, ...], FileContent | None] = {}
        for index, program in enumerate(programs):
            self.progress("reading", index, len(programs))
            content = memory.content_of(program)
            if content is None and program.key not in by_key:
                by_key[program.key] = self._read_file(program, reader)
            content = content or by_key[program.key]
            if content is not None:
                self.contents[program.path] = content

    def _read_file(self, program: Executable, reader: ContentReader) -> FileContent | None:
        from atip.discovery.files.stubs import parse_stub
        from atip.errors import AtipError

        try:
            read = reader.read(program.real_path)
        except AtipError:
            return None
        stub = parse_stub(program.real_path, read.head, read.script)
        is_candidate = read.is_candidate or self._stub_is_candidate(program, stub, reader)
        return FileContent(digest=read.digest, is_candidate=is_candidate, stub=stub)

    def _stub_is_candidate(self, program: Executable, stub: Stub, reader: ContentReader) -> bool:
        from atip.discovery.files.stubs import sources

        if stub.module is None and stub.target is None and stub.language != "node":
            return False
        return any(reader.holds_marks(path) for path in sources(program.real_path, stub))

    def candidates(self, programs: Sequence[Executable]) -> list[Executable]:
        """Programs to execute in step (5): with the marks, not skipped, without an earlier answer."""
        skip = set(self.config.get("skip", ()))
        chosen: dict[str, Executable] = {}
        for program in programs:
            content = self.contents.get(program.path)
            if content is None or not content.is_candidate or program.name in skip:
                continue
            digest = content.digest
            if self.answers.get(digest) is not None and not self.options.refresh:
                continue
            # A link and its target have one digest: probe under the file's own name.
            if digest not in chosen or (chosen[digest].is_link and not program.is_link):
                chosen[digest] = program
        return list(chosen.values())

    def plan(self) -> ScanPlan:
        """List the programs that a scan would execute (`--dry-run`)."""
        directories = self.directories()
        listing = DirectoryListing(directories.chosen)
        executables = self.executables(listing)
        memory = self.memory(directories)
        if memory.is_current(listing.fingerprint) and not self.options.refresh:
            return ScanPlan(program_count=len(executables.programs), commands=())
        self.read(executables.programs, memory)
        commands = tuple(
            (candidate.path, "--agent") for candidate in self.candidates(executables.programs)
        )
        return ScanPlan(program_count=len(executables.programs), commands=commands)

    def run(
        self,
        *,
        open_writer: Callable[[], StoreWriter],
        open_prober: Callable[[Sequence[str]], Any],
        open_finder: Callable[[Sequence[Executable]], SourceQuery],
    ) -> ScanReport:
        """All steps. What an unchanged machine does not need is not even opened.

        Raises:
            SandboxError: when something must be executed and cannot be confined.
        """
        directories = self.directories()
        listing = DirectoryListing(directories.chosen)
        memory = self.memory(directories)
        if memory.is_current(listing.fingerprint) and not self.options.refresh:  # (3)
            return ScanReport.unchanged(memory.summary)
        executables = self.executables(listing)
        report = ScanReport(directories, executables)
        self.read(executables.programs, memory)
        files = {program.path: program for program in executables.programs}
        read = {path: (files[path], content) for path, content in self.contents.items()}
        memory.save_files(read)
        writer = open_writer()
        native = self._ask(self.candidates(executables.programs), open_prober, writer, report)
        self.answers.save()
        self._learn(executables.programs, native, writer, open_finder(executables.programs), report)
        if not self.options.only:
            self._forget_missing(writer, report, memory)
        if report.removed or writer.has_moved:
            memory.forget_others()
        summary = report.summary()
        text = render_summary({**summary, "executed": 0, "unchanged": True, "removed": []})
        memory.save(listing.fingerprint, {**summary, "removed": []}, text)  # (8)
        return report

    def _forget_missing(self, writer: StoreWriter, report: ScanReport, memory: ScanMemory) -> None:
        """Tools that are gone, with what was remembered of them; a copy in another directory still needs it."""
        for digest, name in writer.forget_missing():
            report.removed.append(name)
            if not memory.has_copy(digest, name):
                self.findings.forget(digest, name)

    def _ask(
        self,
        candidates: Sequence[Executable],
        open_prober: Callable[[Sequence[str]], Any],
        writer: StoreWriter,
        report: ScanReport,
    ) -> dict[str, NativeAnswer]:
        """(5) `--agent`, confined. The marks show which programs can answer, so no program is probed twice."""
        native: dict[str, NativeAnswer] = {}
        if not candidates:
            return native
        from atip.discovery.sources.native import offers_parts
        from atip.discovery.visibility import visible_paths
        from atip.sandbox.probes.probe import Probe

        probes = [Probe(argv=(candidate.real_path, "--agent")) for candidate in candidates]
        stubs = {candidate.path: self.contents[candidate.path].stub for candidate in candidates}
        with open_prober(visible_paths(candidates, stubs)) as prober:
            large_programs: list[Executable] = []
            for count, (position, answer) in enumerate(prober.run_all(probes), 1):
                program = candidates[position]
                self.progress("asking", count, len(candidates))
                if answer.truncated and offers_parts(answer):
                    large_programs.append(
                        program
                    )  # probed for a smaller answer once the sandbox is free again
                else:
                    self._accept(program, answer, native, writer, report)
            for program in large_programs:
                answer = prober.run([program.real_path, "--agent", "--depth=1"])
                self._accept(program, answer, native, writer, report)
        return native

    def _accept(
        self,
        program: Executable,
        answer: ProbeAnswer,
        native: dict[str, NativeAnswer],
        writer: StoreWriter,
        report: ScanReport,
    ) -> None:
        """Take an answer, if it counts for the bytes that were hashed."""
        from atip.system.files import stat_key

        report.ran.add(program.path)
        digest = self.contents[program.path].digest
        # SECURITY: a file that changed while it was probed is probed again at the next scan.
        if stat_key(os.stat(program.real_path)) != program.key:
            report.warn(program.name, "probe.file-changed")
            self.contents.pop(program.path, None)
            return
        judgment = self._judge(program, answer, digest, writer, report)
        if judgment is not None:
            native[digest] = judgment

    def _judge(
        self,
        program: Executable,
        answer: ProbeAnswer,
        digest: str,
        writer: StoreWriter,
        report: ScanReport,
    ) -> NativeAnswer | None:
        from atip.discovery.sources.native import answer_digest, judge_answer
        from atip.errors import ProbeError

        try:
            judgment = judge_answer(program.name, answer)
        except ProbeError as error:
            self.answers.put(digest, error.code)
            report.add_refusal(program.name, error.code, error.message)
            return None
        if judgment.renamed_from is not None:
            report.warn(program.name, "probe.name-mismatch")
        before = writer.native_digest(digest)
        if before is not None and before != answer_digest(judgment.tool):
            # SECURITY: the same bytes now describe themselves otherwise (a rug pull): keep the old.
            report.warn(program.name, "probe.changed-answer")
            return None
        self.answers.put(digest, "native")
        return judgment

    def _learn(
        self,
        programs: Sequence[Executable],
        native: dict[str, NativeAnswer],
        writer: StoreWriter,
        find: SourceQuery,
        report: ScanReport,
    ) -> None:
        """(6) and (7): what is known of every name, and where it is kept."""
        from atip.discovery.findings.learner import ScanLearner

        for program in programs:
            if program.path not in self.contents:
                report.unreadable(program.path)
        learner = ScanLearner(
            find,
            writer,
            report,
            progress=self.progress,
            learn=self.options.learn,
            refresh=self.options.refresh,
            jobs=self.options.jobs,
        )
        learner.run(self._programs(programs, native))

    def _programs(
        self, executables: Sequence[Executable], native: dict[str, NativeAnswer]
    ) -> list[LearningTarget]:
        from collections import Counter

        from atip.discovery.findings.learner import LearningTarget
        from atip.discovery.sources.source_order import ProbeSubject

        names = Counter(content.digest for content in self.contents.values())
        programs = []
        for executable in executables:
            content = self.contents.get(executable.path)
            if content is None:
                continue
            answer = native.get(content.digest)
            subject = ProbeSubject(
                name=executable.name,
                path=executable.path,
                real_path=executable.real_path,
                digest=content.digest,
                stub=content.stub,
                known_native=answer.tool if answer else None,
            )
            is_shared = names[content.digest] > 1
            programs.append(LearningTarget(file=executable, subject=subject, is_shared=is_shared))
        return programs
