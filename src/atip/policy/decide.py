"""Decide: subjects and layers → allow, confine, ask or deny.

    (1) what no layer can allow: compromised bytes, the Never list, destruction, cost without a budget
    (2) each layer: its own rules, strictest match first; else its preset; else its default
    (3) requirements of a layer: approval, signatures, delegation
    (4) the strictest of all; in an unattended run, a question is a denial

A call that runs files of the workspace is at most confined, since a confined line may have written them (`project_code`).
Layers only narrow: the result is a maximum, so one more layer, or one more deny, never allows more
(property test). Implements ATIP 0.6 §3.2.2, §4.8, §10.2, §11.2, ATIP 0.1 §5.2.
"""

from __future__ import annotations

from atip.policy.command_context import danger_of, shown_text
from atip.policy.decision import ALLOW, ASK, CONFINE, DENY, NEVER, PRESET, Decision, strictest
from atip.policy.lines.project_code import runs_project_code
from atip.policy.matching import matches
from atip.policy.presets import PRESETS, unattended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.verdict import Verdict
    from atip.policy.command_context import CommandContext
    from atip.policy.policy import Policy, Rule

_ORDER = (DENY, ASK, ALLOW)
_SAYS = {
    "destructive": "can destroy data irreversibly",
    "filesystem.write": "writes files",
    "filesystem.delete": "deletes files",
    "network": "uses the network",
    "changes": "changes system or remote state",
    "cost.billable": "may cost money",
    "secrets": "reads or prints a secret",
    "sends": "sends local data to another machine",
    "root": "uses special privileges",
    "outside": "reads outside the workspace",
    "protected": "writes where it changes what runs later",
}
_REASON_WORDS = {
    "destructive": ("destructive",),
    "filesystem.write": ("writes",),
    "filesystem.delete": ("deletes",),
    "network": ("network", "connection"),
    "cost.billable": ("cost",),
    "secrets": ("secret", "opens files by itself"),
    "sends": ("sends", "connection"),
    "outside": ("outside", "only known", "only other data", "searches the folder"),
    "protected": ("runs later", "writes a file"),
}
"""Words of a reason that belong to each danger."""

PROJECT_CODE = "runs files of the workspace, which only a sandbox makes harmless"


def decide(policies: Sequence[Policy], subject: CommandContext) -> Decision:
    """The decision on one call."""
    decisions = [_always(policies, subject)]
    for policy in policies:
        decisions += _layer(policy, subject)
    decision = strictest(decision for decision in decisions if decision is not None)
    if decision.outcome == ASK and unattended(policy.preset for policy in policies):
        decision = decision.replace(outcome=DENY)
    return decision.replace(subject=subject.text or subject.tool)


# --- (1) what no layer can lift ------------------------------------------------------------------


def _always(policies: Sequence[Policy], subject: CommandContext) -> Decision:
    verdict = subject.verdict
    if verdict is not None and (
        verdict.recommendation == "block" or verdict.level.value == "compromised"
    ):
        return _decision(DENY, "the program failed verification", "always: compromised")
    if subject.never:
        # SECURITY: no preset, rule, approval or mode of a client lifts this
        return _decision(DENY, subject.never, NEVER)
    budgets = [policy.budget for policy in policies if policy.budget is not None]
    if danger_of(subject, "cost.billable") is True and (not budgets or min(budgets) <= 0):
        # without a budget the user decides (unattended: denied); a budget of zero is a decision
        outcome = DENY if budgets else ASK
        return _decision(outcome, "costs money, and no budget was granted", "always: budget")
    if danger_of(subject, "destructive") is True:
        # SECURITY: at every trust level and whatever a rule says (0.6 §3.2.2, §11.1)
        return _decision(ASK, why(subject), "always: destructive")
    if not policies:
        return _decision(ASK, "no policy is in force", "always: no policy")
    return Decision(outcome=ALLOW)


# --- (2) and (3) one layer -----------------------------------------------------------------------


