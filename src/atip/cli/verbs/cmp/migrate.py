"""Convert tools of CMP 0.1.0 to the current folder layout. The sources stay unchanged.

A source is an adapter file, a package.json with a `cmp` key, or a folder with `cmp/` or `.cmp/`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False, "paths": ["~/.cmp/tools"]}}
EXAMPLES = ("atip cmp migrate ./ripgrep-adapter.json", "atip cmp migrate ./node_modules/inboxd")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="file or folder of 0.1.0")
    parser.add_argument(
        "--to", default=None, metavar="DIR", help="folder of tools; default ~/.cmp/tools"
    )
    parser.add_argument("--force", action="store_true", help="replace existing documents")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.codecs.cmp import codec as cmp
    from atip.codecs.cmp.legacy import modernize
    from atip.discovery.cmp.folder import write_folder

    place = options.to or ctx.app.intents.places()[0]
    moved: list[dict[str, Any]] = []
    for source in options.sources:
        name = os.path.basename(os.path.abspath(source)).removesuffix(".json")
        documents, losses = modernize(_read(source), origin=name)
        tool = cmp.decode(documents, origin="").tool
        folder = write_folder(place, tool.name, documents, replace=options.force)
        moved.append(
            {"source": source, "folder": folder, "losses": [loss.to_json() for loss in losses]}
        )
    if ctx.as_json:
        ctx.emit({"moved": moved})
    else:
        for path in moved:
            ctx.print(f"{clean(path['source'])} → {clean(path['folder'])}")
            for loss in path["losses"]:
                ctx.note(f"  left out {clean(str(loss['path']))}: {loss['message']}")
    return 0


def _read(source: str) -> object:
    """The document or documents at a source, as one value."""
    from atip.errors import NotFoundError
    from atip.model.reading.reader import read_json
    from atip.system.files import read_bytes

    if not os.path.isdir(source):
        return read_json(read_bytes(source, 1_000_000))
    documents: dict[str, object] = {}
    for holder in (".cmp", "cmp"):
        for name in ("manifest", "capability"):
            path = os.path.join(source, holder, f"{name}.json")
            if os.path.exists(path):
                documents[name] = read_json(read_bytes(path, 1_000_000))
    package = os.path.join(source, "package.json")
    if "manifest" not in documents and os.path.exists(package):
        package_document = read_json(read_bytes(package, 1_000_000))
        return (
            {**package_document, **documents}
            if isinstance(package_document, dict)
            else package_document
        )
    if not documents:
        raise NotFoundError("cmp.no-manifest", f"no CMP 0.1.0 documents in `{source}`")
    return documents
