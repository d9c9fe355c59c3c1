"""Revoke remembered approvals; from then on you are asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "destructive": False,
}
EXAMPLES = ("atip approvals revoke 3f2a9c01d4e5", "atip approvals revoke --all")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="as `approvals list` shows them")
    parser.add_argument("--all", action="store_true", help="every one")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.execution.approvals import Approvals

    if bool(options.ids) == options.all:
        raise UsageError("approvals.which", "give the ids to revoke, or `--all`")
    approvals = Approvals(ctx.app.places.config)
    known_ids = [approval.id for approval in approvals.list()]
    selected = known_ids if options.all else options.ids
    missing = [name for name in selected if name not in known_ids]
    if missing:
        raise NotFoundError(
            "approvals.unknown",
            f"no remembered approval `{missing[0][:40]}`",
            hint="`atip approvals list` shows them",
        )
    for name in selected:
        approvals.forget(name)
    if ctx.as_json:
        ctx.emit({"revoked": list(selected)})
    else:
        ctx.print(f"revoked {len(selected)}")
    return 0
