"""Propose rules from what you approved: lines that agents asked about and then ran. The smallest rule for each, and what it would have allowed.

Writes nothing; with `--apply` each rule is asked about on the terminal, and what you confirm goes into your policy file. What no rule can
lift, such as known loss of data, is listed and not proposed.
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

    parser.add_argument("--least", type=positive, default=2, metavar="N", help="approved at least so often")  # fmt: skip
    parser.add_argument("--apply", action="store_true", help="ask on the terminal, rule by rule")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.guard.learning import propose, read_approved
    from atip.cli.output import clean
    from atip.registry.policies import load_policies

    approved, asked = read_approved(ctx.app.audit.newest())
    policies = load_policies(ctx.app.places, os.getcwd())
    found, left = propose(ctx.app, policies, approved, asked, least=max(1, options.least))
    if options.apply:
        return _apply(ctx, found)
    if ctx.as_json:
        rules = [{"rule": p.rule, "approved": p.approved, "allows": list(p.allows)} for p in found]
        lines = [{"line": each.line, "cwd": each.cwd, "approved": each.times} for each in left]
        ctx.emit({"rules": rules, "notProposed": lines})
        return 0
    for proposal in found:
        _show(ctx, proposal)
    for each in left:
        ctx.note(clean(f"no rule: {each.line} (approved {each.times} times)"))
    if not found:
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
    """SECURITY: a rule is written only after a person's yes on a terminal."""
    import os

    from atip.registry.rule_file import add_rule
    from atip.server.configuration.json_lists import append_item

    path = os.path.join(ctx.app.places.config, "policy.json")
    written = []
    for proposal in proposals:
        _show(ctx, proposal)
        if ctx.confirm("Allow this from now on?") and add_rule(path, proposal.rule, append_item):
            written.append(proposal.rule)
    if ctx.as_json:
        ctx.emit({"path": path, "written": written})
    else:
        ctx.print(f"{path}: {len(written)} rules added")
    return 0
