"""Build a registry from a folder of contributions: static files, signed metadata, ready for any web server.

DIR has `publisher.json`, `shims/`, and optionally `patterns/` and `policy.json`. Only changes are written; whatever
a client would refuse stops the build before anything is written. The first build creates the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.cli.verbs.registry.site import add_site_options, print_site, write_site

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.registry.publish.build import BuildReport

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": True,
    "reversible": True,
    "interactive": {"stdin": "optional", "prompts": True, "tty": False},
}
EXAMPLES = (
    "atip registry build registry",
    "atip registry build registry --to s3://my-bucket/atip --release 2026-01-15",
    "atip registry build registry --approve e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of contributions")
    parser.add_argument(
        "--to", default="", metavar="PLACE", help="folder or s3://bucket/prefix (DIR/public)"
    )
    parser.add_argument("--keys", default="", metavar="DIR", help="folder of signing keys")
    parser.add_argument(
        "--release",
        default=None,
        metavar="TIME",
        help="time of the release (now, or SOURCE_DATE_EPOCH)",
    )
    parser.add_argument(
        "--changed",
        default="",
        metavar="FILE",
        help="file with names of changed shims, one per line, instead of checking all; - for stdin",
    )
    parser.add_argument("--site", default="", metavar="OUT", help="also write its catalogue there")
    add_site_options(parser)
    parser.add_argument("--unsigned", action="store_true", help="without signed metadata")
    parser.add_argument(
        "--approve", default="", metavar="HASH", help="accept this shim as it is, after review"
    )
    parser.add_argument("--reason", default="", help="why it was approved, for the record")
    parser.add_argument(
        "--unsafe-skip-validation", action="store_true", help="do not validate the shims"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.publishing import order_of
    from atip.registry.publish.build import build

    order = order_of(options, ctx)
    if options.changed:
        order = order.replace(changed=_read_changed(options.changed))
    if options.approve and not _approve(options, ctx, order.place):
        ctx.note("not approved, nothing was built")
        return 1
    report = build(order)
    site = write_site(options, ctx, order.place, options.site) if options.site else None
    if ctx.as_json:
        ctx.emit(report.to_json() | ({"site": site.to_json()} if site else {}))
        return 0
    _print(ctx, report, order.keys)
    if site is not None:
        print_site(ctx, site)
    return 0


def _read_changed(name: str) -> tuple[str, ...]:
    """Names relative to DIR or to its folder of shims, as `git diff --name-only` prints them there."""
    from atip.cli.documents import load_bytes

    lines = load_bytes(name).decode("utf-8", "surrogateescape").splitlines()
    return tuple(
        line.removeprefix("shims/") for line in lines if line.endswith((".json", ".bundle"))
    )


def _approve(options: argparse.Namespace, ctx: Context, place: str) -> bool:
    import getpass

    from atip.cli.output import clean
    from atip.registry.publish.contributions import approve, check_contributions
    from atip.system.clock import now_iso

    digits = options.approve.removeprefix("sha256:")
    _count, problems = check_contributions(options.folder, place, [digits])
    for problem in problems:
        ctx.note(f"{clean(problem.path)}: {clean(problem.message)} [{problem.code}]")
    if not ctx.confirm(f"publish the shim of {digits[:16]}… anyway?"):
        return False
    approve(options.folder, digits, by=getpass.getuser(), at=now_iso(), reason=options.reason)
    return True


def _print(ctx: Context, report: BuildReport, keys: str | None) -> None:
    from atip.cli.output import clean, count

    ctx.print(
        f"{clean(report.place)}: {count(report.total, 'shim')}, {report.added} new, "
        f"{report.changed} changed, {report.removed} removed"
    )
    if report.fingerprint:
        ctx.print(f"fingerprint: {report.fingerprint}")
    if report.is_first:
        ctx.note(f"the keys are in {clean(keys or '')}; keep the root keys elsewhere")
    for problem in report.advice[:20]:
        ctx.note(f"{clean(problem.path)}: {clean(problem.message)} [{problem.code}]")
