"""Update wrappers, index and `.agent-ready.json` from the sources in `codegen.config.json`.

Only files whose content changed are written. A source that cannot be read keeps its earlier files; exit code 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"network": True, "filesystem": {"read": True, "write": True}}
EXAMPLES = ("atip api sync", "atip api sync github --definitions --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="only these sources")
    parser.add_argument("--config", default=".", metavar="FILE", help="configuration or its folder")
    parser.add_argument(
        "--definitions", action="store_true", help="write every tool in full into the manifest"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.config import load_config
    from atip.apis.sync.syncing import sync
    from atip.execution.consent import ask_on_terminal

    config = load_config(options.config)
    for name in options.sources:
        config.get(name)
    ctx.app.apis.approve(config, calling=False, ask=ask_on_terminal)

    def progress(name: str, done: int, total: int) -> None:
        if not ctx.as_json and ctx.err.isatty():
            ctx.note(f"[{done + 1}/{total}] {name}")

    report = sync(
        config,
        ctx.app.apis.access,
        only=tuple(options.sources),
        definitions=options.definitions,
        progress=progress,
    )
    for source in report.sources:
        if source.error is None:
            ctx.app.apis.remember(config, source.name)
    if ctx.as_json:
        sources = [source.to_json() for source in report.sources]
        ctx.emit({"manifest": report.manifest, "sources": sources, "complete": report.is_complete})
        return 0 if report.is_complete else 1
    from atip.cli.output import clean, count

    for source in report.sources:
        if source.error is not None:
            ctx.note(f"{source.name}: {clean(source.error.message)} ({source.error.code})")
            continue
        changed = f"{source.written} written" if source.written else "unchanged"
        gone = f", {source.removed} removed" if source.removed else ""
        ctx.print(f"{source.name}: {count(source.operations, 'operation')}, {changed}{gone}")
        for line in source.lost[:5]:
            ctx.note(f"  left out: {clean(line)}")
    ctx.print(f"manifest: {report.manifest}")
    return 0 if report.is_complete else 1
