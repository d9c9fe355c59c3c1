"""Print the JSON Schema (2020-12) of one of our documents.

Without a name, lists the schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip schema metadata", "atip schema policy > policy.schema.json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="kind of document")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import NotFoundError
    from atip.model.shapes.schema import names, schema_of
    from atip.model.shapes.shape import closest

    if options.name is None:
        if ctx.as_json:
            ctx.emit({"schemas": list(names())})
        else:
            for name in names():
                ctx.print(name)
        return 0
    if options.name not in names():
        close = closest(options.name, names())
        hint = f"did you mean `{close}`?" if close else "schemas: " + ", ".join(names())
        raise NotFoundError("schema.unknown", f"no schema `{options.name}`", hint=hint)
    import json

    text = json.dumps(
        schema_of(options.name), indent=None if ctx.as_json else 2, ensure_ascii=False
    )
    ctx.print_document(text)
    return 0
