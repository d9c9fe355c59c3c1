"""List the known tools, one line each.

`--effects destructive` keeps tools that have a command with that effect.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context

EXAMPLES = ("atip list", "atip list --source native --json", "atip list --effects destructive")


SOURCES = ("native", "shim", "inferred", "manual", "unknown")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument(
        "--source",
        action="append",
        default=[],
        choices=SOURCES,
        help="where the metadata comes from (repeatable)",
    )
    parser.add_argument(
        "--effects",
        action="append",
        default=[],
        metavar="FACT",
        help="tools with a command that is destructive, network, billable … (repeatable)",
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="SOURCE",
        help="tools whose metadata claims this trust source (repeatable)",
    )
    parser.add_argument(
        "--sort", choices=("name", "source", "checked"), default="name", help="order"
    )
    parser.add_argument("--limit", type=natural, default=0, help="at most this many")


def run(options: argparse.Namespace, ctx: Context) -> int:
    tools = [_row(entry) for entry in ctx.app.list()]
    total = len(tools)
    if options.source:
        tools = [tool for tool in tools if tool["source"] in options.source]
    if options.effects or options.trust:
        tools = [tool for tool in tools if _matches(ctx, tool, options)]
    key = {"name": "name", "source": "source", "checked": "lastChecked"}[options.sort]
    tools.sort(key=lambda tool: (str(tool.get(key, "")), tool["name"]))
    if options.limit:
        tools = tools[: options.limit]
    if ctx.as_json:
        ctx.emit({"tools": tools, **mcp_document(ctx)})
    else:
        _print(ctx, tools, total)
        if not (options.source or options.effects or options.trust or options.limit):
            for line in mcp_lines(ctx):
                ctx.print(line)
    return 0


def mcp_lines(ctx: Context) -> list[str]:
    """Lines for configured MCP servers, and for configuration files that cannot be read; empty: none."""
    from atip.cli.output import clean

    configs = ctx.app.mcp_servers()
    lines = [
        f"MCP  {clean(server.name)}  {server.transport}  {clean(server.client)}, {server.scope}"
        for server in configs.servers
    ]
    lines += [
        f"MCP  {clean(problem.path)}: {clean(problem.message)} [{problem.code}]"
        for problem in configs.problems
    ]
    return ["", "MCP servers (known, not started):", *lines] if lines else []


def mcp_document(ctx: Context) -> dict[str, Any]:
    """Configured MCP servers, the last source of tools; only non-empty keys."""
    configs = ctx.app.mcp_servers()
    document = {
        "mcpServers": [server.to_json() for server in configs.servers],
        "mcpProblems": [problem.to_json() for problem in configs.problems],
    }
    return {key: value for key, value in document.items() if value}


def _row(entry: dict[str, Any]) -> dict[str, Any]:
    own = entry.get("x-atip") or {}
    row = {
        "name": entry["name"],
        "path": entry.get("path", ""),
        "hash": entry.get("hash"),
        "source": entry.get("source", "unknown"),
        "lastChecked": entry.get("lastChecked"),
    }
    for field in ("rung", "description"):
        if field in own and own[field] != entry["name"]:
            row[field] = own[field]
    if "shimRegistry" in entry:
        row["shimRegistry"] = entry["shimRegistry"]
    return row


def _matches(ctx: Context, row: dict[str, Any], options: argparse.Namespace) -> bool:
    tool = ctx.app.find(row["name"])
    if tool is None:
        return False
    if options.trust and (tool.trust is None or tool.trust.source not in options.trust):
        return False
    from atip.calls.effects.ceiling import has_fact

    return all(has_fact(tool, fact) for fact in options.effects)


def _print(ctx: Context, tools: list[dict[str, Any]], total: int) -> None:
    from atip.cli.output import clean, count, paint, table, width_of

    rows = [
        (clean(tool["name"]), tool.get("rung", tool["source"]), clean(tool.get("description", "")))
        for tool in tools
    ]
    for line in table(rows, indent="", width=width_of(ctx)):
        ctx.print(line)
    if not total:
        ctx.note("no tools found yet: run `atip scan`")
    elif not tools:
        ctx.note(f"none of {count(total, 'tool')} matches; `atip list` shows all")
    elif ctx.is_tty:
        ctx.note(paint(ctx, count(len(tools), "tool"), "dim"))
