"""The block `x-atip.observed`: what cases saw a program do, carried by its description. Claims about one digest, read with care. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_FACTS = 50


class ObservedFact(Value):
    """One fact that was seen."""

    fact: str
    verdict: str
    """`agrees`, `unsaid`, or `undeclared`: seen although the description denies it."""
    line: str = ""
    """A command line that shows it."""


class ObservedBlock(Value):
    """Observations of one file."""

    digest: str = ""
    version: str = ""
    cases: int = 0
    facts: tuple[ObservedFact, ...] = ()

    @property
    def disproved(self) -> tuple[ObservedFact, ...]:
        return tuple(fact for fact in self.facts if fact.verdict == "undeclared")

    def corroborates(self, digest: str) -> bool:
        """Whether it supports `trust.verified` of a description of this digest: cases, facts that agree, no contradiction."""
        agreed = any(fact.verdict == "agrees" and fact.line for fact in self.facts)
        return (
            bool(digest)
            and digest == self.digest
            and self.cases > 0
            and agreed
            and not self.disproved
        )

    @property
    def names(self) -> frozenset[str]:
        return frozenset(fact.fact for fact in self.facts)


def read_observed(own: Mapping[str, object]) -> ObservedBlock | None:
    """The block of a vendor field; None: there is none, or it is not one."""
    block = own.get("observed")
    if not isinstance(block, dict) or not isinstance(block.get("facts"), dict):
        return None
    facts = []
    for fact, row in list(block["facts"].items())[:MAX_FACTS]:
        if isinstance(fact, str) and isinstance(row, dict):
            facts.append(
                ObservedFact(
                    fact=fact[:60],
                    verdict=str(row.get("verdict", ""))[:20],
                    line=str(row.get("line", ""))[:200],
                )
            )
    cases = block.get("cases")
    return ObservedBlock(
        digest=str(block.get("digest", ""))[:80],
        version=str(block.get("version", ""))[:40],
        cases=cases if isinstance(cases, int) else 0,
        facts=tuple(facts),
    )
