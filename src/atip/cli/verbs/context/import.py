"""Check a tool context of another agent against this machine, and print the accepted part.

It grants nothing: tools that are missing here, or are different programs, are dropped and listed; a reported login is
a claim, kept only for tools that are the same program. Read from FILE, or from standard input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"interactive": {"stdin": "optional", "prompts": False, "tty": False}}
EXAMPLES = ("atip context import context.json", "atip context import - --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="file, or -")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.documents import load_bytes
    from atip.codecs.context_snippets import context_block
    from atip.model.permissions.tool_context import encode_tool_context

    imported = ctx.app.context.take(load_bytes(options.file))
    if ctx.as_json:
        dropped = [{"tool": name, "reason": reason} for name, reason in imported.dropped]
        ctx.emit({**encode_tool_context(imported.context), "dropped": dropped})
        return 0
    from atip.cli.output import clean

    ctx.print_document(context_block(imported.context, set(imported.context.available_tools or ())))
    for name, reason in imported.dropped:
        ctx.note(f"dropped {clean(name)}: {reason}")
    return 0
