"""Official downloads: addresses and digests from a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, refusal
from atip.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext


class UrlSource:
    """`url` block of a manifest: `version`, `urls`, `sha256`, `binary_path`."""

    name = "url"

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            digests = request.settings.get("sha256", {})
            for platform, url in sorted(request.settings.get("urls", {}).items()):
                if platform not in digests:
                    error = FetchError(
                        "crawl.no-digest",
                        f"the manifest has no SHA-256 for {platform}: add it under `sha256`",
                    )
                    yield refusal(self.name, request.name, error, "discover")
                    continue
                main = PackageFile(
                    name=url.rpartition("/")[2], digest=f"sha256:{digests[platform]}", locator=url
                )
                yield Package(
                    source=self.name,
                    name=request.name,
                    version=str(request.settings.get("version", "")),
                    platform=platform,
                    layout="plain",
                    own=main,
                    description=request.description,
                    homepage=request.homepage,
                    binary_path=str(request.settings.get("binary_path", "")),
                    template=request.template,
                )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)
