"""The decision on a shell line: exit code 0 for allow, 126 for confine, ask and deny. For scripts; see `explain` for why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.cli.quick import folder
from atip.errors import EXIT_OK, EXIT_REFUSED

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip policy check 'git push --force'", "atip policy check --policy ci 'npm test'")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("line", help="the shell line, quoted as one word")
    parser.add_argument("--cwd", type=folder, help="where it would run (default: here)")
    parser.add_argument("--policy", help="preset instead of the configured one")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.cli.runs.recording import record_decision

    explained = ctx.app.explain(options.line, cwd=options.cwd, preset=options.policy)
    record_decision(ctx, explained, "policy check", options.cwd)
    decision = explained.decision
    if ctx.as_json:
        ctx.emit(decision.to_json())
    else:
        ctx.print(
            f"{decision.outcome}: {clean('; '.join(decision.reasons))} [{clean(decision.rule)}]"
        )
    return EXIT_OK if decision.outcome == "allow" else EXIT_REFUSED
