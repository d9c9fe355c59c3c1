"""Interface of a package source: find releases without downloading them, and fetch their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from atip.crawler.packages import Package, PackageFile, Refusal

    Keep = Callable[[PackageFile, bytes], None]
    """Stores a fetched file; raises when its digest does not match the index."""

    class PackageSource(Protocol):
        """One ecosystem."""

        name: str

        def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
            """Yield the newest release of each, with its dependencies; downloads indexes only."""

        def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
            """Download files and pass each to `keep`; yield a refusal for each that failed."""


class CrawlRequest(Value):
    """One request to crawl a package."""

    source: str
    name: str
    settings: Mapping[str, Any] = {}
    """The source's block of a manifest (`repo`, `asset_patterns`, `platforms` …); empty: just the name."""
    template: Mapping[str, Any] = {}
    description: str = ""
    homepage: str = ""


class SourceContext(Value):
    """Folder and settings of a source."""

    folder: str
    """Its own folder for indexes and downloads; may be deleted at any time."""
    settings: Mapping[str, Any] = {}
    """`sources.json` of the crawl: addresses of services whose clients are not installed here. Never built in."""
