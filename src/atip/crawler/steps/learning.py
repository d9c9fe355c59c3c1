"""Learn: collect metadata of one program of a package, running it only inside the sandbox.

The same source order as in a scan of this machine (native answer, framework, completion script, help, manual page,
knowledge), over the package's own files instead of this machine's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.discovery.files.content import ContentReader
from atip.discovery.files.documents import InstalledTexts
from atip.discovery.files.stubs import parse_stub
from atip.discovery.frameworks.cobra_program import CobraSource
from atip.discovery.frameworks.node_package import OclifSource
from atip.discovery.frameworks.python_program import SDK, PythonSource
from atip.discovery.frameworks.self_described import SelfDescribedSource
from atip.discovery.frameworks.yargs_program import YargsSource
from atip.discovery.sources.help_tree import HelpBudget, ProbeCache
from atip.discovery.sources.inference_sources import CompletionSource, HelpSource, ManSource
from atip.discovery.sources.knowledge_source import KnowledgeSource, storable
from atip.discovery.sources.native import judge_answer
from atip.discovery.sources.source_order import ProbeSubject, find_metadata
from atip.discovery.sources.stored_sources import NativeSource
from atip.discovery.summaries.sources import SummarySources
from atip.errors import ProbeError
from atip.model.permissions.confinement import PROBE
from atip.model.value import Value
from atip.sandbox.bubblewrap.system_view import HOST
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.probes.worker import ProbeResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
    from atip.crawler.packages import Package
    from atip.discovery.files.content import Content
    from atip.discovery.sources.source_order import MetadataSource, SourceFinding
    from atip.model.tool import Tool

BUDGET = HelpBudget(questions=120, depth=3, seconds=40.0, failures=4, answer_s=4.0)
SCRIPTS = BUDGET.replace(answer_s=8.0)
JOB_S = 60.0
PROGRAM_S = 2.0
MAX_JOB_S = 900.0
"""CPU time of a job: a minute, and more with many programs; BUDGET limits a single program."""
STRETCH = 4.0
"""Wall-clock limit as a multiple of CPU time: programs may wait, and other work may use the processors."""
OUT_OF_TIME = ProbeResult(exit_code=None, failure="crawl.out-of-time")


class LearnedProgram(Value):
    """Metadata learned about one program."""

    name: str
    digest: str
    finding: SourceFinding | None
    can_help: bool
    """Whether it printed something for `--help`; if so, missing metadata is a defect of inference."""
    ran: bool
    """Whether it could be started at all."""


class PackageRunner:
    """Runs programs of one package, confined. Paths below its root are passed as the program sees them."""

    def __init__(self, box: ProbeSandbox, root: str, environment: Mapping[str, str]) -> None:
        self._box = box
        self._root = root
        self._environment = environment
        self.cpu_left_s = self.clock_left_s = 0.0
        """Time left for the job's probes, CPU and wall clock. Time between probes (this process was stopped, or waited) does
        not count."""
        self.helped: set[str] = set()
        self.started: set[str] = set()

    def run(self, argv: Sequence[str], *, wall_s: float | None = None) -> ProbeResult:
        if self.cpu_left_s < 0 or self.clock_left_s < 0:
            return OUT_OF_TIME
        words = [self._path_inside(word) for word in argv]
        answer = self._box.run(words, env_set=self._environment, wall_s=wall_s)
        self.cpu_left_s -= answer.cpu_s
        self.clock_left_s -= answer.duration_s
        if answer.failure or answer.exit_code in (126, 127):
            return answer  # the loader's message about a missing library is not help text
        self.started.add(argv[0])
        if len(argv) == 2 and len(answer.stdout) + len(answer.stderr) > 80 and not answer.timed_out:
            self.helped.add(argv[0])
        return answer

    def _path_inside(self, word: str) -> str:
        """A path of this machine as the program sees it; any other word as it is."""
        if self._root and word.startswith(self._root + "/"):
            return word[len(self._root) :]
        if self._root and word == SDK and SDK.startswith("/usr/"):
            return HOST + word
        return word


class PackageLearner:
    """Probes the programs of one package. Use as a context manager: it owns a sandbox."""

    def __init__(
        self, layout: PackageLayout, package: Package, *, may_execute: bool, job_s: float = JOB_S
    ) -> None:
        self._arranged = layout
        self._texts = InstalledTexts(layout.prefixes, root=layout.root)
        self._summaries = SummarySources(self._texts, _OneSummary(package))
        self._may_execute = may_execute
        self._box = ProbeSandbox(
            visible=(*layout.visible, SDK),
            root=layout.root,
            limits=PROBE.limits.replace(wall_s=BUDGET.answer_s),
        )
        self._runner = PackageRunner(self._box, layout.root, layout.environment)
        allowed = min(job_s + PROGRAM_S * len(layout.programs), MAX_JOB_S)
        self._runner.cpu_left_s = allowed
        self._runner.clock_left_s = allowed * STRETCH
        self._reader = ContentReader()
        self._sources = self._make_sources()

    def __enter__(self) -> PackageLearner:
        return self

    def __exit__(self, *_failure: object) -> None:
        self._box.close()

    def _make_sources(self) -> list[MetadataSource]:
        texts = self._texts
        runner = ProbeCache(self._runner)
        return [
            NativeSource(),
            OclifSource(),
            PythonSource(lambda _subject: runner),
            YargsSource(lambda _subject: runner),
            SelfDescribedSource(lambda _subject: runner),
            CobraSource(lambda _subject: runner, BUDGET.replace(questions=300)),
            CompletionSource(texts),
            _PatientHelp(
                HelpSource(lambda _subject: runner, BUDGET), HelpSource(lambda _s: runner, SCRIPTS)
            ),
            ManSource(texts),
            KnowledgeSource(),
        ]

    def learn(self, program: PackagedProgram) -> LearnedProgram:
        """Hash a program and probe it."""
        real = os.path.realpath(program.path)
        content = self._reader.read(real)
        stub = parse_stub(real, content.head, content.script or None)
        if stub.target and self._arranged.root:
            stub = stub.replace(target=self._arranged.root + stub.target)
        subject = ProbeSubject(
            name=program.name, path=program.path, real_path=real, digest=content.digest, stub=stub
        )
        subject = subject.replace(known_native=self._native(subject, content))
        finding = find_metadata(
            subject,
            self._sources,
            may_execute=self._may_execute,
            merge_knowledge=storable,
            summarize=self._summaries,
        )
        return LearnedProgram(
            name=program.name,
            digest=content.digest,
            finding=finding,
            can_help=subject.program in self._runner.helped,
            ran=subject.program in self._runner.started,
        )

    def _native(self, subject: ProbeSubject, content: Content) -> Tool | None:
        if not content.is_candidate or not self._may_execute:
            return None
        try:
            answer = judge_answer(subject.name, self._runner.run([subject.program, "--agent"]))
        except ProbeError:
            return None
        return answer.tool


class _OneSummary:
    """Gives the package's summary to its program of the same name."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def summary(self, subject: ProbeSubject) -> str:
        return self._package.description if subject.name == self._package.name else ""

    def membership(self, subject: ProbeSubject) -> str:
        """Nothing: in a catalogue the package is named beside every program."""
        return ""


class _PatientHelp:
    """Help of binaries, and with a longer timeout of scripts, whose interpreter starts first."""

    source_kind = "help"
    executes = True

    def __init__(self, binaries: HelpSource, scripts: HelpSource) -> None:
        self._binaries = binaries
        self._scripts = scripts

    def ask(self, subject: ProbeSubject) -> Tool | None:
        return (self._scripts if subject.stub.language else self._binaries).ask(subject)
