"""Observe: run a few cases for each program of a package; the observations go into its shim (`x-atip.observed`).

Evidence is about exactly this binary. A later version with more observed effects waits for review (`changes`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, SandboxError
from atip.knowledge.reading import load
from atip.model.reading.decode import decode_tool
from atip.model.root import lift
from atip.proving.claims import claim_of
from atip.proving.evidence import block_of, evidence_of_cases, is_verified, subjects_of
from atip.proving.generate import CaseBudget, Generator
from atip.proving.playing import play_case
from atip.proving.samples import make_samples
from atip.proving.tally import JudgedCase, load_explained, why_of
from atip.proving.trial import TrialRunner
from atip.proving.verdicts import UNDECLARED, judge_sight
from atip.sandbox.verified import seal

if TYPE_CHECKING:
    from atip.crawler.layouts.interface import Arranged, PackagedProgram
    from atip.model.tool import Tool
    from atip.proving.generate import CaseResult

BUDGET = CaseBudget(commands=12, flags=8, cases=40, trials=80, waits=4, cpu_s=20.0)


def observe_programs(layout: Arranged, shims: dict[str, Any], folder: str) -> None:
    """Add observations to the shims of a package; the shim of a program that cannot run stays unchanged.

    Raises:
        SandboxError: no sandbox is available.
    """
    desk = make_samples(os.path.join(folder, "desk"))
    runner = TrialRunner(
        desk, os.path.join(folder, "stages"),
        layer=os.path.join(layout.root, "usr") if layout.root else "",
        visible=layout.visible, environment=layout.environment,
    )  # fmt: skip
    for program in layout.programs:
        try:
            _observe(program, layout.root, runner, shims)
        except SandboxError:
            raise
        except (AtipError, OSError):
            continue


def _observe(
    program: PackagedProgram, root: str, runner: TrialRunner, shims: dict[str, Any]
) -> None:
    binary = seal(program.path, layer=root)
    try:
        document = shims.get(binary.digest.removeprefix("sha256:"))
        if document is None or "observed" in document.get("x-atip", {}):
            return
        tool = lift(decode_tool(document))
        curated = load(program.name)

        def lookup(name: str) -> Tool | None:
            return (curated or tool) if name == program.name else load(name)

        generator = Generator(
            program.name, tool, curated or tool, runner.desk,
            lambda case: play_case(case, runner, binary), BUDGET, lookup,
        )  # fmt: skip
        trials = generator.generate()
    finally:
        binary.close()
    explained = load_explained()
    cases = [_judge_trial(trial, runner.desk, lookup, explained) for trial in trials]
    evidence = evidence_of_cases(program.name, binary.digest, tool.version, cases)
    extension = document.get("x-atip")
    document["x-atip"] = {
        **(extension if isinstance(extension, dict) else {}),
        "observed": block_of(evidence),
    }
    if _verifies(tool, binary.digest, trials, runner.desk):
        document["trust"] = {**document.get("trust", {}), "verified": True}


def _verifies(tool: Tool, digest: str, trials: list[CaseResult], desk: str) -> bool:
    """Whether the cases corroborate the description itself, not only curated knowledge."""

    def lookup(name: str) -> Tool | None:
        return tool if name == tool.name else load(name)

    cases = [_judge_trial(trial, desk, lookup, ()) for trial in trials]
    return is_verified(evidence_of_cases(tool.name, digest, tool.version, cases), subjects_of(tool))


def _judge_trial(trial: CaseResult, desk: str, lookup: Any, explained: Any) -> JudgedCase:
    case = trial.case
    claim = claim_of(case.argv, desk, lookup)
    verdicts = judge_sight(claim.effects, trial.sight, spawn=claim.spawn)
    undeclared = [verdict for verdict in verdicts if verdict.verdict == UNDECLARED]
    return JudgedCase(
        tool=case.argv[0],
        row={**case.to_json(), "exit": trial.exit_code},
        sight=trial.sight,
        verdicts=verdicts,
        whys={
            fact_verdict.fact: why_of(case.argv[0], fact_verdict, trial.sight, explained)
            for fact_verdict in undeclared
        },
    )
