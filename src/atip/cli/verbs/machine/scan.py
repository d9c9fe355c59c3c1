"""Find every tool on this machine and store its metadata.

A plain scan reads each file once and executes only programs with the marks of a native tool, confined:
no network, empty home, 2 s, 1 MB. `--learn` also probes the others (framework, completion, help), confined.
Scanning an unchanged machine again executes nothing. The search index is updated while it runs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context
    from atip.cli.rendering.progress import ProgressLine

EFFECTS = {
    "filesystem": {
        "read": True,
        "write": True,
        "delete": False,
        "paths": ["~/.local/share/agent-tools", "~/.cache/agent-tools"],
    },
    "subprocess": True,
}
EXAMPLES = ("atip scan", "atip scan --path ~/bin --dry-run", "atip scan --learn")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        help="scan only this directory (repeatable)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="look only at this tool (repeatable)",
    )
    parser.add_argument(
        "--learn", action="store_true", help="also probe tools that are not native, confined"
    )
    parser.add_argument("--refresh", action="store_true", help="probe unchanged tools again")
    parser.add_argument(
        "--jobs", type=natural, default=0, help="sandboxes in parallel (default: two per processor)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be executed, execute nothing"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    if not (options.refresh or options.dry_run or os.environ.get("ATIP_REFRESH")) and _unchanged(
        options, ctx
    ):
        return 0
    from atip.cli.output import clean
    from atip.discovery.report import render_summary
    from atip.discovery.scan import ScanOptions

    scan_options = ScanOptions(
        paths=tuple(options.path),
        only=tuple(options.only),
        refresh=options.refresh or bool(os.environ.get("ATIP_REFRESH")),
        learn=options.learn,
        jobs=options.jobs,
    )
    if options.dry_run:
        return _dry_run(ctx, ctx.app.plan_scan(scan_options))
    from atip.cli.rendering.progress import ProgressLine

    progress = ProgressLine(ctx)
    try:
        report = ctx.app.scan(scan_options, progress=progress)
        _build_index(ctx, progress)
    finally:
        progress.close()
    summary = report.summary()
    if ctx.as_json:
        notices = {"notices": ctx.app.notices} if ctx.app.notices else {}
        ctx.emit({**summary, **_mcp(ctx, _is_whole(options)), **notices})
    else:
        ctx.print(render_summary(summary))
        _print_mcp(ctx, _is_whole(options))
        for notice in ctx.app.notices:
            ctx.note(clean(notice))
    return 0


def _build_index(ctx: Context, progress: ProgressLine) -> None:
    """Update the search index, so that the first search does not have to."""
    progress("indexing", 0, 1)
    ctx.app.build_search_index(progress)


def _unchanged(options: argparse.Namespace, ctx: Context) -> bool:
    """Repeat the last summary when nothing changed; loads as little as possible (see the module there)."""
    import os

    from atip.discovery.unchanged import find_unchanged
    from atip.system.xdg import cache_folder, config_folder, home_folder

    home = home_folder()
    if os.path.exists(os.path.join(config_folder(os.environ, home), "config.json")):
        return False
    cache = cache_folder(os.environ, home)
    summary = find_unchanged(options.path, options.only, options.learn, cache)
    if summary is None:
        return False
    is_whole = _is_whole(options)
    if not ctx.as_json:
        ctx.print(summary[1])
        _print_mcp(ctx, is_whole)
    elif not is_whole:
        ctx.print(summary[0])
    else:
        import json

        ctx.emit({**json.loads(summary[0]), **_mcp(ctx, is_whole)})
    return True


def _is_whole(options: argparse.Namespace) -> bool:
    """Whether the whole machine is scanned, not only some directories or tools: then MCP servers are listed too."""
    return not options.path and not options.only


def _mcp(ctx: Context, is_whole: bool) -> dict[str, Any]:
    from atip.cli.verbs.machine.list import mcp_document

    return mcp_document(ctx) if is_whole else {}


def _print_mcp(ctx: Context, is_whole: bool) -> None:
    from atip.cli.verbs.machine.list import mcp_lines

    for line in mcp_lines(ctx) if is_whole else ():
        ctx.print(line)


def _dry_run(ctx: Context, plan: Any) -> int:
    if ctx.as_json:
        ctx.emit(plan.to_json())
        return 0
    from atip.cli.output import clean, count

    ctx.print(
        f"{count(plan.program_count, 'executable')}; a scan would execute {count(len(plan.commands), 'program')}, confined:"
    )
    for command in plan.commands:
        ctx.print("  " + clean(" ".join(command)))
    return 0