def _layer(policy: Policy, subject: CommandContext) -> list[Decision]:
    decisions = [_by_rules(policy, subject)]
    if policy.allowlist and _is_program(subject) and subject.listed is not True:
        decisions.append(
            _decision(DENY, "the program is not approved", f"{policy.layer}: allowlist")
        )
    if policy.trust is not None and _is_program(subject):
        decisions.append(_by_trust(policy, subject))
    if policy.delegation is not None:
        decisions.append(_by_delegation(policy, subject))
    unsigned = _ask_if_unsigned(policy, subject)
    if unsigned is not None:
        decisions.append(unsigned)
    return decisions


def _is_program(subject: CommandContext) -> bool:
    """Whether a file is executed; the shell's own words are not files."""
    return bool(subject.tool) and subject.evidence != "shell"


def _by_rules(policy: Policy, subject: CommandContext) -> Decision:
    rule = _strictest_rule(policy.rules, subject)
    if rule is not None:
        label = f"{policy.layer}: {rule.name or 'rule'}"
        if rule.decision == ALLOW and _leaves_open(rule, subject):
            return _decision(ASK, "unknown whether it destroys data", label)
        return _by_rule(rule, subject, label)
    if policy.preset is not None:
        rules, default = PRESETS[policy.preset]
        rule = _strictest_rule(rules, subject)
        label = f"{PRESET}{policy.preset}" + (f": {rule.name}" if rule is not None else "")
        if rule is None:
            return _decision(default, why(subject), label)
        return _by_rule(rule, subject, label)
    if policy.default is not None:
        return _decision(policy.default, why(subject), f"{policy.layer}: default")
    return Decision(outcome=ALLOW)


def _by_rule(rule: Rule, subject: CommandContext, label: str) -> Decision:
    # SECURITY: a confined line can write what the next line runs; outside of the sandbox nothing of the workspace runs by a mere `allow`
    if rule.decision == ALLOW and not rule.unsafe_unconfined and runs_project_code(subject):
        return _decision(CONFINE, PROJECT_CODE, label)
    return _decision(rule.decision, rule.reason or why(subject), label)


def _strictest_rule(rules: Sequence[Rule], subject: CommandContext) -> Rule | None:
    matching = [rule for rule in rules if matches(rule, subject)]
    for outcome in _ORDER:
        for rule in matching:
            if rule.decision == outcome:
                return rule
    return None


def _leaves_open(rule: Rule, subject: CommandContext) -> bool:
    """SECURITY: possible loss is allowed only by a rule that names the command, never by a wildcard."""
    if danger_of(subject, "destructive") is False:
        return False
    if rule.words:
        return False
    names_tools = bool(rule.tools) and not any("*" in tool for tool in rule.tools or ())
    return not (names_tools and (rule.commands or rule.options))


def _by_trust(policy: Policy, subject: CommandContext) -> Decision:
    demand, verdict = policy.trust, subject.verdict
    assert demand is not None
    label = f"{policy.layer}: trust"
    if demand.signatures and not _is_signed(verdict):
        return _decision(DENY, "no verified signature", label)
    if demand.signers is not None and not _is_signed_by(verdict, demand.signers):
        return _decision(DENY, "signer not trusted", label)
    if demand.slsa_level and (verdict is None or verdict.slsa_level < demand.slsa_level):
        trust = verdict.provenance_trust if verdict is not None else "untrusted"
        says = f"provenance below SLSA level {demand.slsa_level} ({trust} trust)"
        return _decision(DENY, says, label)
    if demand.builders is not None and not _is_any(
        verdict.builder if verdict else "", demand.builders
    ):
        return _decision(DENY, "builder not trusted", label)
    if demand.sources is not None and not _is_any(
        verdict.source if verdict else "", demand.sources
    ):
        return _decision(DENY, "source repository not trusted", label)
    return Decision(outcome=ALLOW)


