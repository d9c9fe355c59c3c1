"""Find commands by intent, over all known tools: describe what you want in your own words.

With `--tool` only the commands of one tool are ranked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {
        "read": True,
        "write": True,
        "delete": False,
        "paths": ["~/.local/share/agent-tools/index.sqlite"],
    }
}
EXAMPLES = (
    "atip search list open pull requests",
    "atip search --tool git undo the last commit",
    "atip search delete a file --lacking network --json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive

    parser.add_argument("words", nargs="+", metavar="WORDS", help="what you want to do")
    parser.add_argument("--limit", type=positive, default=5, metavar="N", help="at most this many")
    parser.add_argument("--tool", default=None, metavar="TOOL", help="only commands of this tool")
    parser.add_argument(
        "--having",
        action="append",
        default=[],
        metavar="FACT",
        help="commands with this effect (repeatable)",
    )
    parser.add_argument(
        "--lacking",
        action="append",
        default=[],
        metavar="FACT",
        help="commands that are known to be without this effect (repeatable)",
    )
    parser.add_argument(
        "--available", action="store_true", help="only tools whose program is installed"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    words = " ".join(options.words)
    if ctx.err.isatty() and not ctx.as_json:
        _build_index(ctx)
    hits = ctx.app.search(
        words,
        options.limit,
        tool=options.tool,
        having=options.having,
        lacking=options.lacking,
        available=options.available,
    )
    notices = ctx.app.notices
    if ctx.as_json:
        document = {"query": words, "results": [hit.to_json() for hit in hits]}
        ctx.emit({**document, "notices": notices} if notices else document)
        return 0 if hits else 1
    for notice in notices:
        ctx.note(notice)
    from atip.cli.output import WIDEST, clean, shorten, table, width_of

    width = width_of(ctx)
    names = min(max((len(clean(hit.line)) for hit in hits), default=0), WIDEST)
    for hit in hits:
        row = (clean(hit.line).ljust(names), clean(hit.summary))
        for line in table([row], indent="", width=width):
            ctx.print(line)
        if hit.option is not None:
            ctx.print(shorten(f"  {clean(hit.option.line)}", width))
    if not hits:
        ctx.note(_hint(options.tool, bool(options.having or options.lacking), ctx))
    return 0 if hits else 1


def _build_index(ctx: Context) -> None:
    """Build the index with a progress line: after an update of many tools this takes seconds."""
    from atip.cli.rendering.progress import ProgressLine

    progress = ProgressLine(ctx)
    try:
        ctx.app.build_search_index(progress)
    finally:
        progress.close()


def _hint(tool: str | None, filtered: bool, ctx: Context) -> str:
    """Explain an empty result: no such tool, everything filtered out, or no match."""
    if tool is not None:
        from atip.model.shapes.shape import closest

        index = ctx.app.store.load_index()["tools"]
        close = None if tool in index else closest(tool, index)
        if close is not None:
            return f"nothing found; no tool `{tool}`, did you mean `{close}`?"
    if filtered:
        return "nothing found; try without --having and --lacking, or other words"
    if not ctx.app.store.load_index()["tools"]:
        return "nothing found: the index is empty; run `atip scan`"
    if ctx.app.notices:
        return "nothing found; the note above may be the reason"
    return "nothing found; try other words"
