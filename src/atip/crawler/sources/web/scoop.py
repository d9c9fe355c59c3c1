"""Scoop: one JSON manifest per program in a bucket, with address and hash by architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, checked_name, refusal
from atip.errors import AtipError, FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

PLATFORMS = {"64bit": "windows-amd64", "32bit": "windows-386", "arm64": "windows-arm64"}


class ScoopSource:
    """`scoop:NAME`."""

    name = "scoop"

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            try:
                yield from self._packages(request)
            except AtipError as error:
                yield refusal(self.name, request.name, error, "discover")

    def _packages(self, request: CrawlRequest) -> Iterator[Package]:
        name = checked_name(str(request.settings.get("package", request.name)))
        manifest = self._web.json(f"{self._web.address('bucket')}/{name}.json")
        blocks = manifest.get("architecture") or {"64bit": manifest}
        only = request.settings.get("platforms")
        for architecture, block in sorted(blocks.items()):
            platform = PLATFORMS.get(architecture)
            if platform is None or (only and platform not in only):
                continue
            yield Package(
                source=self.name,
                name=request.name,
                version=str(manifest.get("version", "")),
                platform=platform,
                layout="plain",
                own=_artifact(name, block),
                description=request.description or str(manifest.get("description", "")),
                homepage=request.homepage or str(manifest.get("homepage", "")),
                template=request.template,
            )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)


def _artifact(name: str, block: dict[str, object]) -> PackageFile:
    """Raises FetchError `crawl.no-digest`."""
    url, hash_field = block.get("url"), block.get("hash")
    if not isinstance(url, str) or not isinstance(hash_field, str):
        raise FetchError(
            "crawl.no-digest",
            f"the manifest of `{name[:80]}` does not list a single file with a hash",
        )
    algorithm, _, digits = hash_field.rpartition(":")
    # `#/name` after the address is only the local file name.
    return PackageFile(
        name=name, digest=f"{algorithm or 'sha256'}:{digits.lower()}", locator=url.partition("#")[0]
    )
