"""Evidence: what cases showed of one program, fact by fact, bound to its digest, its version and the command lines. Pure.

    {"evidence": "observed", "tool": "cp", "digest": "sha256:…", "version": "9.1", "cases": 34, "facts": [
      {"subject": "cp --force", "fact": "filesystem.write", "verdict": "agrees", "lines": ["cp --force a b"], "calls": ["openat"]}]}

It says nothing about any other file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.proving.verdicts import AGREES, UNDECLARED, UNOBSERVABLE, UNSAID, UNUSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.model.tool import Tool
    from atip.proving.tally import JudgedCase

MAX_LINES = 3
_WEIGHT = (UNDECLARED, AGREES, UNSAID, UNUSED, UNOBSERVABLE)
"""Of several cases the first of these verdicts counts: one contradiction outweighs any agreement."""


def evidence_of_cases(
    tool: str, digest: str, version: str, judged: Iterable[JudgedCase]
) -> dict[str, Any]:
    """The document of one program."""
    facts: dict[tuple[str, str], dict[str, Any]] = {}
    cases = 0
    for case in judged:
        cases += 1
        for fact_verdict in case.verdicts:
            reason = fact_verdict.verdict == UNDECLARED and case.whys.get(fact_verdict.fact)
            verdict = UNSAID if reason else fact_verdict.verdict
            if verdict == AGREES and not case.proves:
                continue  # observed before a failure
            row = facts.setdefault(
                (case.subject, fact_verdict.fact),
                {"verdict": verdict, "lines": [], "calls": list(fact_verdict.calls)},
            )
            if _WEIGHT.index(verdict) < _WEIGHT.index(row["verdict"]):
                row.update(verdict=verdict, lines=[], calls=list(fact_verdict.calls))
            if row["verdict"] == verdict and len(row["lines"]) < MAX_LINES:
                row["lines"].append(" ".join(case.row["argv"]))
    return {
        "evidence": "observed",
        "tool": tool,
        "digest": digest,
        "version": version,
        "cases": cases,
        "facts": [
            {"subject": subject, "fact": fact, **row}
            for (subject, fact), row in sorted(facts.items())
        ],
    }


def subjects_of(tool: Tool) -> tuple[str, ...]:
    """Subjects of a description: each command that can be called, or the tool itself if it has none."""
    paths = [path for path, command in tool.walk() if not command.commands]
    return tuple(" ".join((tool.name, *path)) for path in paths or [()])


def is_verified(evidence: Mapping[str, Any], subjects: Sequence[str]) -> bool:
    """Whether a description was verified against the behavior of this file (ATIP 0.6 `trust.verified`).

    Only by what was seen: every subject had a case, every observable fact that it is claimed to have was seen in one, and no case –
    with whatever flag – showed a fact that is denied. One claim that no case showed is enough for a no.
    """
    verdicts: dict[str, set[str]] = {}
    for row in evidence["facts"]:
        if row["verdict"] == UNDECLARED:
            return False
        if row["verdict"] in (AGREES, UNUSED):
            verdicts.setdefault(row["subject"], set()).add(row["verdict"])
    return bool(subjects) and all(verdicts.get(subject) == {AGREES} for subject in subjects)


def block_of(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The short form that a description carries (`x-atip.observed`): facts of the whole tool, one command line each."""
    facts: dict[str, dict[str, str]] = {}
    for row in evidence["facts"]:
        if row["verdict"] not in (AGREES, UNDECLARED, UNSAID):
            continue
        entry = facts.get(row["fact"])
        if entry is None or _WEIGHT.index(row["verdict"]) < _WEIGHT.index(entry["verdict"]):
            line = row["lines"][0] if row["lines"] else ""
            facts[row["fact"]] = {"verdict": row["verdict"], "line": line}
    return {
        "digest": evidence["digest"],
        "version": evidence["version"],
        "cases": evidence["cases"],
        "facts": dict(sorted(facts.items())),
    }
