"""List remote registries in lookup order: pins, number of shims, last error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip registry list", "atip registry list --json")


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean, count, table

    registries = ctx.app.registries.list()
    if ctx.as_json:
        ctx.emit({"registries": registries})
        return 0
    if not registries:
        ctx.print("no registries configured; `atip registry add URL` adds one")
        return 0
    rows = []
    for one in registries:
        pinned = f"root {one['root'][7:19]}…" if one["root"] else f"unsigned index, {one['lookup']}"
        rows.append(
            [
                clean(one["name"]),
                str(one["priority"]),
                count(one["shims"], "shim"),
                pinned,
                clean(one["lastError"] or one["refreshed"] or "never queried"),
            ]
        )
    for line in table(rows, width=100):
        ctx.print(line)
    return 0
