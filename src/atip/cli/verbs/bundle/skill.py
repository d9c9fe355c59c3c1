"""Print a SKILL.md for a bundle: its commands, the prerequisite it declares, and whether it is met on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip bundle skill examples/bundles/jq",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.bundle_surface import make_host

    host = make_host(ctx)
    bundle = host.load(options.bundle)
    status = host.status(bundle)
    text = host.skill(bundle, is_ready=status.is_ready, next_step=status.phase)
    if ctx.as_json:
        ctx.emit({"bundle": bundle.key, "ready": status.is_ready, "skill": text})
    else:
        ctx.out.write(text)
    return 0
