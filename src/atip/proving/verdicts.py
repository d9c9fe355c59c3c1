"""Verdicts: every fact of a claim held against what was seen. Pure.

`agrees`: claimed and seen. `undeclared`: seen, and the claim denies it: a false claim, or our mistake. `unsaid`: seen where the claim leaves it
open. `unused`: claimed and not seen in this case. `unobservable`: nothing that a trace could show. What was not seen is not absent:
a verdict never lowers an effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.facts import fact_of
from atip.model.value import Value
from atip.policy.confinement.observed import FACTS, claim_of, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.effects import Effects
    from atip.policy.confinement.observed import ObservedEffects
    from atip.proving.trial import Trial

AGREES, UNDECLARED, UNSAID, UNUSED, UNOBSERVABLE = (
    "agrees", "undeclared", "unsaid", "unused", "unobservable",
)  # fmt: skip
LOSS = "destructive"
MAX_SEEN = 40
SEMANTIC = ("idempotent", "reversible", "cost.billable", "interactive.prompts")
_EFFECT_OF = {
    "filesystem.write": ("create", "write", "overwrite", "permission", "rename"),
    "filesystem.delete": ("delete",),
    "network": ("connect",),
    "subprocess": ("start",),
    "interactive.tty": ("terminal",),
    "changes.process": ("signal",),
    "changes.mount": ("mount",),
}
_STRONG = tuple(fact for fact in (*FACTS, LOSS) if fact != "filesystem.read")
"""Seen even in a run that failed, these were really tried; reading may have been a search for settings."""


class FactVerdict(Value):
    """One fact of one case."""

    fact: str
    verdict: str
    declared: bool | None = None
    seen: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """System calls behind it."""

    def to_json(self) -> dict[str, Any]:
        return {
            "fact": self.fact,
            "verdict": self.verdict,
            "declared": self.declared,
            "seen": list(self.seen[:5]),
            "calls": list(self.calls),
        }


class CaseObservation(Value):
    """Observed facts of one case: small enough to store, complete enough to judge again."""

    worked: bool
    timed_out: bool
    lost: bool
    seen: Mapping[str, tuple[str, ...]]
    """Fact → what stands behind it."""
    calls: Mapping[str, tuple[str, ...]]
    cut: bool = False
    """Cut off by the clock: no verdict."""
    unchanged: tuple[str, ...] = ()
    """Written according to its calls, with the same content afterwards."""
    system_reads: tuple[str, ...] = ()
    """Data of the system: bears out a claim that it reads, and contradicts none."""

    def to_json(self) -> dict[str, Any]:
        return {
            "worked": self.worked,
            "timedOut": self.timed_out,
            "lost": self.lost,
            "seen": {fact: list(calls) for fact, calls in self.seen.items()},
            "calls": {fact: list(calls) for fact, calls in self.calls.items()},
            "systemReads": list(self.system_reads),
            **({"cut": True} if self.cut else {}),
            **({"unchanged": list(self.unchanged)} if self.unchanged else {}),
        }


def observation_of(trial: Trial) -> CaseObservation:
    """Observation of a trial."""
    # sorted: the order in which threads and processes come is not the program's; what did change something comes first
    as_before = set(trial.unchanged)
    calls = {
        fact: tuple(
            sorted(targets_of(trial.seen, fact), key=lambda one: (one in as_before, one))[:MAX_SEEN]
        )
        for fact in FACTS
    }
    return CaseObservation(
        worked=trial.worked,
        timed_out=trial.timed_out,
        lost=trial.lost,
        seen={fact: seen for fact, seen in calls.items() if seen},
        calls={fact: _calls(trial.seen, fact) for fact, seen in calls.items() if seen},
        cut=trial.cut,
        unchanged=tuple(sorted(trial.unchanged)[:MAX_SEEN]),
        system_reads=tuple(sorted(trial.seen.system_reads)[:MAX_SEEN]),
    )


def observation_from(document: Mapping[str, Any]) -> CaseObservation:
    """The reverse of `CaseObservation.to_json`."""
    return CaseObservation(
        worked=document["worked"],
        timed_out=document["timedOut"],
        lost=document["lost"],
        seen={fact: tuple(calls) for fact, calls in document["seen"].items()},
        calls={fact: tuple(calls) for fact, calls in document["calls"].items()},
        cut=document.get("cut", False),
        unchanged=tuple(document.get("unchanged", ())),
        system_reads=tuple(document.get("systemReads", ())),
    )


def judge_observation(
    declared: Effects, observation: CaseObservation, *, spawn: Sequence[str] = ()
) -> tuple[FactVerdict, ...]:
    """The verdict on every fact that is claimed or was seen.

    Args:
        spawn: programs that the description names; starting these is declared.
    """
    return tuple(_verdicts(declared, observation, spawn))


def _verdicts(
    declared: Effects, observation: CaseObservation, spawn: Sequence[str]
) -> Iterator[FactVerdict]:
    for fact in FACTS:
        claim = claim_of(declared, fact)
        seen = observation.seen.get(fact, ())
        if fact == "filesystem.read" and claim:
            seen = seen or observation.system_reads
        if fact == "subprocess" and not claim:
            # a named program that was started bears out a claim, and contradicts none
            seen = tuple(path for path in seen if path.rpartition("/")[2] not in spawn)
        if verdict := _verdict(claim, bool(seen)):
            yield FactVerdict(
                fact=fact,
                verdict=verdict,
                declared=claim,
                seen=seen,
                calls=observation.calls.get(fact, ()) if seen else (),
            )
    if declared.destructive:
        yield FactVerdict(fact=LOSS, verdict=AGREES if observation.lost else UNUSED, declared=True)
    for fact in SEMANTIC:
        if fact_of(declared, fact) is True:
            yield FactVerdict(fact=fact, verdict=UNOBSERVABLE, declared=True)


def _verdict(claim: bool | None, did: bool) -> str:
    if did:
        return {True: AGREES, False: UNDECLARED, None: UNSAID}[claim]
    return UNUSED if claim else ""


def _calls(seen: ObservedEffects, fact: str) -> tuple[str, ...]:
    kinds = _EFFECT_OF.get(fact, ())
    return tuple(dict.fromkeys(effect.call for effect in seen.effects if effect.effect in kinds))[
        :6
    ]


def is_proof(observation: CaseObservation, verdicts: Sequence[FactVerdict]) -> bool:
    """Whether a case shows that its subject does what is claimed: nothing undeclared, and something that agrees."""
    agreed = {verdict.fact for verdict in verdicts if verdict.verdict == AGREES}
    lies = any(verdict.verdict == UNDECLARED for verdict in verdicts)
    enough = bool(agreed) if observation.worked else any(fact in _STRONG for fact in agreed)
    return enough and not lies and not observation.timed_out


def missing_facts(expected: Sequence[str], observation: CaseObservation) -> tuple[str, ...]:
    """Facts that a case expects and that were not seen."""
    return tuple(
        fact
        for fact in expected
        if not (observation.lost if fact == LOSS else observation.seen.get(fact))
    )


def unexpected_facts(expected: Sequence[str], observation: CaseObservation) -> tuple[str, ...]:
    """Facts that were seen although a case does not expect them."""
    return tuple(fact for fact in FACTS if observation.seen.get(fact) and fact not in expected)
