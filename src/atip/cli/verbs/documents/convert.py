"""Translate a document between formats and report what the target cannot express.

The result goes to standard output or to `--output`; losses go to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"interactive": {"stdin": "optional", "prompts": False, "tty": False}}
FLAG_EFFECTS = {"--output": {"filesystem": {"write": True}}}
EXAMPLES = ("atip convert --to atip-0.1 tool.json", "atip convert --list")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="document, or - for standard input"
    )
    parser.add_argument("--to", metavar="FORMAT", help="target format")
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", default="atip", help="format of FILE"
    )
    parser.add_argument("--output", metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace an existing output file")
    parser.add_argument("--fail-on-loss", action="store_true", help="exit 1 when anything was lost")
    parser.add_argument("--list", action="store_true", help="list the formats")
    parser.add_argument(
        "--losses",
        action="store_true",
        help="what every pair of formats loses, measured on a sample",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.codecs.interface import FORMATS, encoder
    from atip.errors import UsageError

    if options.list:
        _list(ctx, FORMATS)
        return 0
    if options.losses:
        _losses(ctx)
        return 0
    if not options.to:
        raise UsageError("cli.usage", "`--to FORMAT` is missing", hint="see `atip convert --list`")
    from atip.cli.documents import load_bytes
    from atip.discovery.conversion.reading import read_format

    write = encoder(options.to)
    decoded = read_format(load_bytes(options.file), options.source, origin=options.file)
    encoded = write(decoded.tool)
    losses = [*decoded.losses, *encoded.losses]
    if options.output:
        _write(options.output, _text(encoded.data), force=options.force)
    if ctx.as_json:
        ctx.emit({"data": encoded.data, "losses": [loss.to_json() for loss in losses]})
    elif not options.output:
        ctx.print_document(_text(encoded.data).rstrip("\n"))
    for loss in losses if not ctx.as_json else ():
        ctx.note(f"lost {loss.path}: {loss.message}")
    return 1 if losses and options.fail_on_loss else 0


def _text(data: object) -> str:
    if isinstance(data, str):
        return data
    import json

    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _write(path: str, text: str, *, force: bool) -> None:
    import os

    from atip.errors import AtipError
    from atip.system.files import write_atomic

    if os.path.exists(path) and not force:
        raise AtipError(
            "file.exists", f"`{path}` already exists", hint="use `--force` to replace it"
        )
    write_atomic(path, text.encode(), mode=0o644)


def _list(ctx: Context, formats: dict[str, tuple[str, str]]) -> None:
    if ctx.as_json:
        ctx.emit({"formats": {name: line for name, (_module, line) in formats.items()}})
        return
    from atip.cli.output import table

    for line in table([(name, text) for name, (_module, text) in formats.items()], indent=""):
        ctx.print(line)


def _losses(ctx: Context) -> None:
    from atip.discovery.conversion.loss_table import loss_table

    losses = loss_table()
    if ctx.as_json:
        pairs = [{"from": a, "to": b, "lost": list(lost)} for (a, b), lost in losses.items()]
        ctx.emit({"pairs": pairs})
        return
    from atip.discovery.conversion.loss_table import matrix

    for line in matrix(losses):
        ctx.print(line)
