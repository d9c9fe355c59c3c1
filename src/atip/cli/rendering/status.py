"""Bare `atip`: the state of this machine in ten lines, and the next useful step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.cli.context import Context


_BEFORE_VERBS = ("--help", "--version", "--agent")


def run(words: Sequence[str]) -> int:
    """Print the state. Takes only the options that every verb has."""
    import argparse
    from typing import NoReturn

    from atip.cli.context import Context
    from atip.cli.parsing import closest_option
    from atip.errors import UsageError

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            close = closest_option(message, ("--json", "--color", *_BEFORE_VERBS))
            hint = f"did you mean `{close}`?" if close else "see `atip --help`"
            raise UsageError("cli.usage", message, hint=hint)

    parser = Parser(prog="atip", add_help=False, allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    options = parser.parse_args(list(words))
    ctx = Context(as_json=options.json, color=options.color)
    state = describe(ctx)
    if ctx.as_json:
        ctx.emit(state)
    else:
        _print(ctx, state)
    return 0


def describe(ctx: Context) -> dict[str, Any]:
    """Counts from the index, and the next step."""
    from atip.version import __version__

    index = ctx.app.store.load_index()
    sources: dict[str, int] = {}
    for entry in index["tools"].values():
        source = entry.get("source", "unknown")
        sources[source] = sources.get(source, 0) + 1
    total = len(index["tools"])
    described = total - sources.get("unknown", 0)
    return {
        "version": __version__,
        "tools": total,
        "described": described,
        "sources": dict(sorted(sources.items())),
        "updated": index["updated"] if total else None,
        "proof": _proof(),
        "data": ctx.app.places.data,
        "next": _next(ctx, total, described),
    }


def _proof() -> dict[str, int]:
    """Counts of curated facts with evidence."""
    from atip.knowledge.proof import summary

    totals = summary()
    return {name: int(totals.get(name, 0)) for name in ("facts", "claims", "tools", "cases")}


def _next(ctx: Context, total: int, described: int) -> dict[str, str]:
    if clients := _unguarded_agents(ctx):
        return {"command": "atip init", "why": f"set up {clients}: guard, MCP server, scan"}
    if not total:
        return {"command": "atip scan", "why": "find the tools of this machine"}
    if described * 2 < total:
        return {"command": "atip scan --learn", "why": "infer what the tools do, confined"}
    return {"command": "atip search WORDS…", "why": "find a command by intent"}


def _unguarded_agents(ctx: Context) -> str:
    """Titles of installed coding agents if none of them calls the guard; empty: nothing to set up."""
    import os

    from atip.cli.first_setup.clients import find_installed
    from atip.cli.guard.installation.clients import CLIENTS
    from atip.cli.guard.installation.installing import Scope, file_of, hooks_of
    from atip.errors import AtipError

    home = ctx.app.places.home
    scope = Scope(home=home, cwd=os.getcwd())
    clients = [
        CLIENTS[installed.name] for installed in find_installed(home, os.environ.get("PATH", ""))
    ]
    try:
        if any(hooks_of(client, file_of(client, scope)) for client in clients):
            return ""
    except AtipError:  # a file that cannot be read: `atip guard status` says which
        return ""
    return ", ".join(client.title for client in clients)


def _print(ctx: Context, state: dict[str, Any]) -> None:
    from atip.cli.output import count, paint

    ctx.print(
        paint(ctx, f"atip {state['version']}", "bold")
        + " – know what a command line will do, prove it, enforce it"
    )
    if state["tools"]:
        ctx.print(
            f"{count(state['tools'], 'tool')} on this machine, {state['described']:,} described (as of {state['updated']})"
        )
        ctx.print(
            "  " + ", ".join(f"{number:,} {source}" for source, number in state["sources"].items())
        )
    else:
        ctx.print("no tools found yet on this machine")
    if state["proof"]["facts"]:
        proof = state["proof"]
        ctx.print(
            f"{proof['facts']:,} curated facts were observed, of {proof['tools']:,} tools in {proof['cases']:,} cases"
        )
    step = state["next"]
    ctx.print(f"next: {paint(ctx, step['command'], 'cyan')}  {step['why']}")
    ctx.print("help: atip --help")
