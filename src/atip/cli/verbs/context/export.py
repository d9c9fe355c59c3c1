"""Write a tool context for another agent: the tools of this machine, logins, and recent commands (ATIP 0.6 §10.3).

Commands come from the audit, secrets redacted. Digests of the programs are included, so that the receiver can check
whether it has the same ones. `--logins` runs the login check of each tool that has one, confined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = (
    "atip context export > context.json",
    "atip context export --tools gh,kubectl --logins --recent 5",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument("--tools", default="", metavar="NAMES", help="only these: a,b")
    parser.add_argument(
        "--recent", type=natural, default=20, metavar="N", help="how many commands (20; 0: none)"
    )
    parser.add_argument("--logins", action="store_true", help="check whether tools are logged in")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.model.permissions.tool_context import encode_tool_context

    names = tuple(filter(None, options.tools.split(",")))
    context = ctx.app.context.export(only=names, recent=options.recent, logins=options.logins)
    document = encode_tool_context(context)
    if ctx.as_json:
        ctx.emit(document)
        return 0
    import json

    ctx.print_document(json.dumps(document, ensure_ascii=False, indent=2))
    return 0
