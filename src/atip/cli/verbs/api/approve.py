"""Show which programs, secrets and hosts a project's `codegen.config.json` uses, and approve it.

Confirmed on the terminal once, and again when the file changes. A configuration is not used before approval.
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
    dangers = [danger.to_text() for danger in find_dangers(config)]
    if ctx.as_json:
        ctx.emit({"approved": True, "digest": digest_of(config), "findings": dangers})
        return 0
    ctx.print(f"approved: {'; '.join(dangers) or 'it uses only its own folder'}")
    return 0
