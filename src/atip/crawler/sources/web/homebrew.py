"""Homebrew: the JSON of a formula, and its bottles by platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, checked_name, refusal
from atip.errors import AtipError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

ANONYMOUS = {"authorization": "Bearer QQ=="}
"""Header that bottle stores expect for anonymous access."""


class HomebrewSource:
    """`homebrew:NAME`; in a manifest `formula` and `platforms`."""

    name = "homebrew"

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            try:
                yield from self._packages(request)
            except AtipError as error:
                yield refusal(self.name, request.name, error, "discover")

    def _packages(self, request: CrawlRequest) -> Iterator[Package]:
        name = checked_name(str(request.settings.get("formula", request.name)))
        formula = self._web.json(f"{self._web.address('api')}/formula/{name}.json")
        files = formula.get("bottle", {}).get("stable", {}).get("files", {})
        only = request.settings.get("platforms")
        bottles = {platform_of(tag): file for tag, file in sorted(files.items())}
        for platform, file in sorted(bottles.items()):
            if only and platform not in only:
                continue
            main = PackageFile(
                name=f"{name}.bottle.tar.gz", digest=f"sha256:{file['sha256']}", locator=file["url"]
            )
            yield Package(
                source=self.name,
                name=request.name,
                version=str(formula.get("versions", {}).get("stable", "")),
                platform=platform,
                layout="plain",
                own=main,
                description=request.description or str(formula.get("desc") or ""),
                homepage=request.homepage or str(formula.get("homepage") or ""),
                binary_path=f"{name}/*/bin/*",
                template=request.template,
            )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep, ANONYMOUS)


def platform_of(tag: str) -> str:
    """`arm64_sonoma` → `darwin-arm64`; `x86_64_linux` → `linux-amd64`."""
    machine = "arm64" if tag.startswith("arm64") else "amd64"
    return f"linux-{machine}" if tag.endswith("linux") else f"darwin-{machine}"
