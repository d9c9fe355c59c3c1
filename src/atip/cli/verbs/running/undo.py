"""Restore the files that a confined line changed or removed in this workspace.

`run --line` keeps a copy of what it changes, for a week. Without RUN, undoes the newest line that is not undone yet. If a file was changed
since, nothing is restored. Folders that package managers fill (`node_modules`, `.venv`) are not saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": False,
    "subprocess": False,
    "reversible": True,
}
EXAMPLES = ("atip undo --list", "atip undo", "atip undo 3f2a9c01d4e5b6a7")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="what each line changed here")
    parser.add_argument("--forget", action="store_true", help="delete the copies of RUN")
    parser.add_argument(
        "run", nargs="?", default="", metavar="RUN", help="a run, or the beginning of its name"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import UsageError

    lines = ctx.app.changes()
    if options.list:
        return _list(ctx, [entry.to_json() for entry in lines.list()])
    if options.forget:
        if not options.run:
            raise UsageError("undo.run", "`--forget` needs a RUN", hint="`atip undo --list`")
        lines.forget(options.run)
        return 0
    change = lines.undo(options.run)
    if ctx.as_json:
        ctx.emit(change.to_json())
        return 0
    ctx.print(f"undid {change.run}: {_clean(change.line)}")
    _print_paths(ctx, change.to_json())
    return 0


def _list(ctx: Context, rows: list[dict[str, Any]]) -> int:
    from atip.system.clock import iso

    if ctx.as_json:
        ctx.emit({"runs": rows})
        return 0
    for row in rows:
        marks = [name for name in ("undone", "interrupted") if row[name]]
        rest = f"  ({', '.join(marks)})" if marks else ""
        ctx.print(f"{row['run']}  {iso(row['time'])}  {_clean(row['line'])}{rest}")
        _print_paths(ctx, row)
    if not rows:
        ctx.note("no confined line changed files in this workspace")
    return 0


def _print_paths(ctx: Context, row: dict[str, Any]) -> None:
    for kind in ("made", "removed", "changed"):
        for path in row[kind]:
            ctx.print(f"  {kind:<8} {_clean(path)}")


def _clean(text: str) -> str:
    from atip.cli.output import clean

    return clean(text)
