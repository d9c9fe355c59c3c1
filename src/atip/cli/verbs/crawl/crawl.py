"""Fill a registry from packages: discover, fetch, unpack, learn confined, review, sign, publish.

Packages are `apt:jq`, `pypi:httpie`, `npm:cowsay`, `local:/usr/bin/tool` …, a manifest file, or the name of a tool with a
manifest in DIR/tools. Nothing is installed and no package script runs. Updates are accepted automatically unless they
declare fewer dangers; new tools wait for `atip crawl review`, or are accepted at once with --accept-new. An interrupted
crawl resumes where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from atip.cli.context import Context
    from atip.crawler.crawl import CrawlReport
    from atip.crawler.packages import Refusal
    from atip.crawler.publishing import PublishReport

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": True,
    "subprocess": True,
    "interactive": {"stdin": "optional", "prompts": False, "tty": False},
}
EXAMPLES = (
    "atip crawl apt:jq --out catalogue",
    "atip crawl --all --out catalogue --accept-new",
    "atip crawl --from packages.txt --limit 100 --dry-run",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.groups.crawling import configure_requests
    from atip.cli.quick import natural

    configure_requests(parser)
    parser.add_argument("--keys", default="", metavar="DIR", help="folder of signing keys")
    parser.add_argument("--unsigned", action="store_true", help="sign nothing")
    parser.add_argument(
        "--accept-new",
        action="store_true",
        help="accept new tools without review; they stay inferred",
    )
    parser.add_argument(
        "--engine",
        default="",
        metavar="PLACE",
        help="dask, dask://HOST:PORT; this machine when absent",
    )
    parser.add_argument(
        "--jobs", type=natural, default=0, metavar="N", help="workers (one per processor)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be crawled, fetch nothing"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.crawling import order_of, progress_printer
    from atip.crawler.crawl import Crawler
    from atip.crawler.publishing import publish

    crawler = Crawler(order_of(options, ctx), progress_printer(ctx))
    if options.dry_run:
        return _plan(crawler.discover(), crawler.refusals, ctx)
    crawled = crawler.run()
    report = publish(crawled, _publish_order(options, ctx))
    if ctx.as_json:
        ctx.emit(_document(crawled, report))
    else:
        _print(crawled, report, ctx)
    return 1 if report.problems else 0


def _publish_order(options: argparse.Namespace, ctx: Context):  # type: ignore[no-untyped-def]
    from atip.cli.groups.publishing import key_folder
    from atip.crawler.publishing import PublishOrder, prepare

    prepare(options.out)
    options.folder = options.out
    return PublishOrder(
        folder=options.out,
        keys=None if options.unsigned else key_folder(options, ctx),
        accept_new=options.accept_new,
    )


def _plan(packages, refusals, ctx: Context) -> int:  # type: ignore[no-untyped-def]
    from atip.cli.output import clean

    rows = [
        {
            "package": package.label,
            "version": package.version,
            "platform": package.platform,
            "files": 1 + len(package.needs),
        }
        for package in packages
    ]
    if ctx.as_json:
        ctx.emit({"packages": rows, "deadLetters": [one.to_json() for one in refusals]})
        return 0
    for row in rows:
        ctx.print(
            f"{clean(row['package'])} {clean(row['version'])} {row['platform']}: {row['files']} files"
        )
    _print_refusals(refusals, ctx)
    return 0


def _print_refusals(refusals: Sequence[Refusal], ctx: Context) -> None:
    from atip.cli.output import clean

    for refusal in refusals[:20]:
        ctx.note(f"dead letter: {clean(refusal.label)}: {clean(refusal.message)} [{refusal.code}]")


def _document(crawled: CrawlReport, report: PublishReport) -> dict[str, object]:
    return {
        "packages": len(crawled.results),
        "reused": crawled.reused,
        "fetched": crawled.fetched,
        "deadLetters": [refusal.to_json() for refusal in crawled.refusals],
        **report.to_json(),
    }


def _print(crawled: CrawlReport, report: PublishReport, ctx: Context) -> None:
    from atip.cli.output import clean, count

    ctx.print(
        f"{count(len(crawled.results), 'package')} ({crawled.reused} known before), "
        f"{count(len(report.accepted), 'shim')} accepted, {len(report.waiting)} waiting for review, "
        f"{report.unchanged} unchanged, {count(len(crawled.refusals), 'dead letter')}"
    )
    if report.built is not None:
        ctx.print(f"{clean(report.built.place)}: {count(report.built.total, 'shim')}")
        if report.built.fingerprint:
            ctx.print(f"fingerprint: {report.built.fingerprint}")
    for change in report.waiting[:20]:
        ctx.note(
            f"waits: {clean(change.name)} {clean(change.version)} ({change.kind}) sha256:{change.digits[:16]}…"
        )
    _print_refusals(crawled.refusals, ctx)
    for problem in report.problems[:20]:
        ctx.note(f"check: {clean(problem)}")
