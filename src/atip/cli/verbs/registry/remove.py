"""Remove a remote registry: its entry, its shims, its policy, and its recorded versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": True}, "network": False}
EXAMPLES = ("atip registry remove community",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME|URL", help="as `atip registry list` shows it")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean, count

    url, names = ctx.app.registries.remove(options.name)
    if ctx.as_json:
        ctx.emit({"removed": url, "tools": list(names)})
    else:
        ctx.print(
            f"removed {clean(url)}; {count(len(names), 'tool')} now described by other sources"
        )
    return 0
