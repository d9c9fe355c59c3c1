"""Write a known tool as a CMP tool: an adapter in `~/.cmp/tools`, with patterns made from its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False, "paths": ["~/.cmp/tools"]}}
EXAMPLES = ("atip cmp install gh", "atip cmp install gh --link --force")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", help="name of a known tool")
    parser.add_argument(
        "--to", default=None, metavar="DIR", help="folder of tools; default ~/.cmp/tools"
    )
    parser.add_argument("--link", action="store_true", help="also link the program into `bin/`")
    parser.add_argument("--force", action="store_true", help="replace existing documents")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.codecs.cmp import codec as cmp
    from atip.discovery.cmp.folder import write_folder

    tool = ctx.app.get(options.tool)
    encoded = cmp.encode(tool)
    program = ctx.app.locate(tool.name, real=False) if options.link else None
    place = options.to or ctx.app.intents.places()[0]
    folder = write_folder(place, tool.name, encoded.data, program=program, replace=options.force)
    intents = encoded.data["capability"]["intents"]
    if ctx.as_json:
        losses = [loss.to_json() for loss in encoded.losses]
        ctx.emit({"folder": folder, "intents": len(intents), "losses": losses})
    else:
        ctx.print(f"{clean(folder)}: {len(intents)} intents")
        if encoded.losses:
            ctx.note(f"{len(encoded.losses)} facts cannot be expressed in CMP; --json lists them")
    return 0
