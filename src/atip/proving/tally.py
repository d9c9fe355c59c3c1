"""Tally: results of a campaign as numbers, proofs and disproofs. Pure."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from atip.model.reading.yaml_reader import read_yaml
from atip.model.value import Value
from atip.proving.claims import claim_of
from atip.proving.verdicts import (
    AGREES,
    UNDECLARED,
    UNOBSERVABLE,
    UNSAID,
    UNUSED,
    is_proof,
    judge_observation,
    observation_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from atip.proving.verdicts import CaseObservation, FactVerdict

NOT_STARTED = (126, 127)
CONVENTION, METHOD = "convention", "method"
AS_BEFORE = "opened for writing, or created and removed; the content afterwards is as before"
"""By comparison of the samples before and after."""
MAX_LINES = 3
"""Command lines that are kept as evidence of one fact."""


class Exemption(Value):
    """Why an observation is not an effect in the sense of the claim."""

    tools: tuple[str, ...]
    fact: str
    seen: re.Pattern[str]
    why: str
    kind: str = METHOD
    """`convention`: claims do not cover it; `method`: a trace cannot tell; `build`: only this build does it."""

    def covers(self, tool: str, fact: str, seen: Iterable[str]) -> bool:
        is_covered = not self.tools or tool in self.tools
        return is_covered and fact == self.fact and all(self.seen.search(target) for target in seen)


def load_exemptions() -> tuple[Exemption, ...]:
    """`explained.yaml`: what each explanation is about, and the reason."""
    with open(os.path.join(os.path.dirname(__file__), "explained.yaml"), "rb") as file:
        document = read_yaml(file.read())
    assert isinstance(document, list)
    return tuple(
        Exemption(
            tools=tuple(str(row.get("tools", "")).split()),
            fact=str(row["fact"]),
            seen=re.compile(str(row.get("seen", ""))),
            why=str(row["why"]),
            kind=str(row["kind"]),
        )
        for row in document
        if isinstance(row, dict)
    )


class Disproof(Value):
    """A claim that a case contradicts."""

    tool: str
    argv: tuple[str, ...]
    fact: str
    seen: tuple[str, ...]
    calls: tuple[str, ...]
    why: str = ""
    """Explanation; empty: it must be fixed."""


class Tally(Value):
    """Totals of a campaign."""

    tools: int = 0
    """Tools with at least one proof."""
    tried: int = 0
    commands: int = 0
    flags: int = 0
    cases: int = 0
    """Without those that only print help or a version."""
    pairs: int = 0
    verdicts: Mapping[str, int] = {}
    facts: Mapping[str, tuple[str, ...]] = {}
    """`tool command flag: fact` → command lines that show it."""
    disproofs: tuple[Disproof, ...] = ()
    by_fact: Mapping[str, int] = {}

    @property
    def open(self) -> tuple[Disproof, ...]:
        return tuple(disproof for disproof in self.disproofs if not disproof.why)


class JudgedCase(Value):
    """A row of a result with its verdicts."""

    tool: str
    row: Mapping[str, Any]
    observation: CaseObservation
    verdicts: tuple[FactVerdict, ...]
    whys: Mapping[str, str] = {}
    """Fact → why it is explained; empty: it is not."""

    @property
    def subject(self) -> str:
        """`tool command --flag`."""
        row = self.row
        words = (self.tool, *row.get("command", ()), *((row["flag"],) if row.get("flag") else ()))
        return " ".join(words)

    @property
    def proves(self) -> bool:
        """A proof, or what would be one but for something that is explained."""
        settled = tuple(
            verdict
            for verdict in self.verdicts
            if verdict.verdict != UNDECLARED or not self.whys[verdict.fact]
        )
        return is_proof(self.observation, settled)

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Ending and verdicts: equal when a case is repeated."""
        ending = ("ending", "waits" if self.observation.timed_out else "ends")
        return (ending, *sorted((verdict.fact, verdict.verdict) for verdict in self.verdicts))

    @property
    def key(self) -> tuple[object, ...]:
        """Identity of the case: the same line may be played in several set-ups."""
        row = self.row
        return (*row["argv"], row.get("folder"), row.get("stdin"))


