"""Why a rule of the user for a call did not decide it. For `explain`; changes no decision. Pure."""

from __future__ import annotations

from atip.policy.command_context import MARKS, danger_of
from atip.policy.decision import ALLOW
from atip.policy.matching import is_spelled, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.policy.command_context import CommandContext
    from atip.policy.decision import Decision
    from atip.policy.policy import Policy, Rule

_MARKED = {
    "secrets": "the call touches a secret",
    "sends": "the call sends local data",
    "root": "the call uses special privileges",
    "outside": "the call reads outside the workspace",
    "protected": "the call writes where it changes what runs later",
}


def ignored_rules(
    policies: Sequence[Policy], subjects: Sequence[CommandContext], decisions: Sequence[Decision]
) -> tuple[str, ...]:
    """One line per rule that matches the words of a command but did not decide."""
    lines = [
        text
        for subject, decision in zip(subjects, decisions, strict=True)
        for policy in policies
        for text in _of(policy, subject, decision)
    ]
    return tuple(dict.fromkeys(lines))


def _of(policy: Policy, subject: CommandContext, decision: Decision) -> Iterator[str]:
    for each in policy.ignored:
        if _means(each.rule, subject):
            yield f"{policy.layer}: {each.rule.name}: ignored, {each.why}"
    if decision.outcome == ALLOW or policy.layer != "user":
        return
    for rule in policy.rules:
        if rule.decision == ALLOW and rule.words and _means(rule, subject):
            yield f"{policy.layer}: {rule.name}: ignored, {_why(rule, subject, decision)}"


def _means(rule: Rule, subject: CommandContext) -> bool:
    if rule.words is not None:
        return is_spelled(rule.words, subject, strict=rule.decision != ALLOW)
    return matches(rule, subject)


def _why(rule: Rule, subject: CommandContext, decision: Decision) -> str:
    if matches(rule, subject):
        return f"{decision.rule} is stricter"
    if rule.project and danger_of(subject, "network") is True:
        return "a project's rule never opens the network"
    marks = [_MARKED[name] for name in MARKS if danger_of(subject, name)]
    return (
        marks[0]
        if marks
        else "it covers the command's words only, not redirections or variables around them"
    )
