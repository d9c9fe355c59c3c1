"""One operation: arguments, effects, where it goes, and how to call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip api show github.issues_create", "atip api show github.issues_create --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="SOURCE.OPERATION", help="operation")
    parser.add_argument("--config", default=".", metavar="FILE", help="configuration or its folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.config import load_config
    from atip.apis.sync.operations import find_operation, split_target

    source, name = split_target(options.target)
    _, operation, document = find_operation(load_config(options.config), source, name)
    if ctx.as_json:
        ctx.emit({"source": source, **document})
        return 0
    from atip.apis.wrappers.module import signature, summary
    from atip.cli.output import clean

    ctx.print(clean(f"{source}.{signature(operation)}"))
    ctx.print(clean(summary(operation)))
    if operation.path:
        ctx.print(clean(f"{operation.method} {operation.path}"))
    schema = document["inputSchema"]
    for key, each in schema.get("properties", {}).items():
        kind = each.get("type", "") if isinstance(each, dict) else ""
        needed = " (required)" if key in schema.get("required", ()) else ""
        text = " ".join(str(each.get("description", "")).split())[:100]
        ctx.print(clean(f"  {key}: {kind}{needed} {text}".rstrip()))
    return 0
