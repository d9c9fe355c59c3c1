"""Observe cases: run a file of cases, or cases generated for a tool, and compare each with the tool's metadata.

    report = observe_cases(host, data)            # `observe --cases FILE`
    report = observe_examples(host, "cp")         # `observe --examples TOOL`
    save_evidence(host, report.evidence)

Every case runs on a copy of the samples (`proving.samples`), without real network access: nothing changes, so no confirmation is needed.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.value import Value
from atip.proving.cases import read_cases
from atip.proving.claims import claim_of
from atip.proving.evidence import evidence_of_cases, is_verified, subjects_of
from atip.proving.generate import CaseBudget, Generator
from atip.proving.playing import play_case
from atip.proving.samples import make_samples
from atip.proving.tally import JudgedCase, load_exemptions, why_of
from atip.proving.trial import TrialRunner
from atip.proving.verdicts import (
    UNDECLARED,
    judge_observation,
    missing_facts,
    observation_of,
    unexpected_facts,
)
from atip.sandbox.verified import seal
from atip.system.scratch import scratch_folder
from atip.workflows.lookup import Lookup, locate

if TYPE_CHECKING:
    from atip.proving.cases import Case
    from atip.proving.trial import Trial
    from atip.sandbox.verified import VerifiedBinary
    from atip.workflows.host import Host

FOLDER = "observed"
FILE = "proof.json"
MAX_EVIDENCE = 20_000_000


class CasesReport(Value):
    """Observations of the cases of one tool."""

    tool: str
    cases: tuple[JudgedCase, ...]
    unmet: tuple[tuple[str, str], ...]
    """Command line → an expected fact that was not observed, or an observed one that was not expected."""
    evidence: dict[str, Any]

    @property
    def honest(self) -> bool:
        """Whether no observation contradicts the description, except explained ones."""
        return not any(self.disproved)

    @property
    def disproved(self) -> tuple[tuple[JudgedCase, str], ...]:
        return tuple(
            (case, verdict.fact)
            for case in self.cases
            for verdict in case.verdicts
            if verdict.verdict == UNDECLARED and not case.whys.get(verdict.fact)
        )

    def to_json(self) -> dict[str, Any]:
        """The document of `observe --cases --json`."""
        return {
            "tool": self.tool,
            "honest": self.honest,
            "cases": [
                {
                    "argv": list(case.row["argv"]),
                    "subject": case.subject,
                    "exitCode": case.row["exit"],
                    "timedOut": case.observation.timed_out,
                    "proof": case.proves,
                    "verdicts": [verdict.to_json() for verdict in case.verdicts],
                }
                for case in self.cases
            ],
            "unmet": [{"line": line, "problem": problem} for line, problem in self.unmet],
            "evidence": self.evidence,
        }


def observe_cases(host: Host, data: bytes) -> CasesReport:
    """Run every case of a file.

    Raises:
        FormatError: `cases.invalid`.
        NotFoundError: `tool.not-found`.
        SandboxError: no sandbox is available; nothing was run.
    """
    name, cases = read_cases(data)
    with _CaseRun(host, name) as room:
        return room.play(cases)


def observe_examples(host: Host, name: str) -> CasesReport:
    """Generate cases for a tool from its description, its documentation and our recipes, and run them.

    Raises:
        as `observe_cases`.
    """
    with _CaseRun(host, name) as room:
        return room.find()


class _CaseRun:
    """Runs cases of one program on the samples, and compares them with its metadata."""

    def __init__(self, host: Host, name: str) -> None:
        self._name = os.path.basename(name)
        self._path = locate(name)
        self._scratch = scratch_folder()
        self._lookup = Lookup(host.places, "")
        self._explained = load_exemptions()
        self._unmet: list[tuple[str, str]] = []
        self._version = ""

    def __enter__(self) -> _CaseRun:
        folder = os.path.realpath(self._scratch.__enter__())
        self._runner = TrialRunner(
            make_samples(os.path.join(folder, "desk")), os.path.join(folder, "stages")
        )
        self._binary: VerifiedBinary = seal(self._path)
        return self

    def __exit__(self, *failure: object) -> None:
        self._binary.close()
        self._scratch.__exit__(None, None, None)

    def play(self, cases: tuple[Case, ...]) -> CasesReport:
        judged_cases = []
        for case in cases:
            if case.without:
                baseline = case.replace(argv=case.without, without=(), flag="", raised=())
                judged_cases.append(self._run_and_judge(baseline))
                self._expect(baseline, judged_cases[-1], ())
            judged = self._run_and_judge(case)
            judged_cases.append(judged)
            self._expect(case, judged, case.raised)
        return self._report(judged_cases)

    def find(self) -> CasesReport:
        from atip.crawler.proof.work import learn
        from atip.knowledge.reading import load

        metadata = learn(self._name, self._path)
        tool = metadata or self._lookup(self._name)
        if tool is None:
            raise FormatError(
                "observe.unknown",
                f"no metadata for `{self._name}`, so no cases can be generated",
                hint="write cases yourself: `observe --cases FILE`",
            )
        self._version = tool.version
        generator = Generator(
            self._name, tool, load(self._name), self._runner.desk, self._run, CaseBudget()
        )
        return self._report(
            [self._judge(t.case, t.exit_code, t.observation) for t in generator.generate()]
        )

    def _run(self, case: Case) -> Trial:
        return play_case(case, self._runner, self._binary)

    def _run_and_judge(self, case: Case) -> JudgedCase:
        trial = self._run(case)
        return self._judge(case, trial.exit_code, observation_of(trial))

    def _judge(self, case: Case, exit_code: int, observation: Any) -> JudgedCase:
        claim = claim_of(case.argv, self._runner.desk, self._lookup)
        verdicts = judge_observation(claim.effects, observation, spawn=claim.spawn)
        lies = [verdict for verdict in verdicts if verdict.verdict == UNDECLARED]
        return JudgedCase(
            tool=self._name,
            row={**case.to_json(), "command": list(claim.path), "exit": exit_code},
            observation=observation,
            verdicts=verdicts,
            whys={lie.fact: why_of(self._name, lie, observation, self._explained) for lie in lies},
        )

    def _expect(self, case: Case, judged: JudgedCase, raised: tuple[str, ...]) -> None:
        """Compare the observation with exactly what the case expects."""
        if case.base is None:
            return
        expected = (*case.base, *raised)
        line = " ".join(case.argv)
        for fact in missing_facts(expected, judged.observation):
            self._unmet.append((line, f"{fact} was expected but not observed"))
        for fact in unexpected_facts(expected, judged.observation):
            self._unmet.append((line, f"{fact} was observed but not expected"))

    def _report(self, judged_cases: list[JudgedCase]) -> CasesReport:
        evidence = evidence_of_cases(self._name, self._binary.digest, self._version, judged_cases)
        tool = self._lookup(self._name)
        evidence["verified"] = tool is not None and is_verified(evidence, subjects_of(tool))
        return CasesReport(
            tool=self._name, cases=tuple(judged_cases), unmet=tuple(self._unmet), evidence=evidence
        )


def save_evidence(host: Host, evidence: dict[str, Any]) -> str:
    """Save the evidence under the digest of the program; returns the path of the file."""
    from atip.system.clock import now_iso
    from atip.system.files import make_private, write_atomic

    digits = str(evidence["digest"]).removeprefix("sha256:")
    folder = os.path.join(host.places.data, FOLDER, digits)
    for parent in (os.path.dirname(folder), folder):
        make_private(parent)
    path = os.path.join(folder, FILE)
    write_atomic(path, json.dumps({**evidence, "time": now_iso()}, indent=1).encode())
    return path
