"""Suggest grants for what confined lines needed repeatedly and did not get.

Hosts, ports on loopback and folders that the sandbox refused to lines of the current project, from the audit. Changes nothing: each
suggestion shows the command that grants it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip policy suggest", "atip policy suggest --least 1 --json")
MAX_RECORDS = 5_000


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive

    parser.add_argument(
        "--least", type=positive, default=2, metavar="N", help="runs that must have needed it (2)"
    )
    parser.add_argument("--everywhere", action="store_true", help="lines of every folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import itertools
    import os

    from atip.cli.output import clean
    from atip.execution.needs import suggest
    from atip.registry.policies import load_policies

    folder = "/" if options.everywhere else os.path.realpath(os.getcwd())
    records = list(itertools.islice(ctx.app.audit.newest(), MAX_RECORDS))
    policies = load_policies(ctx.app.places, os.getcwd())
    granted = {
        entry for policy in policies for entry in (*policy.hosts, *policy.tcp, *policy.writes)
    }
    suggestions = [
        proposal
        for proposal in suggest(records, cwd=folder, least=max(1, options.least))
        if proposal.need.grant[1] not in granted
    ]
    if ctx.as_json:
        ctx.emit({"suggestions": [suggestion.to_json() for suggestion in suggestions]})
        return 0
    for suggestion in suggestions:
        ctx.print(f"{clean(suggestion.need.text)}  refused in {suggestion.runs} runs, last for `{clean(suggestion.last)[:80]}`")  # fmt: skip
        ctx.print(f"  {clean(suggestion.need.command) or 'the system is read-only for every line'}")
    if not suggestions:
        ctx.note("nothing was refused often enough to suggest a grant")
    return 0
