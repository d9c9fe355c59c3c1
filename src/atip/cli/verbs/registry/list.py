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
    for registry in registries:
        pinned = (
            f"root {registry['root'][7:19]}…"
            if registry["root"]
            else f"unsigned index, {registry['lookup']}"
        )
        rows.append(
            [
                clean(registry["name"]),
                str(registry["priority"]),
                count(registry["shims"], "shim"),
                pinned,
                clean(registry["lastError"] or registry["refreshed"] or "never queried"),
            ]
        )
    for line in table(rows, width=100):
        ctx.print(line)
    return 0
