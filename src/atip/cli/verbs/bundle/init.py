"""Write a bundle for a program from its metadata: CLI.md, one TOOL.md per command, validated strictly.

Install paths come from the records of package managers, the version pattern from the program's real output, the
sandbox from curated knowledge or from commands that you give to `--observe`.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "subprocess": True,
    "filesystem": {"read": True, "write": True, "delete": False},
    "interactive": {"stdin": "none", "prompts": True, "tty": False},
}
EXAMPLES = ("atip bundle init git --to .cli", "atip bundle init jq --observe 'jq --version'")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bin", metavar="BIN", help="name on the PATH, or a path")
    parser.add_argument("--to", default=".cli", metavar="DIR", help="where the folder goes")
    parser.add_argument(
        "--observe",
        action="append",
        default=[],
        metavar="LINE",
        help="run it traced for the sandbox",
    )
    parser.add_argument("--force", action="store_true", help="replace existing documents")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.bundles.documents.authoring import write_folder
    from atip.bundles.documents.loading import load_bundle
    from atip.cli.output import clean, count
    from atip.codecs.climd.write import bundle_id
    from atip.execution.consent import ask_on_terminal

    draft = ctx.app.bundles(note=ctx.note).draft(
        options.bin, observe=[shlex.split(line) for line in options.observe], ask=ask_on_terminal
    )
    folder = os.path.abspath(os.path.join(options.to, bundle_id(os.path.basename(options.bin))))
    write_folder(folder, draft.files, replace=options.force)
    bundle = load_bundle(folder, strict=True)
    problems = [problem.to_json() for problem in bundle.problems]
    if ctx.as_json:
        ctx.emit(
            {
                "folder": folder,
                "bundle": bundle.key,
                "files": sorted(draft.files),
                "problems": problems,
                "notes": list(draft.notes),
            }
        )
        return 0
    ctx.print(f"{clean(folder)}: {count(len(bundle.tools), 'tool')}, valid")
    for note in draft.notes:
        ctx.note(clean(note))
    ctx.note(f"next: review it, then `atip bundle install {clean(folder)}`")
    return 0
