"""Print the CMP instruction for AGENTS.md, CLAUDE.md or GEMINI.md: fewer than 100 tokens, for any number of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip cmp snippet >> AGENTS.md",)


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.context.snippet import print_snippet
    from atip.codecs.context_snippets import CMP

    return print_snippet(ctx, CMP)
