"""Remove tools from the index. The next scan finds them again if they are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {
        "read": True,
        "write": True,
        "delete": False,
        "paths": ["~/.local/share/agent-tools"],
    }
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tools", nargs="+", metavar="TOOL", help="name of a tool")


def run(options: argparse.Namespace, ctx: Context) -> int:
    removed = ctx.app.forget(options.tools)
    missing = [name for name in options.tools if name not in removed]
    if ctx.as_json:
        ctx.emit({"forgotten": removed, "unknown": missing})
    else:
        from atip.cli.output import clean

        for name in removed:
            ctx.print(f"removed {clean(name)}")
        for name in missing:
            ctx.note(f"not in the index: {clean(name)}")
    return 0 if not missing else 1
