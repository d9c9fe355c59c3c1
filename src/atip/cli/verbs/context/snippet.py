"""Print the note for AGENTS.md, CLAUDE.md or GEMINI.md: fewer than 100 tokens, for any number of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip context >> AGENTS.md", "atip context --skill > SKILL.md", "atip context --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--skill", action="store_true", help="as a SKILL.md for the whole toolbox, a little longer"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.codecs.context_snippets import ATIP, SKILL

    return print_snippet(ctx, SKILL if options.skill else ATIP)


def print_snippet(ctx: Context, text: str) -> int:
    """Print the text; with `--json` also its tokens and the files it usually goes into."""
    if not ctx.as_json:
        ctx.print_document(text.rstrip())
        return 0
    from atip.codecs.context_snippets import FILES
    from atip.system.tokens import find_counter

    tokenizer, count = find_counter()
    ctx.emit({"snippet": text, "tokens": count(text), "tokenizer": tokenizer, "files": list(FILES)})
    return 0
