"""Releases of a repository: assets by pattern, with the digest that the service or a list of checksums gives (§4.10.2)."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, refusal
from atip.errors import AtipError, FetchError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Ground, Keep

_REPO = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}\Z")
_SUMS = re.compile(r"(?i)(sha256sums?|checksums?)(\.txt)?\Z|.*(checksums|sha256sums?)(\.txt)?\Z")
_LINE = re.compile(r"^([0-9a-fA-F]{64})\s+\*?(\S+)\s*$", re.M)


class GithubSource:
    """`github` block of a manifest: `repo`, `asset_patterns`, `binary_path`."""

    name = "github"

    def __init__(self, ground: Ground) -> None:
        self._web = WebFetcher(self.name, ground)

    def discover(self, wanted: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for one in wanted:
            try:
                yield from self._packages(one)
            except AtipError as error:
                yield refusal(self.name, one.name, error, "discover")

    def _packages(self, wanted: CrawlRequest) -> Iterator[Package | Refusal]:
        repo = str(wanted.settings.get("repo", ""))
        if not _REPO.match(repo) or ".." in repo:
            raise NotFoundError("crawl.unknown", f"`{repo[:80]}` is not a repository")
        release = self._web.json(f"{self._web.address('api')}/repos/{repo}/releases/latest")
        assets = [one for one in release.get("assets", ()) if isinstance(one, dict)]
        version = str(release.get("tag_name", "")).lstrip("v")
        for platform, pattern in sorted(wanted.settings.get("asset_patterns", {}).items()):
            found = [one for one in assets if fnmatch.fnmatchcase(str(one.get("name")), pattern)]
            if not found:
                error = NotFoundError("crawl.no-asset", f"no asset is called `{pattern[:80]}`")
                yield refusal(self.name, wanted.name, error, "discover")
                continue
            yield Package(
                source=self.name,
                name=wanted.name,
                version=version,
                platform=platform,
                layout="plain",
                own=self._artifact(found[0], assets),
                description=wanted.description,
                homepage=wanted.homepage,
                binary_path=str(wanted.settings.get("binary_path", "")),
                template=wanted.template,
            )

    def _artifact(self, asset: dict[str, Any], assets: list[dict[str, Any]]) -> PackageFile:
        name = str(asset["name"])
        digest = str(asset.get("digest") or "")
        if not digest.startswith("sha256:"):
            digest = self._listed(name, assets)
        return PackageFile(name=name, digest=digest, locator=str(asset["browser_download_url"]))

    def _listed(self, name: str, assets: list[dict[str, Any]]) -> str:
        """From a list of checksums beside the asset.

        Raises:
            FetchError: `crawl.no-digest`.
        """
        for one in assets:
            if _SUMS.match(str(one.get("name"))) or one.get("name") == f"{name}.sha256":
                text = self._web.index(str(one["browser_download_url"])).decode("utf-8", "replace")
                for digits, file in _LINE.findall(text):
                    if file.rpartition("/")[2] == name:
                        return f"sha256:{digits.lower()}"
        raise FetchError("crawl.no-digest", f"nothing gives the SHA-256 of `{name[:80]}`")

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)
