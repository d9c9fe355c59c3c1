"""Write an entry for a bundle: its adapters in Python or TypeScript, with the identity that CLI.md states.

An entry is code of the bundle's author (`defineCli` of AIP-29): a parser of outputs, a login that front matter cannot express. For
TypeScript the module with types and `defineCli` is written beside it. Existing files are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"write": True}}
EXAMPLES = ("atip bundle entry examples/bundles/jq --language typescript --out /tmp/jq-entry",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")
    parser.add_argument(
        "--language", choices=("python", "typescript"), default="python", help="default: python"
    )
    parser.add_argument("--out", metavar="DIR", help="where to write; default: the bundle's folder")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.bundle_surface import make_host

    host = make_host(ctx)
    bundle = host.load(options.bundle)
    paths = host.write_entry(bundle, options.language, options.out or bundle.folder)
    if ctx.as_json:
        ctx.emit({"bundle": bundle.key, "written": paths})
    else:
        for path in paths:
            ctx.print(path)
    return 0
