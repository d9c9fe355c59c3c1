"""What a source of packages does: find releases without downloading them, and fetch what a release consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from atip.crawler.packages import Package, PackageFile, Refusal

    Keep = Callable[[PackageFile, bytes], None]
    """Takes a file that was fetched; raises when its digest is not the promised one."""

    class PackageSource(Protocol):
        """One ecosystem."""

        name: str

        def discover(self, wanted: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
            """The newest release of each, with everything it needs; downloads indexes only."""

        def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
            """Download files and hand each to `keep`; those that could not be had are reported."""


class CrawlRequest(Value):
    """What somebody asked to be crawled."""

    source: str
    name: str
    settings: Mapping[str, Any] = {}
    """The source's block of a manifest (`repo`, `asset_patterns`, `platforms` …); empty: just the name."""
    template: Mapping[str, Any] = {}
    description: str = ""
    homepage: str = ""


class Ground(Value):
    """Where a source works."""

    folder: str
    """Its own folder for indexes and downloads; may be deleted at any time."""
    settings: Mapping[str, Any] = {}
    """`sources.json` of the crawl: addresses of services whose clients are not installed here. Never built in."""
