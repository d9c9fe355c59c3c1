"""Chocolatey: the feed of a NuGet gallery (OData, version 2), and its packages, which are zip archives. No script runs."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from atip.crawler.packages import Package, PackageFile
from atip.crawler.sources.web.fetching import WebFetcher, checked_name, refusal
from atip.errors import AtipError, FetchError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.packages import Refusal
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

_ATOM = "{http://www.w3.org/2005/Atom}"
_DATA = "{http://schemas.microsoft.com/ado/2007/08/dataservices}"
_QUERY = "$filter=Id%20eq%20'{name}'%20and%20IsLatestVersion"


class ChocoSource:
    """`choco:NAME`."""

    name = "choco"

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            try:
                yield self._package(request)
            except AtipError as error:
                yield refusal(self.name, request.name, error, "discover")

    def _package(self, request: CrawlRequest) -> Package:
        name = checked_name(str(request.settings.get("package", request.name)))
        data = self._web.index(f"{self._web.address('feed')}/Packages()?{_QUERY.format(name=name)}")
        entry = _entry(data, name)
        content = entry.find(f"{_ATOM}content")
        properties = {
            element.tag.removeprefix(_DATA): element.text or ""
            for element in entry.iter()
            if element.tag.startswith(_DATA)
        }
        main = PackageFile(
            name=f"{name}.nupkg",
            digest=_digest(properties),
            locator=content.get("src", "") if content is not None else "",
        )
        return Package(
            source=self.name,
            name=request.name,
            version=properties.get("Version", ""),
            platform="windows-amd64",
            layout="plain",
            own=main,
            description=request.description
            or properties.get("Summary", "")
            or properties.get("Description", "")[:200],
            homepage=request.homepage or properties.get("ProjectUrl", ""),
            binary_path=str(request.settings.get("binary_path", "")),
            template=request.template,
        )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        return self._web.fetch_all(artifacts, keep)


def _entry(data: bytes, name: str) -> ElementTree.Element:
    # SECURITY: an index has no document type; without one there are no entities to expand.
    if b"<!DOCTYPE" in data:
        raise FetchError("crawl.index", "the feed declares a document type")
    try:
        entry = ElementTree.fromstring(data).find(f"{_ATOM}entry")  # noqa: S314
    except ElementTree.ParseError as error:
        raise FetchError("crawl.index", f"the feed is not XML: {error}") from error
    if entry is None:
        raise NotFoundError("crawl.unknown", f"no package `{name[:80]}` in the feed")
    return entry


def _digest(properties: dict[str, str]) -> str:
    algorithm = properties.get("PackageHashAlgorithm", "").lower()
    try:
        digits = base64.b64decode(properties.get("PackageHash", ""), validate=True).hex()
    except (binascii.Error, ValueError):
        digits = ""
    if algorithm not in ("sha512", "sha256") or not digits:
        raise FetchError("crawl.no-digest", "the feed has no SHA-256 or SHA-512 for the package")
    return f"{algorithm}:{digits}"
