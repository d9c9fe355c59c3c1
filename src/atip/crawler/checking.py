"""Check which releases a registry does not describe yet. Reads indexes only; downloads nothing (§4.10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.changes import ShimFolder
from atip.crawler.crawl import Crawler
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.crawler.crawl import CrawlOrder, Progress


class ReleaseNews(Value):
    """The newest release of one package, compared with what the registry describes."""

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
    """Return the newest release of every requested package, and whether its shims were made from it."""
    known_versions = _described_versions(ShimFolder(folder))
    crawler = Crawler(order, progress)
    news = []
    for package in crawler.discover():
        before = known_versions.get(package.label, {})
        is_new = package.own.digest not in before
        version = next(iter(before.values()), "")
        news.append(
            ReleaseNews(
                label=package.label,
                version=package.version,
                platform=package.platform,
                known=version,
                is_new=is_new,
            )
        )
    return news


def _described_versions(published: ShimFolder) -> dict[str, dict[str, str]]:
    """Label → digest of the package that shims were made from → its version."""
    versions: dict[str, dict[str, str]] = {}
    for digits in published.files:
        package = published.load(digits).get("_generation", {}).get("package", {})
        if package:
            label = f"{package['source']}:{package['name']}"
            versions.setdefault(label, {})[package.get("digest", "")] = package.get("version", "")
    return versions
