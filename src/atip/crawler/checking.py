"""Check: which releases a registry does not know yet. Indexes only: nothing is downloaded (§4.10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.changes import Holdings
from atip.crawler.crawl import Crawler
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.crawler.crawl import CrawlOrder, Progress


class ReleaseNews(Value):
    """One package against what the registry holds of it."""

    label: str
    version: str
    platform: str
    known: str
    """The version that the registry describes; empty: none."""
    is_new: bool

    def to_json(self) -> dict[str, object]:
        return {
            "package": self.label,
            "version": self.version,
            "platform": self.platform,
            "known": self.known or None,
            "new": self.is_new,
        }


def check_releases(
    order: CrawlOrder, folder: str, progress: Progress | None = None
) -> list[ReleaseNews]:
    """Every wanted package: its newest release, and whether its shims were made from it."""
    known = _known(Holdings(folder))
    crawler = Crawler(order, progress)
    found = []
    for one in crawler.discover():
        before = known.get(one.label, {})
        is_new = one.own.digest not in before
        version = next(iter(before.values()), "")
        found.append(
            ReleaseNews(
                label=one.label,
                version=one.version,
                platform=one.platform,
                known=version,
                is_new=is_new,
            )
        )
    return found


def _known(holdings: Holdings) -> dict[str, dict[str, str]]:
    """Label → digest of the package that shims were made from → its version."""
    found: dict[str, dict[str, str]] = {}
    for digits in holdings.files:
        made = holdings.load(digits).get("_generation", {}).get("package", {})
        if made:
            label = f"{made['source']}:{made['name']}"
            found.setdefault(label, {})[made.get("digest", "")] = made.get("version", "")
    return found
