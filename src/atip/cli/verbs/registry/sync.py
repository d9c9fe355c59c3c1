"""Look up every known tool in every registry; fetch new shims, policies and patterns.

Private: a registry with a signed index never learns the hash of a binary that it does not list. A shim that now
declares fewer dangers than before is shown and accepted only after confirmation, or with --approve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from atip.cli.context import Context
    from atip.registry.remote.sync import PendingChange
    from atip.toolbox import SyncedRegistries

EFFECTS = {"network": True, "filesystem": {"read": True, "write": True, "delete": False}}
EXAMPLES = (
    "atip registry sync",
    "atip registry sync --prefetch gh,jq",
    "atip registry sync --approve curl",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--refresh", action="store_true", help="query again even what is fresh (sync always does)"
    )
    parser.add_argument(
        "--prefetch", default="", metavar="NAMES", help="all versions of these tools: a,b"
    )
    parser.add_argument(
        "--approve",
        action="append",
        default=[],
        metavar="TOOL",
        help="accept its weaker description",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    prefetch = tuple(filter(None, options.prefetch.split(",")))
    synced = ctx.app.sync(approve=options.approve, prefetch=prefetch)
    if not ctx.as_json:
        if not ctx.app.registries.list():
            ctx.note("no registry is configured; `atip registry add URL` adds one")
        _print(ctx, synced)
        agreed = _ask(ctx, synced.report.waiting)
        if agreed:
            synced = ctx.app.sync(approve=[*options.approve, *agreed])
            _print(ctx, synced)
    else:
        ctx.emit(synced.to_json())
    return 1 if synced.report.problems or synced.report.waiting else 0


def _ask(ctx: Context, waiting: Sequence[PendingChange]) -> list[str]:
    """Digests that the user accepted; none without a terminal."""
    if not (waiting and ctx.is_tty and ctx.stdin.isatty()):
        return []
    return [
        change.digest
        for change in waiting
        if ctx.confirm(f"accept the new description of {change.name}?")
    ]


def _print(ctx: Context, synced: SyncedRegistries) -> None:
    from atip.cli.output import clean, count

    report = synced.report
    ctx.print(
        f"{count(report.lookups, 'tool')} looked up with {count(report.requests, 'request')}: "
        f"{len(report.answers)} known, {len(report.fetched)} new or changed"
    )
    described = [name for name in synced.changed if name not in synced.lost]
    if described:
        ctx.print("  now described by a registry: " + clean(", ".join(described[:20])))
    if synced.lost:
        ctx.print("  no longer described by a registry: " + clean(", ".join(synced.lost[:20])))
    for waiting in report.waiting:
        ctx.print(f"  {clean(waiting.name)} ({clean(waiting.registry)}) warns of less than before:")
        for change in waiting.update.weaker:
            ctx.print(f"    {clean(change.at)}: {clean(change.message)}")
        ctx.print(f"    to take it over: atip registry sync --approve {clean(waiting.name)}")
    for problem in (*report.warnings, *report.problems):
        ctx.note(f"  {clean(problem['registry'])}: {clean(problem['message'])} [{problem['code']}]")
        if problem["hint"]:
            ctx.note(f"      {clean(problem['hint'])}")
