"""Sources, or the operations of one source, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import NotFoundError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip api list", "atip api list github issues", "atip api list github --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", default="", metavar="SOURCE", help="one source")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only operations with these words")
    parser.add_argument("--config", default=".", metavar="FILE", help="configuration or its folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.config import load_config

    try:
        config = load_config(options.config)
    except NotFoundError as missing:
        return _foreign(options, ctx, missing)
    if not options.source:
        return _sources(config, ctx)
    from atip.apis.sync.operations import load_operations
    from atip.apis.wrappers.module import signature, summary

    api = load_operations(config, options.source)
    words = [word.lower() for word in options.words]
    operations = [
        operation
        for operation in api.operations
        if all(word in f"{operation.name} {operation.summary}".lower() for word in words)
    ]
    if ctx.as_json:
        from atip.model.reading.encode import encode_effects

        ctx.emit(
            {
                "source": api.name,
                "kind": api.kind,
                "operations": [
                    {
                        "name": operation.name,
                        "original": operation.original,
                        "signature": signature(operation),
                        "summary": operation.summary,
                        "method": operation.method,
                        "path": operation.path,
                        "effects": encode_effects(operation.effects),
                    }
                    for operation in operations
                ],
            }
        )
        return 0
    from atip.cli.output import clean, shorten, width_of

    for operation in operations:
        ctx.print(shorten(clean(f"{signature(operation)} – {summary(operation)}"), width_of(ctx)))
    return 0


def _foreign(options: argparse.Namespace, ctx: Context, missing: NotFoundError) -> int:
    """Without a configuration: list the sources of another generator's manifest, none of them callable."""
    from atip.apis.manifests import find_manifest, read_manifest
    from atip.codecs.apis.atm import listed_sources

    try:
        path = find_manifest(options.config)
    except NotFoundError:
        raise missing from None
    manifest = read_manifest(path)
    rows = listed_sources(manifest) if isinstance(manifest, dict) else []
    if options.source:
        rows = [row for row in rows if row["name"] == options.source]
        if not rows:
            raise NotFoundError(
                "api.unknown-source", f"`{path}` does not list a source `{options.source[:80]}`"
            )
    hint = (
        "a manifest does not say how to reach its sources; `atip api init` writes a configuration"
    )
    if ctx.as_json:
        ctx.emit({"manifest": path, "sources": rows, "callable": False, "hint": hint})
        return 0
    from atip.cli.output import clean, table, width_of

    cells = [(clean(str(row["name"])), clean(str(row["kind"])), f"{row['operations']} operations" if row["operations"] is not None else "operations not listed") for row in rows]  # fmt: skip
    for line in table(cells, indent="", width=width_of(ctx)):
        ctx.print(line)
    ctx.note(f"{clean(path)}: {hint}")
    return 0


def _sources(config: object, ctx: Context) -> int:
    from atip.apis.config import ApiConfig
    from atip.apis.sync.operations import load_operations
    from atip.cli.output import table, width_of

    assert isinstance(config, ApiConfig)
    rows: list[dict[str, object]] = []
    for source in config.sources:
        try:
            number: int | None = len(load_operations(config, source.name).operations)
        except NotFoundError:
            number = None
        rows.append({"name": source.name, "kind": source.kind, "operations": number})
    if ctx.as_json:
        ctx.emit({"sources": rows})
        return 0
    cells = [
        (
            str(row["name"]),
            str(row["kind"]),
            "not synced" if row["operations"] is None else f"{row['operations']} operations",
        )
        for row in rows
    ]
    for line in table(cells, indent="", width=width_of(ctx)):
        ctx.print(line)
    return 0
