"""The state of a crawl: processed packages, outcomes, refusals with their reasons. Runs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True},
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}
EXAMPLES = ("atip crawl status", "atip crawl status --state crawl-state --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", default="", metavar="DIR", help="folder of the crawl's state")
    parser.add_argument(
        "--depot", default="", metavar="PLACE", help="shared state, if stored elsewhere"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.output import clean
    from atip.crawler.depot import Depot
    from atip.crawler.status import count_status

    state = options.state or os.path.join(ctx.app.places.cache, "crawl")
    status = count_status(Depot(options.depot or os.path.join(state, "depot")))
    if ctx.as_json:
        ctx.emit(status.to_json())
        return 0
    outcomes = ", ".join(f"{number:,} {name}" for name, number in status.outcomes.items())
    ctx.print(f"{status.packages:,} packages: {outcomes or 'none'}; {status.blobs:,} files fetched")
    if status.started:
        ctx.print(f"a crawl is running since {clean(status.started)}")
    for letter in status.dead_letters[:50]:
        ctx.print(f"dead letter: {clean(letter.label)}: {clean(letter.message)} [{letter.code}]")
    return 0