def _is_signed(verdict: Verdict | None) -> bool:
    """Whether the program is signed, or a trusted signer signed metadata of these exact bytes (§4.8)."""
    if verdict is None or verdict.level.value == "compromised":
        return False
    return verdict.level.value == "verified" or verdict.capability == "attested"


def _is_signed_by(verdict: Verdict | None, allowed: tuple[str, ...]) -> bool:
    if verdict is None:
        return False
    return _is_any(verdict.signer, allowed) or _is_any(verdict.attested_by, allowed)


def _is_any(value: str, allowed: tuple[str, ...]) -> bool:
    from atip.model.signers import matches_signer

    return any(matches_signer(value, pattern) for pattern in allowed)


def _ask_if_unsigned(policy: Policy, subject: CommandContext) -> Decision | None:
    """Ask before side effects if the verdict recommends `confirm` (0.6 §3.2.2)."""
    verdict = subject.verdict
    if verdict is None or verdict.recommendation != "confirm":
        return None
    acts = (
        danger_of(subject, "network") is not False
        or danger_of(subject, "filesystem.write") is not False
    )
    label = f"{policy.layer}: {verdict.level.value}"
    return _decision(ASK, f"{verdict.level.value} and {why(subject)}", label) if acts else None


def _by_delegation(policy: Policy, subject: CommandContext) -> Decision:
    from atip.model.permissions.delegation import DelegationDenied, allows

    assert policy.delegation is not None
    if not subject.tool and policy.delegation.effect_restrictions == {}:
        return Decision(outcome=ALLOW)
    answer = allows(
        policy.delegation if subject.tool else policy.delegation.replace(allowed_tools=None),
        subject.tool, subject.path, subject.effects, flags=subject.flags,
        arguments=subject.arguments, known=subject.metadata,
    )  # fmt: skip
    if isinstance(answer, DelegationDenied):
        return _decision(DENY, answer.reason, answer.code)
    return Decision(outcome=ALLOW)


def why(subject: CommandContext) -> str:
    """Describe the dangers, each with the fact behind it, or what is unknown."""
    states = {name: danger_of(subject, name) for name in _SAYS}
    true = [f"{_SAYS[name]}{_fact(subject, name)}" for name, state in states.items() if state]
    if true:
        return ", ".join(true)
    unknown = [name for name, state in states.items() if state is None]
    if len(unknown) > 2:
        return f"effects unknown ({_unknown_part(subject)})"
    if unknown:
        return "unknown whether it " + " or ".join(_SAYS[name] for name in unknown)
    if subject.evidence not in ("knowledge", "shell", "override"):
        return "read-only by the tool's own claim alone"
    return "read-only"


def _fact(subject: CommandContext, name: str) -> str:
    """` (-f)`: the option, word or redirection that causes the danger; empty: the command itself."""
    words = _REASON_WORDS.get(name, ())
    subject_names = (subject.tool, " ".join((subject.tool, *subject.path)), subject.text)
    for reason in reversed(subject.reasons):
        if reason.subject not in subject_names and any(word in reason.says for word in words):
            return f" ({shown_text(reason.subject)[:80]})"
    return ""


def _unknown_part(subject: CommandContext) -> str:
    """The unknown part: the program, or one of its words."""
    tool = shown_text(subject.tool)[:80]
    if subject.metadata is None and not subject.argv and subject.reasons:
        return subject.reasons[-1].says  # the reason is about the line, not about one command
    if subject.metadata is None:
        return f"no metadata for {tool}" if tool and tool != "…" else "unknown program"
    last = subject.reasons[-1] if subject.reasons else None
    if last is None:
        return tool
    says = f" {last.says[:120]}" if last.evidence == "shell" else ""
    return f"{shown_text(last.subject)[:80]}{says}"


def _decision(outcome: str, reason: str, rule: str) -> Decision:
    return Decision(outcome=outcome, reasons=(reason,) if reason else (), rule=rule)
