"""Compare two versions of a tool's metadata: breaking, compatible, effects.

Suggests a version step. Shows the direction of every effect change; changes after which the new document
declares fewer dangers than the old one are marked as weaker claims. With --fail-on, exits 1 when changes of
that category were found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.model.diff.compare import Diff
    from atip.model.tool import Tool

EFFECTS = {"interactive": {"stdin": "optional", "prompts": False, "tty": False}}
EXAMPLES = (
    "atip diff old.json new.json",
    "mytool --agent | atip diff baseline.json - --fail-on breaking",
    "atip diff --format markdown v1.json v2.json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the earlier document, or -")
    parser.add_argument("new", metavar="NEW", help="the later document, or -")
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="form of the result"
    )
    parser.add_argument(
        "--fail-on",
        action="append",
        choices=("breaking", "effects"),
        default=[],
        help="exit 1 when there are such changes (repeatable)",
    )
    parser.add_argument("--semver", action="store_true", help="print only the version step")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import UsageError
    from atip.model.diff.compare import diff

    if options.old == "-" and options.new == "-":
        raise UsageError("cli.usage", "only one of OLD and NEW can be `-`")
    old, new = _load(options.old), _load(options.new)
    changes = diff(old, new)
    _print(changes, f"{old.name} {old.version} → {new.version}", options, ctx)
    return 1 if any(changes.of(category) for category in options.fail_on) else 0


def _print(changes: Diff, title: str, options: argparse.Namespace, ctx: Context) -> None:
    if ctx.as_json or options.format == "json":
        ctx.emit(changes.to_json())
        return
    from atip.cli.rendering.diff import render_markdown, render_text

    if options.semver:
        ctx.print(changes.semver)
    elif options.format == "markdown":
        ctx.print(render_markdown(changes, title).rstrip("\n"))
    else:
        for line in render_text(changes, ctx):
            ctx.print(line)


def _load(name: str) -> Tool:
    from atip.cli.documents import load_bytes, parse
    from atip.errors import FormatError
    from atip.model.reading.decode import decode

    try:
        document = parse(name, load_bytes(name))
        if isinstance(document, dict):
            return decode(document).tool
    except FormatError as error:
        message = f"`{name}`: {error.message}"
        raise FormatError(error.code, message, problems=error.problems, hint=error.hint) from error
    raise FormatError("format.type", f"`{name}` is not a metadata object")
