"""Generate a shim from a local program, for a contribution by hand. The program runs only in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True},
    "subprocess": True,
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}
EXAMPLES = ("atip crawl generate /usr/bin/mytool --name mytool --version 1.0.0",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("binary", metavar="BINARY", help="path or name of the program")
    parser.add_argument("--name", default="", help="name of the tool (that of the file)")
    parser.add_argument("--version", default="", help="its version")
    parser.add_argument("--output", default="", metavar="DIR", help="write DIR/<hash>.json")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.groups.crawling import stamp
    from atip.cli.output import clean
    from atip.crawler.changes import encode_shim
    from atip.crawler.generating import generate_shim
    from atip.system.clock import now_iso
    from atip.system.files import write_atomic

    document = generate_shim(options.binary, options.name, options.version, stamp() or now_iso())
    if options.output:
        os.makedirs(options.output, exist_ok=True)
        digits = str(document["binary"]["hash"]).removeprefix("sha256:")
        path = os.path.join(options.output, f"{digits}.json")
        write_atomic(path, encode_shim(document), mode=0o644)
        ctx.note(f"  Generated: {clean(path)}")
    if ctx.as_json:
        ctx.emit({"shim": document})
    elif not options.output:
        import json

        ctx.print_document(clean(json.dumps(document, indent=2, ensure_ascii=False), newlines=True))
    return 0
