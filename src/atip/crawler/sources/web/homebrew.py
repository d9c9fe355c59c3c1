"""Homebrew: the JSON of a formula, and its bottles by platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, checked_name, refusal
from atip.errors import AtipError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Ground, Keep

ANONYMOUS = {"authorization": "Bearer QQ=="}
"""What stores of bottles want from somebody without an account."""


class HomebrewSource:
    """`homebrew:NAME`; in a manifest `formula` and `platforms`."""

    name = "homebrew"

    def __init__(self, ground: Ground) -> None:
        self._web = WebFetcher(self.name, ground)

    def discover(self, wanted: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for one in wanted:
            try:
                yield from self._packages(one)
            except AtipError as error:
                yield refusal(self.name, one.name, error, "discover")

    def _packages(self, wanted: CrawlRequest) -> Iterator[Package]:
        name = checked_name(str(wanted.settings.get("formula", wanted.name)))
        formula = self._web.json(f"{self._web.address('api')}/formula/{name}.json")
        files = formula.get("bottle", {}).get("stable", {}).get("files", {})
        only = wanted.settings.get("platforms")
        chosen = {platform_of(tag): file for tag, file in sorted(files.items())}
        for platform, file in sorted(chosen.items()):
            if only and platform not in only:
                continue
            own = PackageFile(
                name=f"{name}.bottle.tar.gz", digest=f"sha256:{file['sha256']}", locator=file["url"]
            )
            yield Package(
                source=self.name,
                name=wanted.name,
                version=str(formula.get("versions", {}).get("stable", "")),
                platform=platform,
                layout="plain",
                own=own,
                description=wanted.description or str(formula.get("desc") or ""),
                homepage=wanted.homepage or str(formula.get("homepage") or ""),
                binary_path=f"{name}/*/bin/*",
                template=wanted.template,
            )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep, ANONYMOUS)


def platform_of(tag: str) -> str:
    """`arm64_sonoma` → `darwin-arm64`; `x86_64_linux` → `linux-amd64`."""
    machine = "arm64" if tag.startswith("arm64") else "amd64"
    return f"linux-{machine}" if tag.endswith("linux") else f"darwin-{machine}"
