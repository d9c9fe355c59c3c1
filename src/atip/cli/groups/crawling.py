"""Shared by the crawling verbs: options, requests, progress worded as in §4.10.3."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.crawler.crawl import CrawlOrder, CrawlStep
    from atip.crawler.sources.interface import CrawlRequest

DEFAULT_OUT = "catalogue"


def configure_requests(parser: argparse.ArgumentParser) -> None:
    """Declare what to crawl and where to store its state."""
    parser.add_argument(
        "wanted", nargs="*", metavar="SOURCE:NAME", help="package, manifest file, or tracked tool"
    )
    parser.add_argument("--all", action="store_true", help="every tool that has a manifest")
    parser.add_argument(
        "--from", dest="file", default="", metavar="FILE", help="names from a file, one per line"
    )
    parser.add_argument(
        "--out",
        default=DEFAULT_OUT,
        metavar="DIR",
        help=f"source folder of the registry ({DEFAULT_OUT})",
    )
    parser.add_argument("--state", default="", metavar="DIR", help="folder for the crawl's state")
    parser.add_argument(
        "--depot", default="", metavar="PLACE", help="shared state: a folder or s3://bucket/prefix"
    )
    parser.add_argument(
        "--observe",
        action="store_true",
        help="also run cases, and record the observations in the shims",
    )
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most N packages")
    parser.add_argument(
        "--sources", default="", metavar="FILE", help="JSON: addresses of services, by source"
    )


def order_of(options: argparse.Namespace, ctx: Context) -> CrawlOrder:
    """Make the order of a crawl from the options of its verb.

    Raises:
        UsageError: `cli.usage` when nothing is requested.
    """
    from atip.crawler.crawl import CrawlOrder
    from atip.errors import UsageError

    requests = _requests(options)
    if not requests:
        raise UsageError(
            "cli.usage", "nothing to crawl", hint="give SOURCE:NAME, `--all` or `--from FILE`"
        )
    return CrawlOrder(
        requests=tuple(requests),
        state=os.path.abspath(options.state or os.path.join(ctx.app.places.cache, "crawl")),
        depot=options.depot,
        engine=getattr(options, "engine", ""),
        jobs=getattr(options, "jobs", 0),
        limit=options.limit,
        observe=options.observe,
        at=stamp(),
        settings=_settings(options.sources),
    )


def stamp() -> str:
    """`SOURCE_DATE_EPOCH` as a time; empty: the crawl's own."""
    from atip.system.clock import iso

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return iso(float(epoch)) if epoch.isdigit() else ""


def _requests(options: argparse.Namespace) -> list[CrawlRequest]:
    from atip.crawler.manifests import load_manifests, parse_requests

    requests = [parsed for word in options.wanted for parsed in parse_requests(word, options.out)]
    if options.all:
        requests += [
            request for manifest in load_manifests(options.out) for request in manifest.requests()
        ]
    for line in _lines(options.file):
        requests += parse_requests(line, options.out)
    return requests


def _lines(file: str) -> list[str]:
    if not file:
        return []
    from atip.cli.documents import load_bytes

    text = load_bytes(file).decode("utf-8", "replace")
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line]


def _settings(file: str) -> dict[str, object]:
    if not file:
        return {}
    from atip.cli.documents import load_bytes, parse
    from atip.errors import FormatError

    document = parse(file, load_bytes(file))
    if not isinstance(document, dict):
        raise FormatError("crawl.sources", f"`{file}` is not a JSON object")
    return document


def progress_printer(ctx: Context):  # type: ignore[no-untyped-def]
    """Progress on standard error: `[curl] Found version: 8.5.0`, with rate and time left now and then."""
    from atip.cli.output import clean

    def tell(update: CrawlStep) -> None:
        ctx.note(f"[{clean(update.package)}] {clean(update.text)}")
        if (
            update.done
            and update.done % 25 == 0
            and update.seconds > 0
            and update.text.startswith("  Hash")
        ):
            rate = update.done / update.seconds
            left = (update.total - update.done) / rate if rate else 0
            ctx.note(
                f"{update.done} of {update.total} packages, {rate:.1f}/s, {left / 60:.0f} min left"
            )

    return tell
