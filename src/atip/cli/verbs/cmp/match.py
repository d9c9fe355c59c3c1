"""Match a request to an intent of the CMP tools, and explain why. Runs nothing.

Exit code 1 when nothing matches, or when the match is ambiguous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ('atip cmp match "restore emails"', 'atip cmp match "clean inbox" --tool inboxd --json')


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="+", metavar="WORDS", help="what you want to do")
    parser.add_argument("--tool", default=None, metavar="TOOL", help="only intents of this tool")


def run(options: argparse.Namespace, ctx: Context) -> int:
    match = ctx.app.intents.match(" ".join(options.words), tool=options.tool)
    if ctx.as_json:
        ctx.emit(match.to_json())
        return 0 if match.chosen else 1
    from atip.cli.output import clean, table, width_of

    if match.chosen is not None:
        intent = match.chosen.candidate.intent
        mark = " [needs confirmation]" if intent.needs_consent else ""
        ctx.print(f"{clean(match.chosen.candidate.tool)}: {clean(intent.command)}{mark}")
        ctx.note(f"{match.reason}: `{clean(match.chosen.pattern)}` ({match.chosen.score:.2f})")
        return 0
    rows = [
        (
            f"{choice.score:.2f}",
            clean(choice.candidate.tool),
            clean(choice.pattern),
            clean(choice.candidate.intent.command),
        )
        for choice in match.choices
    ]
    for line in table(rows, indent="", width=width_of(ctx)):
        ctx.print(line)
    ctx.note(match.reason)
    return 1
