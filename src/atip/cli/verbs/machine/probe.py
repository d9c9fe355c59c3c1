"""Probe one tool for its own metadata, confined, even if a scan would not.

First `--help`; if that mentions `--agent`, or with `--force`, then `--agent`. Nothing is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip probe mytool", "atip probe ./build/mytool --force")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", help="name on the PATH, or a path")
    parser.add_argument("--force", action="store_true", help="ask `--agent` whatever the help says")


def run(options: argparse.Namespace, ctx: Context) -> int:
    answer = ctx.app.probe(options.tool, force=options.force)
    from atip.model.reading.encode import encode

    document = encode(answer.tool)
    if ctx.as_json:
        ctx.emit(
            {"metadata": document, "problems": [problem.to_json() for problem in answer.problems]}
        )
    else:
        import json

        from atip.cli.output import clean

        ctx.print_document(clean(json.dumps(document, indent=2, ensure_ascii=False), newlines=True))
        for problem in answer.problems:
            ctx.note(f"{problem.severity} {clean(problem.path)}: {clean(problem.message)}")
        if answer.renamed_from is not None:
            ctx.note(f"note: its metadata says `{clean(answer.renamed_from)}` as name")
    return 0
