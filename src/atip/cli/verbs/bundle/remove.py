"""Remove a bundle: what was installed for it alone, its ledger, its login state and its secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": True}}
EXAMPLES = ("atip bundle remove httpie@1",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="id@major, id or folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.bundle_surface import make_host

    removed = make_host(ctx).remove(options.bundle)
    if ctx.as_json:
        ctx.emit({"removed": removed})
    else:
        ctx.print("removed" if removed else "nothing to remove")
    return 0 if removed else 1
