"""The proof report: numbers of a campaign for people (`docs/proof.md`) and for programs (`knowledge/proof.json`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.knowledge.proof import LETTERS
from atip.knowledge.reading import aliases, load, names
from atip.proving.evidence import evidence_of_cases, is_verified, subjects_of
from atip.proving.tally import METHOD, load_explained, steady
from atip.proving.verdicts import AGREES, UNDECLARED, UNOBSERVABLE, UNSAID, UNUSED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from atip.proving.tally import Tally

_MEANING = {
    AGREES: "claimed, and seen",
    UNDECLARED: "seen, and the claim says no",
    UNSAID: "seen where the claim leaves it open",
    UNUSED: "claimed, and not seen in that case",
    UNOBSERVABLE: "no trace could show it",
}
_SHOWN = ("r", "w", "d", "n", "s", "t", "p", "m", "x")


def count_claims() -> int:
    """Facts that our knowledge claims to hold: of every tool and command, and what each flag adds."""
    total = 0
    for name in names():
        tool = load(name)
        if tool is None:
            continue
        parts = [(tool.effects, tool.options)]
        parts += [(command.effects, command.options) for _path, command in tool.walk()]
        for effects, options in parts:
            total += _claimed(effects) + sum(_raised(option.own) for option in options or ())
    return total


def _claimed(effects: Any) -> int:
    files = effects.filesystem
    facts = (
        files.read, files.write, files.delete, effects.network, effects.subprocess,
        effects.destructive, effects.interactive.tty,
    )  # fmt: skip
    return sum(fact is True for fact in facts)


def _raised(own: Mapping[str, Any]) -> int:
    added = own.get("effects")
    return len(json.dumps(added).split("true")) - 1 if added else 0


def verified_tools(
    results: Iterable[Mapping[str, Any]], again: Mapping[str, Mapping[str, Any]]
) -> frozenset[str]:
    """Tools of which every command had a case and every claimed fact was seen, in both rounds, and nothing else was."""
    explained = load_explained()
    found = set()
    for result in results:
        tool, second = load(result["name"]), again.get(result["name"])
        if tool is None or second is None or not result.get("cases"):
            continue
        judged = steady(result, second, explained)
        evidence = evidence_of_cases(result["name"], result["digest"], result["version"], judged)
        if is_verified(evidence, subjects_of(tool.replace(name=result["name"]))):
            found.add(result["name"])
    return frozenset(found)


def summary_of(found: Tally, unsteady: int, twice: int, touched: int) -> dict[str, Any]:
    """The numbers alone."""
    return {
        "tools": found.tools,
        "commands": found.commands,
        "flags": found.flags,
        "cases": found.cases,
        "pairs": found.pairs,
        "facts": len(found.facts),
        "claims": count_claims(),
        "disproofs": len(found.disproofs),
        "open": len(found.open),
        "twice": twice,
        "unsteady": unsteady,
        "touched": touched,
    }


def proof_document(
    found: Tally,
    results: Iterable[Mapping[str, Any]],
    summary: Mapping[str, Any],
    verified: Collection[str],
) -> dict[str, Any]:
    """`knowledge/proof.json`; see `atip.knowledge.proof`."""
    letters = {fact: letter for letter, fact in LETTERS.items()}
    observed: dict[str, Any] = {}
    for result in results:
        observed[result["name"]] = {
            "digest": result.get("digest", ""),
            "version": result.get("version", ""),
            "source": result["source"],
            "subjects": {},
            **({"verified": True} if result["name"] in verified else {}),
        }
    for key, lines in found.facts.items():
        subject, _, fact = key.rpartition(": ")
        name, _, rest = subject.partition(" ")
        rows = observed[name]["subjects"]
        row = rows.setdefault(rest, ["", lines[0].partition(" ")[2]])
        if letters[fact] not in row[0]:
            row[0] = "".join(one for one in _SHOWN if one in row[0] + letters[fact])
    kept = {name: one for name, one in observed.items() if one["subjects"]}
    return {**summary, "observed": kept}


def render_report(found: Tally, summary: Mapping[str, Any], tried: Mapping[str, int]) -> str:
    """`docs/proof.md`."""
    explained: dict[str, int] = {}
    kinds = {one.why: one.kind for one in load_explained()}
    for one in found.disproofs:
        if one.why:
            explained[one.why] = explained.get(one.why, 0) + 1
    lines = [
        "# Proof",
        "",
        "Written by `make prove`. Every curated tool that is installed, or that can be laid out from its package without being",
        "installed, runs its cases in a sandbox: on a copy of a folder of samples, with an empty home and a network that leads to a",
        "stand-in. What the kernel tells of each run is held against what our knowledge claims. How: [observing](concepts/observing.md);",
        "cases: [the language](formats/cases.md).",
        "",
        "| | |",
        "|---|---|",
        f"| tools tried | {found.tried:,} ({', '.join(f'{number:,} {source}' for source, number in sorted(tried.items()))}) |",
        f"| tools with a proof | {found.tools:,} |",
        f"| commands proved | {found.commands:,} |",
        f"| flags proved | {found.flags:,} |",
        f"| cases | {found.cases:,} (none of `--help` or `--version`) |",
        f"| pairs with and without a flag | {found.pairs:,} |",
        f"| facts with evidence | {len(found.facts):,} |",
        f"| facts that our knowledge claims | {summary['claims']:,}, of {len(names()):,} entries with {len(aliases()):,} other names |",
        f"| tools verified (`trust.verified`): every command tried, every claimed fact seen, nothing else | {summary['verified']:,} |",
        f"| cases that were played twice | {summary['twice']:,}, in {summary['starts']:,} start{'s' if summary['starts'] != 1 else ''} of the run; {summary['unsteady']:,} with another verdict the second time count for nothing |",
        f"| samples and home afterwards, byte for byte | {'as they were made' if not summary['touched'] else str(summary['touched']) + ' differ'} |",
        f"| disproofs | {len(found.disproofs):,}: {len(found.disproofs) - len(found.open):,} explained, {len(found.open):,} open |",
        "",
        "## Verdicts",
        "",
        "| verdict | means | facts of cases |",
        "|---|---|---|",
        *(f"| {verdict} | {_MEANING[verdict]} | {number:,} |" for verdict, number in found.verdicts.items()),
        "",
        "## Facts that were seen as claimed",
        "",
        "| fact | cases |",
        "|---|---|",
        *(f"| {fact} | {number:,} |" for fact, number in sorted(found.by_fact.items(), key=lambda pair: -pair[1])),
        "",
        "## Explained",
        "",
        "Seen, contradicting a claim word for word, and no effect in its sense (`src/atip/proving/explained.yaml`). *Convention*: the",
        "[words of a claim](formats/knowledge.md) leave it out: caches, locks, temporary files, the tool's own configuration. *Method*: a trace",
        "cannot tell: tries that are refused, what is opened and left as it was. *Build*: this build alone does it.",
        "",
        "| kind | why | cases |",
        "|---|---|---|",
        *(f"| {kinds.get(why, METHOD)} | {why} | {number:,} |" for why, number in sorted(explained.items(), key=lambda pair: -pair[1])),
    ]  # fmt: skip
    if found.open:
        lines += ["", "## Open", ""]
        lines += [
            f"- `{' '.join(one.argv)[:100]}`: {one.fact} ({', '.join(one.seen[:2])[:80]})"
            for one in found.open[:200]
        ]
    return "\n".join(lines) + "\n"
