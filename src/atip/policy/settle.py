"""Settle: whether a sandbox prevents the harm for which policy would ask. Pure.

    a preset asks about unknown or unwanted effects → the sandbox is enough: `confine`
    a rule of the user asks, or no sandbox prevents the harm → still a question

A sandbox prevents: reading secrets, writing outside the workspace or to files that run later, reaching hosts without a
grant, leaving processes behind. It does not prevent: known loss of files in the workspace, sending, spending, privileges,
and intended remote changes (a push). Deny stays deny, except for the questions of an unattended preset (`ci`).
"""

from __future__ import annotations

from atip.policy.command_context import danger_of
from atip.policy.decision import ALLOW, ASK, CONFINE, DENY, PRESET, Decision
from atip.policy.presets import CI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.policy.command_context import CommandContext

_UNSETTLED = ("destructive", "cost.billable", "sends", "root", "interactive.prompts")
_UNATTENDED = f"{PRESET}{CI}"
_HERE = frozenset(("package", "packages", "dependency", "dependencies"))
_ELSEWHERE = frozenset(("ssh", "mosh", "rsh", "autossh", "sshpass", "telnet"))
"""Programs that run their arguments on another machine."""
_RUNS_ELSEWHERE = frozenset((("kubectl", "exec"), ("oc", "exec"), ("oc", "rsh")))
_SYSTEM = frozenset(
    ("service", "machine", "user", "group", "mount", "firewall", "account", "kernel")
)
"""Things that belong to the whole machine."""


def settled(
    decision: Decision,
    subjects: Sequence[CommandContext],
    decisions: Sequence[Decision],
    *,
    online: bool = False,
) -> Decision:
    """The decision of a line, with `confine` instead of a question that a sandbox settles.

    Args:
        decision: of the whole line.
        decisions: one per subject; none: the line could not be read, and is never confined.
        online: policy grants hosts to confined lines.
    """
    if decision.outcome == ALLOW or not decisions:
        return decision
    # SECURITY: a command that the line leads to may be denied though none of its own commands is
    if decision.outcome == DENY and decision.rule != _UNATTENDED:
        return decision
    open_ones = [
        (subject, decision)
        for subject, decision in zip(subjects, decisions, strict=True)
        if decision.outcome != ALLOW
    ]
    if all(_settles(subject, each, online) for subject, each in open_ones):
        return decision.replace(outcome=CONFINE, rule=f"confined: {decision.rule}")
    return decision


def _settles(subject: CommandContext, decision: Decision, online: bool) -> bool:
    if decision.outcome == CONFINE:
        return True
    # SECURITY: a rule of the user, and what no policy can allow, still asks.
    # A denial is settled only where it replaces a question of an unattended run.
    is_question = decision.outcome == ASK or decision.rule == _UNATTENDED
    if not is_question or not decision.rule.startswith(PRESET):
        return False
    if any(danger_of(subject, name) is True for name in _UNSETTLED):
        return False
    if subject.tool in _ELSEWHERE or (subject.tool, *subject.path[:1]) in _RUNS_ELSEWHERE:
        return False
    if _SYSTEM & _changed_names(subject) or (not online and _only_asks_elsewhere(subject)):
        return False
    network = danger_of(subject, "network")
    if network is None:  # it may reach another machine: what it is known to change may lie there
        return not _changed_names(subject) - _HERE
    return network is False or not _changes_elsewhere(subject)


def _only_asks_elsewhere(subject: CommandContext) -> bool:
    """Whether a call only reads from another machine: without the network it could only fail, so a sandbox does not help."""
    if subject.evidence != "knowledge" or danger_of(subject, "network") is not True:
        return False
    others = ("filesystem.write", "filesystem.delete", "changes")
    return all(danger_of(subject, name) is False for name in others)


def needs_person(subject: CommandContext) -> bool:
    """Whether a command that a line leads to needs the user's decision even in a sandbox: it sends, spends, becomes
    root or changes another machine."""
    if any(danger_of(subject, name) is True for name in ("sends", "cost.billable", "root")):
        return True
    changes_remote = danger_of(subject, "network") is True and danger_of(subject, "changes") is True
    return subject.tool in _ELSEWHERE or (changes_remote and _changes_elsewhere(subject))


def _changed_names(subject: CommandContext) -> set[str]:
    effects = subject.effects
    return {
        word for each in (effects.creates, effects.modifies, effects.deletes) for word in each or ()
    }


def _changes_elsewhere(subject: CommandContext) -> bool:
    """Whether a network command changes something remote; packages that it installs here are local files."""
    effects = subject.effects
    if None in (effects.creates, effects.modifies, effects.deletes):
        return True
    local = _HERE if effects.filesystem.write is not False else frozenset[str]()
    return bool(_changed_names(subject) - local)
