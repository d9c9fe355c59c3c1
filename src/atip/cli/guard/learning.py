"""Learning from the audit: lines that were asked about and then run were approved; the smallest rule for each, and what it would have allowed.

A rule is the words of one command in one project. Nothing is written here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.calls.invocation import UNKNOWN_TEXT
from atip.model.value import Value
from atip.policy.decide import decide
from atip.policy.reading import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.policy.policy import Policy, Rule
    from atip.toolbox import Explanation, Toolbox

RUNS = ("allow", "confine")
MAX_RECORDS = 20_000
MAX_LINES = 500
"""Different lines that are judged again."""


class Approved(Value):
    """A line that was run although it had to be asked about."""

    line: str
    cwd: str
    times: int


class RuleProposal(Value):
    """A rule, and what it would have saved."""

    rule: dict[str, Any]
    approved: int
    """How often it was asked and approved."""
    allows: tuple[str, ...]
    """Every asked line on record that it would have let through."""


def read_approved(
    records: Iterable[dict[str, Any]],
) -> tuple[list[Approved], list[tuple[str, str]]]:
    """Approved lines, most often first, and everything that was asked (line, folder); records come newest first."""
    ran: dict[tuple[str, str, str], int] = {}
    approved: dict[tuple[str, str], int] = {}
    asked: dict[tuple[str, str], None] = {}
    for count, record in enumerate(records):
        if count >= MAX_RECORDS:
            break
        line, cwd, client = (str(record.get(key, "")) for key in ("line", "cwd", "client"))
        if record.get("event") == "ran":
            ran[line, cwd, client] = ran.get((line, cwd, client), 0) + 1
        elif record.get("event") == "decision" and record.get("answer") == "ask":
            asked[line, cwd] = None
            if ran.get((line, cwd, client), 0) > 0:
                ran[line, cwd, client] -= 1
                approved[line, cwd] = approved.get((line, cwd), 0) + 1
    found = [Approved(line=line, cwd=cwd, times=times) for (line, cwd), times in approved.items()]
    return sorted(found, key=lambda each: -each.times)[:MAX_LINES], list(asked)[:MAX_LINES]


def propose(
    box: Toolbox, policies: Sequence[Policy], approved: Sequence[Approved],
    asked: Sequence[tuple[str, str]], *, least: int,
) -> tuple[list[RuleProposal], list[Approved]]:  # fmt: skip
    """Rules for what was approved at least so often, and the lines for which no rule helps."""
    rules: dict[tuple[tuple[str, ...], str], int] = {}
    left: list[Approved] = []
    for each in approved:
        found = _rules_for(box, policies, each) if each.times >= least else None
        if found is None:
            left += [each] if each.times >= least else []
            continue
        for words, folder in found:
            rules[words, folder] = rules.get((words, folder), 0) + each.times
    known = {each: box.explain(each[0], cwd=each[1]) for each in asked if os.path.isdir(each[1])}
    proposals = []
    for (words, folder), times in rules.items():
        rule = _written(words, folder)
        allows = [line for (line, cwd), found in known.items()
                  if _below(cwd, folder) and _allowed(found, policies, [rule])]  # fmt: skip
        proposals.append(RuleProposal(rule=rule, approved=times, allows=tuple(allows)))
    return proposals, left


def _rules_for(
    box: Toolbox, policies: Sequence[Policy], approved: Approved
) -> list[tuple[tuple[str, ...], str]] | None:
    """Words and folder for each command that was not allowed; None: no rule would let the line through."""
    from atip.system.paths import find_project

    if not os.path.isdir(approved.cwd):
        return None
    found = box.explain(approved.line, cwd=approved.cwd)
    project = find_project(approved.cwd, box.places.home)
    folder = os.path.realpath(os.path.dirname(project) if project else approved.cwd)
    wanted = [
        (subject.tool, *subject.argv[1:])
        for subject, decision in zip(found.invocations, found.decisions, strict=True)
        if decision.outcome not in RUNS
    ]
    if not wanted or any(UNKNOWN_TEXT in word or word == "*" for words in wanted for word in words):
        return None
    written = [_written(words, folder) for words in wanted]
    if not _allowed(found, policies, written):
        return None
    return [(words, folder) for words in wanted]


def _written(words: tuple[str, ...], folder: str) -> dict[str, Any]:
    name = f"allow {' '.join(words)}"[:200]
    return {"name": name, "decision": "allow", "words": list(words), "folders": [folder]}


def _allowed(found: Explanation, policies: Sequence[Policy], written: list[dict[str, Any]]) -> bool:
    document = {"policy": {"version": "1", "rules": written}}
    added: tuple[Rule, ...] = read_policy(document, layer="user").rules
    changed = [
        each.replace(rules=(*each.rules, *added)) if each.layer == "user" else each
        for each in policies
    ]
    subjects = found.invocations
    return bool(subjects) and all(decide(changed, each).outcome in RUNS for each in subjects)


def _below(path: str, folder: str) -> bool:
    real = os.path.realpath(path)
    return real == folder or real.startswith(folder + "/")
