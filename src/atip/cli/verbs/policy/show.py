"""The policies in force, layer by layer: where they come from, their rules and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.policy.policy import Policy, Rule

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip policy show", "atip policy show --preset ci --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", help="show the policies with this preset")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.registry.policies import load_policies

    policies = load_policies(ctx.app.places, os.getcwd(), preset=options.preset)
    if ctx.as_json:
        ctx.emit({"layers": [_layer(policy) for policy in policies]})
        return 0
    for policy in policies:
        _print(ctx, policy)
    return 0


def _layer(policy: Policy) -> dict[str, Any]:
    from atip.policy.presets import PRESETS

    preset = PRESETS.get(policy.preset or "")
    return {
        "layer": policy.layer,
        "name": policy.name,
        "preset": policy.preset,
        "rules": [_rule(rule) for rule in policy.rules],
        "presetRules": [_rule(rule) for rule in preset[0]] if preset else [],
        "default": preset[1] if preset else policy.default,
        "allowlist": policy.allowlist,
        "budget": policy.budget,
        "audit": policy.audit,
        "sandbox": policy.sandbox,
        "grants": {
            "hosts": list(policy.hosts),
            "read": list(policy.reads),
            "write": list(policy.writes),
            "env": list(policy.env),
            "private": list(policy.private),
            "tcp": list(policy.tcp),
            "ingress": list(policy.ingress),
            "workspace": policy.workspace,
        },
        "keepOutput": policy.keep_output,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """Only the conditions that are there."""
    fields: dict[str, Any] = {"name": rule.name, "decision": rule.decision}
    for key in (
        "tools",
        "commands",
        "options",
        "within",
        "paths",
        "hosts",
        "trust",
        "evidence",
        "words",
        "folders",
    ):
        value = getattr(rule, key)
        if value is not None:
            fields[key] = list(value)
    if rule.effects:
        fields["effects"] = dict(rule.effects)
    for key in ("match", "not_match"):
        if getattr(rule, key):
            fields[key] = list(getattr(rule, key))
    if rule.once:
        fields["once"] = True
    if rule.pin:
        fields["pin"] = rule.pin
    if rule.until:
        fields["until"] = rule.until
    if rule.unsafe_unconfined:
        fields["unsafeUnconfined"] = True
    if rule.reason:
        fields["reason"] = rule.reason
    return fields


def _print(ctx: Context, policy: Policy) -> None:
    from atip.cli.output import clean, paint

    document = _layer(policy)
    ctx.print(paint(ctx, policy.layer, "bold") + (f"  {clean(policy.name)}" if policy.name else ""))
    if policy.preset:
        ctx.print(f"  preset {policy.preset}")
    for rule in (*document["rules"], *document["presetRules"]):
        conditions = [
            f"{k} {', '.join(map(str, v)) if isinstance(v, (list, tuple)) else v}"
            for k, v in rule.items()
            if k not in ("name", "decision", "reason")
        ]
        ctx.print(clean(f"  {rule['decision']:<5} {rule['name']}  {'; '.join(conditions)}"))
    if document["default"]:
        ctx.print(f"  {document['default']:<5} otherwise")
    for name, granted in document["grants"].items():
        if granted:
            words = granted if isinstance(granted, str) else ", ".join(granted)
            ctx.print(clean(f"  grant {name} {words}"))
    if policy.allowlist:
        ctx.print("  deny  programs that are not in the approving registry")
    if policy.trust is not None:
        ctx.print(
            "  deny  programs that do not meet the requirements for signatures and provenance"
        )
    if policy.delegation is not None:
        ctx.print("  deny  what was not delegated")
