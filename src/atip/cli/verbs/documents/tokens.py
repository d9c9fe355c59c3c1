"""Count the tokens that tools cost a model: all functions, one line each, CMP, or search and describe.

Without names, for every known tool (at most `--limit`). Each way is counted up to one correct call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip tokens git gh docker", "atip tokens --limit 200 --json")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive

    parser.add_argument("tools", nargs="*", metavar="TOOL", help="names; all known tools if none")
    parser.add_argument(
        "--limit", type=positive, default=100, metavar="N", help="at most this many tools"
    )
    parser.add_argument("--estimate", action="store_true", help="do not load a tokenizer")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.codecs.context_snippets import ATIP, CMP
    from atip.codecs.token_costs import costs
    from atip.system.tokens import find_counter

    names = options.tools or [entry["name"] for entry in ctx.app.list()][: options.limit]
    tools = [ctx.app.get(name) for name in names] if options.tools else _find_all(ctx, names)
    tokenizer, counter = find_counter(exact=not options.estimate)
    rows = costs(tools, counter, snippet=ATIP, cmp_snippet=CMP)
    commands = sum(1 for tool in tools for _ in tool.walk())
    if ctx.as_json:
        ways = [row.to_json() for row in rows]
        ctx.emit({"tokenizer": tokenizer, "tools": len(tools), "commands": commands, "ways": ways})
        return 0
    from atip.cli.output import count as plural
    from atip.cli.output import table

    ctx.print(f"{plural(len(tools), 'tool')}, {plural(commands, 'command')}, tokens by {tokenizer}")
    lines = [
        ("way", "before", "1 call"),
        *((r.way, f"{r.before:,}", f"{r.one_call:,}") for r in rows),
    ]
    for line in table(lines, indent=""):
        ctx.print(line)
    return 0


def _find_all(ctx: Context, names: list[str]) -> list:  # type: ignore[type-arg]
    tools = (ctx.app.find(name) for name in names)
    return [tool for tool in tools if tool is not None]
