"""Show what a project's `codegen.config.json` would start, which secrets it uses and where it talks to, and agree to it.

Asked on the terminal once, and again when the file changes. Nothing of a configuration is used before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True}}
EXAMPLES = ("atip api approve", "atip api approve --config services/")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", default=".", metavar="FILE", help="configuration or its folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.approval import digest_of, find_dangers
    from atip.apis.config import load_config
    from atip.execution.consent import ask_on_terminal

    config = load_config(options.config)
    ctx.app.apis.approve(config, ask=ask_on_terminal)
    found = [each.to_text() for each in find_dangers(config)]
    if ctx.as_json:
        ctx.emit({"approved": True, "digest": digest_of(config), "findings": found})
        return 0
    ctx.print(f"approved: {'; '.join(found) or 'it touches its own folder alone'}")
    return 0
