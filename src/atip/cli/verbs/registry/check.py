"""Check a registry for everything that clients would refuse.

PATH is a published tree (a folder or s3://bucket/prefix), a folder of contributions (with `publisher.json`), or one
contributed shim. Exit 0 only when nothing would be refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from atip.cli.context import Context
    from atip.model.problems import Problem
    from atip.trust.expected import TrustPolicy

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": True}
EXAMPLES = (
    "atip registry check registry/public",
    "atip registry check registry",
    "atip registry check s3://my-bucket/atip --key cosign maintainers.pub",
)
_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="published tree, source folder or shim")
    parser.add_argument(
        "--to", default="", metavar="PLACE", help="for a source folder: where it is published"
    )
    parser.add_argument(
        "--at", default=None, metavar="TIME", help="check expiry at this time (now)"
    )
    parser.add_argument(
        "--against", default="", metavar="PLACE", help="an older tree to compare with"
    )
    parser.add_argument(
        "--key",
        nargs=2,
        action="append",
        default=[],
        metavar=("TYPE", "FILE"),
        help="trusted public key; TYPE is cosign, minisign or gpg",
    )
    parser.add_argument(
        "--signer",
        nargs=2,
        action="append",
        default=[],
        metavar=("IDENTITY", "ISSUER"),
        help="trusted identity",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.registry.publish.check import CheckOrder, check_tree
    from atip.registry.publish.contributions import DEFAULT_PLACE, check_contributions, check_file
    from atip.registry.publish.settings import FILE

    path = options.path
    if os.path.isfile(path):
        return _finish(ctx, path, 1, check_file(path))
    if os.path.exists(os.path.join(path, FILE)):
        place = options.to or os.path.join(path, DEFAULT_PLACE)
        return _finish(ctx, path, *check_contributions(path, place))
    order = CheckOrder(
        place=path, at=_moment(options.at), policy=_policy(options), against=options.against
    )
    report = check_tree(order)
    return _finish(ctx, report.place, report.shims, report.problems)


def _moment(text: str | None) -> float:
    import time

    from atip.registry.publish.build import release_time

    return time.time() if text is None else release_time(text)


def _policy(options: argparse.Namespace) -> TrustPolicy | None:
    from atip.system.files import read_bytes
    from atip.trust.expected import create_trust_policy

    if not options.key and not options.signer:
        return None
    keys = [
        {"type": kind, "key": read_bytes(file, 100_000), "name": file} for kind, file in options.key
    ]
    signers = [{"identity": identity, "issuer": issuer} for identity, issuer in options.signer]
    return create_trust_policy({"keys": keys, "signers": signers, "requireSignatures": True})


def _finish(ctx: Context, path: str, shims: int, problems: Sequence[Problem]) -> int:
    from atip.cli.output import clean, count, paint

    wrong = sum(problem.severity == "error" for problem in problems)
    if ctx.as_json:
        problem_list = [problem.to_json() for problem in problems]
        ctx.emit({"path": path, "ok": not wrong, "shims": shims, "problems": problem_list})
        return 1 if wrong else 0
    for problem in problems:
        word = paint(ctx, problem.severity, _STYLES[problem.severity])
        ctx.print(f"{word} {clean(problem.path)}: {clean(problem.message)} [{problem.code}]")
    ctx.print(f"{count(shims, 'shim')}, {count(wrong, 'error')}")
    return 1 if wrong else 0
