"""Learn from the audit: lines that needed confirmation and then ran were approved; propose the smallest rule for each.

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
"""Maximum number of distinct lines to judge again."""


class ApprovedLine(Value):
    """A line that needed confirmation and then ran."""

    line: str
    cwd: str
    times: int


class RuleProposal(Value):
    """A rule, and the lines that it would have allowed."""

    rule: dict[str, Any]
    approved: int
    """Number of approvals behind it."""
    allows: tuple[str, ...]
    """Every recorded line with `ask` that it would have allowed."""


def read_approved(
    records: Iterable[dict[str, Any]],
) -> tuple[list[ApprovedLine], list[tuple[str, str]]]:
    """Approved lines, most frequent first, and all lines with `ask` as (line, folder); expects records newest first."""
    ran: dict[tuple[str, str, str], int] = {}
    approved: dict[tuple[str, str], int] = {}
    asked_lines: dict[tuple[str, str], None] = {}
    for count, record in enumerate(records):
        if count >= MAX_RECORDS:
            break
        line, cwd, client = (str(record.get(key, "")) for key in ("line", "cwd", "client"))
        if record.get("event") == "ran":
            ran[line, cwd, client] = ran.get((line, cwd, client), 0) + 1
        elif record.get("event") == "decision" and record.get("answer") == "ask":
            asked_lines[line, cwd] = None
            if ran.get((line, cwd, client), 0) > 0:
                ran[line, cwd, client] -= 1
                approved[line, cwd] = approved.get((line, cwd), 0) + 1
    approved_lines = [
        ApprovedLine(line=line, cwd=cwd, times=times) for (line, cwd), times in approved.items()
    ]
    return sorted(approved_lines, key=lambda approved_line: -approved_line.times)[:MAX_LINES], list(
        asked_lines
    )[:MAX_LINES]


def propose(
    box: Toolbox, policies: Sequence[Policy], approved: Sequence[ApprovedLine],
    asked_lines: Sequence[tuple[str, str]], *, least: int,
) -> tuple[list[RuleProposal], list[ApprovedLine]]:  # fmt: skip
    """Rules for lines approved at least `least` times, and the lines that no rule can allow."""
    rules: dict[tuple[tuple[str, ...], str], int] = {}
    left: list[ApprovedLine] = []
    for approved_line in approved:
        proposed = (
            _rules_for(box, policies, approved_line) if approved_line.times >= least else None
        )
        if proposed is None:
            left += [approved_line] if approved_line.times >= least else []
            continue
        for words, folder in proposed:
            rules[words, folder] = rules.get((words, folder), 0) + approved_line.times
    explanations = {
        asked_line: box.explain(asked_line[0], cwd=asked_line[1])
        for asked_line in asked_lines
        if os.path.isdir(asked_line[1])
    }
    proposals = []
    for (words, folder), times in rules.items():
        rule = _rule_document(words, folder)
        allows = [line for (line, cwd), proposed in explanations.items()
                  if _below(cwd, folder) and _allowed(proposed, policies, [rule])]  # fmt: skip
        proposals.append(RuleProposal(rule=rule, approved=times, allows=tuple(allows)))
    return proposals, left


def _rules_for(
    box: Toolbox, policies: Sequence[Policy], approved: ApprovedLine
) -> list[tuple[tuple[str, ...], str]] | None:
    """Words and folder for each command that was not allowed; None: no rule would allow the line."""
    from atip.system.paths import find_project

    if not os.path.isdir(approved.cwd):
        return None
    explained = box.explain(approved.line, cwd=approved.cwd)
    project = find_project(approved.cwd, box.places.home)
    folder = os.path.realpath(os.path.dirname(project) if project else approved.cwd)
    needed = [
        (subject.tool, *subject.argv[1:])
        for subject, decision in zip(explained.invocations, explained.decisions, strict=True)
        if decision.outcome not in RUNS
    ]
    if not needed or any(UNKNOWN_TEXT in word or word == "*" for words in needed for word in words):
        return None
    rules = [_rule_document(words, folder) for words in needed]
    if not _allowed(explained, policies, rules):
        return None
    return [(words, folder) for words in needed]


def _rule_document(words: tuple[str, ...], folder: str) -> dict[str, Any]:
    name = f"allow {' '.join(words)}"[:200]
    return {"name": name, "decision": "allow", "words": list(words), "folders": [folder]}


def _allowed(
    explained: Explanation, policies: Sequence[Policy], rules: list[dict[str, Any]]
) -> bool:
    document = {"policy": {"version": "1", "rules": rules}}
    added: tuple[Rule, ...] = read_policy(document, layer="user").rules
    changed = [
        policy.replace(rules=(*policy.rules, *added)) if policy.layer == "user" else policy
        for policy in policies
    ]
    subjects = explained.invocations
    return bool(subjects) and all(decide(changed, subject).outcome in RUNS for subject in subjects)


def _below(path: str, folder: str) -> bool:
    real = os.path.realpath(path)
    return real == folder or real.startswith(folder + "/")
