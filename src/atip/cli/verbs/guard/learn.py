"""Propose rules from lines that you approved: the smallest rule for each, and what it would have allowed.

Writes nothing; with `--apply` you confirm each rule on the terminal, and confirmed rules go into your policy file. Lines that no rule can
allow, such as known loss of data, are listed and not proposed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.cli.guard.learning import RuleProposal

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": True},
}
EXAMPLES = ("atip guard learn", "atip guard learn --least 5 --json", "atip guard learn --apply")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive

    parser.add_argument("--least", type=positive, default=2, metavar="N", help="minimum number of approvals")  # fmt: skip
    parser.add_argument("--apply", action="store_true", help="ask on the terminal, rule by rule")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.guard.learning import propose, read_approved
    from atip.cli.output import clean
    from atip.registry.policies import load_policies

    approved, asked_lines = read_approved(ctx.app.audit.newest())
    policies = load_policies(ctx.app.places, os.getcwd())
    proposals, without_rule = propose(
        ctx.app, policies, approved, asked_lines, least=max(1, options.least)
    )
    if options.apply:
        return _apply(ctx, proposals)
    if ctx.as_json:
        rules = [
            {"rule": p.rule, "approved": p.approved, "allows": list(p.allows)} for p in proposals
        ]
        lines = [
            {"line": line.line, "cwd": line.cwd, "approved": line.times} for line in without_rule
        ]
        ctx.emit({"rules": rules, "notProposed": lines})
        return 0
    for proposal in proposals:
        _show(ctx, proposal)
    for line in without_rule:
        ctx.note(clean(f"no rule: {line.line} (approved {line.times} times)"))
    if not proposals:
        ctx.note("nothing to propose; the installed hook records what was asked and then run")
    return 0


def _show(ctx: Context, proposal: RuleProposal) -> None:
    from atip.cli.output import clean

    words = " ".join(proposal.rule["words"])
    ctx.print(clean(f"allow `{words}` in {proposal.rule['folders'][0]}"))
    ctx.print(f"  approved {proposal.approved} times; would have allowed:")
    for line in proposal.allows:
        ctx.print(clean(f"    {line}"))


def _apply(ctx: Context, proposals: list[RuleProposal]) -> int:
    """SECURITY: a rule is written only after confirmation on a terminal."""
    import os

    from atip.registry.rule_file import add_rule
    from atip.server.configuration.json_lists import append_item

    path = os.path.join(ctx.app.places.config, "policy.json")
    rules = []
    for proposal in proposals:
        _show(ctx, proposal)
        if ctx.confirm("Allow this from now on?") and add_rule(path, proposal.rule, append_item):
            rules.append(proposal.rule)
    if ctx.as_json:
        ctx.emit({"path": path, "written": rules})
    else:
        ctx.print(f"{path}: {len(rules)} rules added")
    return 0
