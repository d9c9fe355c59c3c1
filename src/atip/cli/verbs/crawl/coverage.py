"""Count what a registry describes: tools, platforms, commands, effects, evidence; what is missing, and who claimed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.crawler.coverage import Coverage

EFFECTS = {
    "filesystem": {"read": True, "write": True},
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}
EXAMPLES = (
    "atip crawl coverage catalogue",
    "atip crawl coverage catalogue --claim ffmpeg --by Ada",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="source folder of the registry")
    parser.add_argument("--claim", default="", metavar="TOOL", help="claim a missing tool")
    parser.add_argument("--by", default="", metavar="WHO", help="with --claim: who (the user)")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.crawler.coverage import claim, count_coverage

    if options.claim:
        import getpass

        claim(options.folder, options.claim, options.by or getpass.getuser())
    coverage = count_coverage(options.folder)
    if ctx.as_json:
        ctx.emit(coverage.to_json())
    else:
        _print(coverage, ctx)
    return 0


def _print(coverage: Coverage, ctx: Context) -> None:
    from atip.cli.output import clean, table, width_of

    rows = [
        ("packages", f"{coverage.packages:,}"),
        ("tools", f"{coverage.tools:,}"),
        ("shims", f"{coverage.shims:,}"),
        ("commands", f"{coverage.commands:,}"),
        ("options", f"{coverage.options:,}"),
        ("with effects", f"{coverage.with_effects:,}"),
        ("with structure", f"{coverage.with_structure:,}"),
    ]
    for title, counts in (
        ("platform", coverage.platforms),
        ("trust", coverage.by_trust),
        ("ecosystem", coverage.by_ecosystem),
        ("method", coverage.by_method),
    ):
        rows += [(f"{title} {name}", f"{number:,}") for name, number in counts.items()]
    for line in table(rows, width=width_of(ctx)):
        ctx.print(line)
    for entry in coverage.missing:
        by = f", claimed by {clean(entry['claimedBy'])}" if "claimedBy" in entry else ""
        ctx.print(f"missing: {clean(entry['name'])} {' '.join(entry['platforms'])}{by}")
