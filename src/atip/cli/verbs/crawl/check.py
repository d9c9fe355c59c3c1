"""List new releases of tracked tools, without downloading them: reads only indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True},
    "network": True,
    "subprocess": True,
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}
EXAMPLES = ("atip crawl check --all --out catalogue", "atip crawl check apt:jq")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.groups.crawling import configure_requests

    configure_requests(parser)


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.crawling import order_of, progress_printer
    from atip.cli.output import clean
    from atip.crawler.checking import check_releases

    checked = check_releases(order_of(options, ctx), options.out, progress_printer(ctx))
    if ctx.as_json:
        ctx.emit({"releases": [release.to_json() for release in checked]})
        return 0
    for release in checked:
        versions = (
            f"{clean(release.known)} → {clean(release.version)}"
            if release.known
            else clean(release.version)
        )
        state = "new release" if release.is_new else "known"
        ctx.print(f"{clean(release.label)} {versions} ({release.platform}): {state}")
    return 0
