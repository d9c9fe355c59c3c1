"""Find every tool on this machine and remember what can be known.

A plain scan reads each file once and executes only programs that hold the marks of a native tool, confined:
no network, empty home, 2 s, 1 MB. `--learn` also asks the rest (framework, completion, help), confined.
An unchanged machine is scanned again without executing anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context

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

SOURCES = {
    "override": "your own overrides",
    "native": "answered --agent",
    "shim": "shims by hash",
    "adapter": "CLI.md and CMP adapters",
    "framework": "framework introspection",
    "completion": "completion scripts",
    "help": "help texts",
    "man": "man pages",
    "knowledge": "curated knowledge alone",
}


def configure(parser: argparse.ArgumentParser) -> None:
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
        "--learn", action="store_true", help="also ask tools that are not native, confined"
    )
    parser.add_argument("--refresh", action="store_true", help="ask again what is unchanged")
    parser.add_argument(
        "--jobs", type=int, default=0, help="confinements at work (default: one per processor)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be executed, execute nothing"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.discovery.scan import ScanOptions

    wanted = ScanOptions(
        paths=tuple(options.path),
        only=tuple(options.only),
        refresh=options.refresh or bool(os.environ.get("ATIP_REFRESH")),
        learn=options.learn,
        jobs=options.jobs,
    )
    if options.dry_run:
        return _dry_run(ctx, ctx.app.plan_scan(wanted))
    from atip.cli.progress import ProgressLine

    progress = ProgressLine(ctx)
    try:
        report = ctx.app.scan(wanted, progress=progress)
    finally:
        progress.close()
    summary = report.summary()
    if ctx.as_json:
        ctx.emit(summary)
    else:
        _print(ctx, summary)
    return 0


def _dry_run(ctx: Context, plan: Any) -> int:
    if ctx.as_json:
        ctx.emit(plan.to_json())
        return 0
    from atip.cli.output import clean, count

    ctx.print(
        f"{count(plan.found, 'executable')}; a scan would execute {count(len(plan.commands), 'program')}, confined:"
    )
    for command in plan.commands:
        ctx.print("  " + clean(" ".join(command)))
    return 0


def _print(ctx: Context, summary: dict[str, Any]) -> None:
    from atip.cli.output import clean, count, paint, table

    known = sum(summary["sources"].values())
    head = f"{count(summary['found'], 'tool')} found, {known:,} described, {count(summary['executed'], 'program')} executed"
    ctx.print(paint(ctx, head, "bold") + (" (nothing changed)" if summary["unchanged"] else ""))
    rows = [(f"{number:>6,}", SOURCES[rung]) for rung, number in summary["sources"].items()]
    if summary["unknown"]:
        rows.append(
            (
                f"{summary['unknown']:>6,}",
                "known by name and hash only: `atip scan --learn` asks them, confined",
            )
        )
    for line in table(rows, indent=""):
        ctx.print(line)
    for reason, number in summary["skipped"]["files"].items():
        ctx.print(f"{number:>6,}  not looked at: {reason}")
    for skipped in summary["skipped"]["directories"]:
        ctx.print(f"        directory skipped: {clean(skipped['path'])} ({skipped['reason']})")
    if summary["shadowed"]:
        ctx.print(f"{len(summary['shadowed']):>6,}  shadowed by an earlier directory")
    if summary["refused"]:
        names = ", ".join(clean(refusal["name"]) for refusal in summary["refused"][:6])
        ctx.print(f"{len(summary['refused']):>6,}  looked native but gave no metadata: {names}")
    for warning in summary["warnings"]:
        ctx.print(
            f"        {clean(warning['name'])}: {WARNINGS.get(warning['code'], warning['code'])}"
        )


WARNINGS = {
    "probe.name-mismatch": "describes itself under another name; kept under its own",
    "probe.changed-answer": "describes itself differently than before for the same bytes; the old description is kept",
    "probe.file-changed": "changed while it was asked; look again",
    "file.unreadable": "cannot be read",
}