def judge_result(
    result: Mapping[str, Any], explained: tuple[Exemption, ...], desk: str = "/"
) -> Iterator[JudgedCase]:
    """Every case of a result whose program was started, by the claims of today's knowledge."""
    for row in result.get("cases", ()):
        if row["exit"] in NOT_STARTED:
            continue
        claim = claim_of(row["argv"], desk)
        observation = observation_from(row)
        verdicts = judge_observation(claim.effects, observation, spawn=claim.spawn)
        lies = [verdict for verdict in verdicts if verdict.verdict == UNDECLARED]
        whys = {lie.fact: why_of(result["name"], lie, observation, explained) for lie in lies}
        yield JudgedCase(
            tool=result["name"], row=row, observation=observation, verdicts=verdicts, whys=whys
        )


def steady(
    result: Mapping[str, Any], again: Mapping[str, Any], explained: tuple[Exemption, ...]
) -> list[JudgedCase]:
    """Cases of a result that gave the same verdicts when they were played again."""
    second = {case.key: case for case in judge_result(again, explained)}
    return [
        case
        for case in judge_result(result, explained)
        if (other := second.get(case.key)) is not None
        and not (case.observation.cut or other.observation.cut)
        and other.signature == case.signature
    ]


def tally(
    results: Iterable[Mapping[str, Any]], again: Mapping[str, Mapping[str, Any]] | None = None
) -> Tally:
    """Add up.

    Args:
        again: results of a second run, by tool: what it contradicts does not count. None: there was none.
    """
    explained = load_exemptions()
    tools: set[str] = set()
    commands: set[str] = set()
    flags: set[str] = set()
    counts = dict.fromkeys((AGREES, UNDECLARED, UNSAID, UNUSED, UNOBSERVABLE), 0)
    facts: dict[str, list[str]] = {}
    by_fact: dict[str, int] = {}
    disproofs: list[Disproof] = []
    tried = cases = pairs = 0
    for result in results:
        if again is None:
            judged = list(judge_result(result, explained))
        else:
            judged = steady(result, again.get(result["name"], {}), explained)
        tried += bool(judged)
        cases += len(judged)
        for case in judged:
            pairs += bool(case.row.get("without")) and case.proves
            for verdict in case.verdicts:
                counts[verdict.verdict] += 1
                if verdict.verdict == UNDECLARED:
                    disproofs.append(_disproof(case, verdict))
            if not case.proves:
                continue
            tools.add(case.tool)
            (flags if case.row.get("flag") else commands).add(case.subject)
            for verdict in case.verdicts:
                if verdict.verdict == AGREES:
                    lines = facts.setdefault(f"{case.subject}: {verdict.fact}", [])
                    if len(lines) < MAX_LINES:
                        lines.append(" ".join(case.row["argv"]))
                    by_fact[verdict.fact] = by_fact.get(verdict.fact, 0) + 1
    return Tally(
        tools=len(tools), tried=tried, commands=len(commands), flags=len(flags), cases=cases, pairs=pairs,
        verdicts=counts, facts={key: tuple(lines) for key, lines in sorted(facts.items())},
        disproofs=tuple(disproofs), by_fact=by_fact,
    )  # fmt: skip


def _disproof(case: JudgedCase, verdict: FactVerdict) -> Disproof:
    return Disproof(
        tool=case.tool,
        argv=tuple(case.row["argv"]),
        fact=verdict.fact,
        seen=verdict.seen,
        calls=verdict.calls,
        why=case.whys[verdict.fact],
    )


def why_of(
    tool: str, verdict: FactVerdict, observation: CaseObservation, explained: tuple[Exemption, ...]
) -> str:
    """Why an observation is not an effect in the sense of the claim; empty: it is one."""
    if verdict.fact == "filesystem.write" and set(verdict.seen) <= set(observation.unchanged):
        return AS_BEFORE
    for entry in explained:
        if entry.covers(tool, verdict.fact, verdict.seen):
            return entry.why
    return ""
