"""Scoop: one JSON manifest per program in a bucket, with address and hash by architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, checked_name, refusal
from atip.errors import AtipError, FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Ground, Keep

PLATFORMS = {"64bit": "windows-amd64", "32bit": "windows-386", "arm64": "windows-arm64"}


class ScoopSource:
    """`scoop:NAME`."""

    name = "scoop"

    def __init__(self, ground: Ground) -> None:
        self._web = WebFetcher(self.name, ground)

    def discover(self, wanted: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for one in wanted:
            try:
                yield from self._packages(one)
            except AtipError as error:
                yield refusal(self.name, one.name, error, "discover")

    def _packages(self, wanted: CrawlRequest) -> Iterator[Package]:
        name = checked_name(str(wanted.settings.get("package", wanted.name)))
        manifest = self._web.json(f"{self._web.address('bucket')}/{name}.json")
        blocks = manifest.get("architecture") or {"64bit": manifest}
        only = wanted.settings.get("platforms")
        for architecture, block in sorted(blocks.items()):
            platform = PLATFORMS.get(architecture)
            if platform is None or (only and platform not in only):
                continue
            yield Package(
                source=self.name,
                name=wanted.name,
                version=str(manifest.get("version", "")),
                platform=platform,
                layout="plain",
                own=_artifact(name, block),
                description=wanted.description or str(manifest.get("description", "")),
                homepage=wanted.homepage or str(manifest.get("homepage", "")),
                template=wanted.template,
            )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)


def _artifact(name: str, block: dict[str, object]) -> PackageFile:
    """Raises FetchError `crawl.no-digest`."""
    url, told = block.get("url"), block.get("hash")
    if not isinstance(url, str) or not isinstance(told, str):
        raise FetchError("crawl.no-digest", f"`{name[:80]}` names no single file with a hash")
    algorithm, _, digits = told.rpartition(":")
    # `#/name` after the address only says how the file is to be called.
    return PackageFile(
        name=name, digest=f"{algorithm or 'sha256'}:{digits.lower()}", locator=url.partition("#")[0]
    )
