"""CMP tools: name, domain, summary. Reads manifests only; `--names` reads only the folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.discovery.cmp.tools import CmpTools

EXAMPLES = ("atip cmp list", "atip cmp list --domain email --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--domain", default=None, metavar="DOMAIN", help="only this domain")
    parser.add_argument("--names", action="store_true", help="folder names only (level 0)")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean, table, width_of
    from atip.discovery.cmp.tools import folders, manifests

    where = ctx.app.intents.places()
    if options.names:
        names = [folder.name for folder in folders(where)]
        if ctx.as_json:
            ctx.emit({"folders": names})
        else:
            for name in names:
                ctx.print(clean(name))
        return 0
    listing = manifests(where)
    if options.domain:
        listing = listing.replace(
            tools=tuple(tool for tool in listing.tools if tool.manifest.domain == options.domain)
        )
    if ctx.as_json:
        ctx.emit(_report(listing, where))
        return 0
    rows = [(clean(tool.key), clean(tool.manifest.summary)) for tool in listing.tools]
    for line in table(rows, indent="", width=width_of(ctx)):
        ctx.print(line)
    for problem in listing.problems:
        ctx.note(f"{clean(problem.path)}: {clean(problem.message)}")
    if not listing.tools:
        ctx.note("no CMP tools; `atip cmp install TOOL` writes one")
    return 0


def _report(listing: CmpTools, where: list[str]) -> dict[str, object]:
    from atip.discovery.cmp.tools import find_program, manifests, missing_domains

    everything = manifests(where).tools
    path = os.environ.get("PATH", "")
    tools = [
        {
            "domain": tool.manifest.domain,
            "name": tool.manifest.name,
            "summary": tool.manifest.summary,
            "version": tool.manifest.version,
            "folder": tool.folder.path,
            "adapter": tool.manifest.adapter is True,
            "program": find_program(tool, path),
            "missing": missing_domains(tool, everything),
            "problems": [problem.to_json() for problem in tool.problems],
        }
        for tool in listing.tools
    ]
    return {"tools": tools, "problems": [problem.to_json() for problem in listing.problems]}
