"""Status of bundles: installed, version, setup, login, ready. Without a bundle: all installed ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import AtipError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import Bundles, Status

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip bundle status", "atip bundle status examples/bundles/jq --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", nargs="*", metavar="BUNDLE", help="folder (searched), or id")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="print the last known state; run no version or login check",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.bundle_surface import make_host
    from atip.cli.output import clean

    host = make_host(ctx)
    statuses, failed = [], []
    for path in _paths(host, options.bundle):
        try:
            statuses.append(host.status(host.load(path), look=not options.quick))
        except AtipError as error:
            failed.append({"bundle": path, **error.to_json()})
    if ctx.as_json:
        ctx.emit({"bundles": [status.to_json() for status in statuses], "problems": failed})
    else:
        for status in statuses:
            ctx.print(_line(status))
        for problem in failed:
            ctx.note(f"{clean(str(problem['bundle']))}: {clean(str(problem['message']))}")
        if not statuses and not failed:
            ctx.note("no bundles; `atip bundle init BIN` writes one")
    return 1 if failed else 0


def _paths(host: Bundles, arguments: list[str]) -> list[str]:
    if not arguments:
        return [
            host.store.get(key).folder for key in host.store.list_keys() if host.store.find(key)
        ]
    paths: list[str] = []
    for argument in arguments:
        is_tree = os.path.isdir(argument) and not os.path.isfile(os.path.join(argument, "CLI.md"))
        paths += host.find_all(argument) if is_tree else [argument]
    return paths


def _line(status: Status) -> str:
    from atip.cli.output import clean

    version = status.finding.printed if status.finding else ""
    parts = [status.key, status.phase, version]
    parts += status.unmet
    if status.pending:
        parts.append("pending: " + ", ".join(step.id for step in status.pending))
    if status.finding is not None and not status.finding.ok:
        parts.append(status.finding.reason)
    if status.auth != "none":
        parts.append(status.auth)
    return "  ".join(clean(part) for part in parts if part)
