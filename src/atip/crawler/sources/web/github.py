"""Releases of a repository: assets by pattern, with the digest from the service or from a list of checksums (§4.10.2)."""

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
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

_REPO = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}\Z")
_SUMS = re.compile(r"(?i)(sha256sums?|checksums?)(\.txt)?\Z|.*(checksums|sha256sums?)(\.txt)?\Z")
_LINE = re.compile(r"^([0-9a-fA-F]{64})\s+\*?(\S+)\s*$", re.M)


class GithubSource:
    """`github` block of a manifest: `repo`, `asset_patterns`, `binary_path`."""

    name = "github"

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            try:
                yield from self._packages(request)
            except AtipError as error:
                yield refusal(self.name, request.name, error, "discover")

    def _packages(self, request: CrawlRequest) -> Iterator[Package | Refusal]:
        repo = str(request.settings.get("repo", ""))
        if not _REPO.match(repo) or ".." in repo:
            raise NotFoundError(
                "crawl.unknown", f"`{repo[:80]}` is not a repository: write OWNER/NAME"
            )
        release = self._web.json(f"{self._web.address('api')}/repos/{repo}/releases/latest")
        assets = [asset for asset in release.get("assets", ()) if isinstance(asset, dict)]
        version = str(release.get("tag_name", "")).lstrip("v")
        for platform, pattern in sorted(request.settings.get("asset_patterns", {}).items()):
            matches = [
                asset for asset in assets if fnmatch.fnmatchcase(str(asset.get("name")), pattern)
            ]
            if not matches:
                error = NotFoundError("crawl.no-asset", f"no asset matches `{pattern[:80]}`")
                yield refusal(self.name, request.name, error, "discover")
                continue
            yield Package(
                source=self.name,
                name=request.name,
                version=version,
                platform=platform,
                layout="plain",
                own=self._artifact(matches[0], assets),
                description=request.description,
                homepage=request.homepage,
                binary_path=str(request.settings.get("binary_path", "")),
                template=request.template,
            )

    def _artifact(self, asset: dict[str, Any], assets: list[dict[str, Any]]) -> PackageFile:
        name = str(asset["name"])
        digest = str(asset.get("digest") or "")
        if not digest.startswith("sha256:"):
            digest = self._find_checksum(name, assets)
        return PackageFile(name=name, digest=digest, locator=str(asset["browser_download_url"]))

    def _find_checksum(self, name: str, assets: list[dict[str, Any]]) -> str:
        """From a list of checksums beside the asset.

        Raises:
            FetchError: `crawl.no-digest`.
        """
        for asset in assets:
            if _SUMS.match(str(asset.get("name"))) or asset.get("name") == f"{name}.sha256":
                text = self._web.index(str(asset["browser_download_url"])).decode(
                    "utf-8", "replace"
                )
                for digits, file in _LINE.findall(text):
                    if file.rpartition("/")[2] == name:
                        return f"sha256:{digits.lower()}"
        raise FetchError("crawl.no-digest", f"no SHA-256 published for `{name[:80]}`")

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)
