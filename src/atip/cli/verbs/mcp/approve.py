"""Accept a tool's changed description, so that MCP clients can see and call it again.

Shows what was removed and added since models saw it, and asks on the terminal. Without a command, every
changed command of the tool; without a tool, everything that models saw and that changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from atip.calls.functions import Function
    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": False},
}
EXAMPLES = ("atip mcp approve", "atip mcp approve gh pr list")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="TOOL [COMMAND…]", help="what to approve")
    parser.add_argument(
        "--list",
        action="store_true",
        help="only print what needs approval; exit code 1 if anything does",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.server.pins import Pins

    pins = Pins(ctx.app.places.config)
    waiting = list(_find_waiting(ctx, pins, options.words))
    if options.list or not waiting:
        lines = [function.line for function, _ in waiting]
        if ctx.as_json:
            ctx.emit({"waiting": lines})
        else:
            for line in lines or ["nothing needs approval"]:
                ctx.print(clean(line))
        return 1 if waiting else 0
    approved = []
    for function, document in waiting:
        ctx.note(f"description of {clean(function.line)}:")
        ctx.note(pins.difference(function, document))
        if ctx.confirm(f"Show this to models as {clean(function.line)}?"):
            pins.put(function, document)
            approved.append(function.line)
    if ctx.as_json:
        ctx.emit(
            {
                "approved": approved,
                "waiting": [f.line for f, _ in waiting if f.line not in approved],
            }
        )
    else:
        ctx.print(f"{len(approved)} of {len(waiting)} approved")
    return 0 if len(approved) == len(waiting) else 1


def _find_waiting(
    ctx: Context, pins: Any, words: list[str]
) -> list[tuple[Function, Mapping[str, Any]]]:
    from atip.errors import NotFoundError
    from atip.server.catalogue import Catalogue
    from atip.server.pins import CHANGED, NEW

    catalogue = Catalogue(ctx.app)
    names = [words[0]] if words else [e["name"] for e in ctx.app.list() if pins.knows(e["name"])]
    rows: list[tuple[Function, Mapping[str, Any]]] = []
    for name in names:
        try:
            entry = catalogue.get(name)
        except NotFoundError:
            if words:
                raise
            continue
        path = tuple(words[1:])
        functions = [f for way, f in entry.functions.items() if way[: len(path)] == path]
        if path and not functions:
            catalogue.function(" ".join(words))
        for function in functions:
            state = pins.state(function, entry.document)
            if state == CHANGED or (state == NEW and path and function.path == path):
                rows.append((function, entry.document))
    return rows
