"""RPM repositories as `dnf` reads them: `repodata/repomd.xml` → `primary.xml` → packages, each by digest and size.

Packages are downloaded, never installed: no scriptlet runs. `{"dnf": {"repos": ["https://…"]}}` names the repositories.
"""

from __future__ import annotations

import hashlib
import os
import platform
from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.crawler.sources.web.dnf_index import RpmIndex, read_primary, read_repomd
from atip.crawler.sources.web.fetching import WebFetcher, refusal
from atip.errors import AtipError, FetchError
from atip.model.text.platforms import rpm_platform
from atip.system.archives.compression import read_compressed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.interface import CrawlRequest, Ground, Keep
    from atip.crawler.sources.web.dnf_index import RpmPackage

MAX_PRIMARY = 600_000_000
MAX_PACKAGE = 500_000_000
MAX_NEEDS = 600
MAX_UNPACKED = 1_500_000_000
BASE = ("/bin/sh", "/usr/bin/sh", "coreutils", "filesystem")
"""Dependencies that programs do not declare."""
EVERY = "*"
"""As a name: every package that holds a program."""


class DnfSource:
    """`dnf:NAME`."""

    name = "dnf"

    def __init__(self, ground: Ground) -> None:
        self._web = WebFetcher(self.name, ground)
        self._indexes: list[tuple[str, RpmIndex]] = []

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for one in requests:
            try:
                if one.name == EVERY:
                    yield from self._every(one)
                else:
                    yield self._package(one, str(one.settings.get("package", one.name)))
            except AtipError as error:
                yield refusal(self.name, one.name, error, "discover")

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        for one in artifacts:
            try:
                keep(one, _sized(self._web.file(one.locator), one.size, one.name))
            except AtipError as error:
                yield refusal(self.name, one.name, error, "fetch")

    def _every(self, request: CrawlRequest) -> Iterator[Package | Refusal]:
        for _address, index in self._load():
            for name in index.with_programs():
                yield self._package(request.replace(name=name), name)

    def _package(self, request: CrawlRequest, name: str) -> Package | Refusal:
        for address, index in self._load():
            if (package := index.packages.get(name)) is not None:
                return _release(address, index, package, request)
        message = f"no package `{name[:80]}` in the configured repositories"
        return Refusal(source="dnf", name=name, code="crawl.unknown", message=message, step="discover")  # fmt: skip

    def _load(self) -> list[tuple[str, RpmIndex]]:
        """Every repository in order; fetched once."""
        if not self._indexes:
            listed = self._web.settings.get("repos")
            addresses = listed if isinstance(listed, list) else [self._web.address("repo")]
            self._indexes = [
                (str(one).rstrip("/"), self._read(str(one).rstrip("/"))) for one in addresses
            ]
        return self._indexes

    def _read(self, address: str) -> RpmIndex:
        listed = read_repomd(self._web.index(f"{address}/repodata/repomd.xml"))
        data = _sized(self._web.index(f"{address}/{listed.path}"), listed.size, listed.path)
        kind, _, digits = listed.digest.partition(":")
        # SECURITY: all package digests come from this file, so it must match repomd.xml.
        if hashlib.new(kind, data).hexdigest() != digits:
            raise FetchError(
                "crawl.index", f"`{listed.path}` does not match its digest in repomd.xml"
            )
        machine = str(self._web.settings.get("arch") or platform.machine())
        return read_primary(read_compressed(data, MAX_PRIMARY), (machine, "noarch"))


def _release(
    address: str, index: RpmIndex, package: RpmPackage, request: CrawlRequest
) -> Package | Refusal:
    names = {*index.closure(BASE), *index.closure([package.name])} - {package.name}
    parts = [index.packages[one] for one in sorted(names)]
    unpacked = package.installed + sum(one.installed for one in parts)
    if package.size > MAX_PACKAGE or len(parts) > MAX_NEEDS or unpacked > MAX_UNPACKED:
        message = f"it needs {len(parts)} packages, {unpacked >> 20} MB unpacked"
        return Refusal(source="dnf", name=package.name, code="crawl.too-large", message=message, step="discover")  # fmt: skip
    return Package(
        source="dnf",
        name=package.name,
        version=package.version,
        platform=rpm_platform(package.architecture),
        layout="system",
        own=_artifact(address, package),
        needs=tuple(_artifact(address, one) for one in parts),
        description=request.description or package.description,
        homepage=request.homepage or package.homepage,
        template=request.template,
    )


def _artifact(address: str, one: RpmPackage) -> PackageFile:
    return PackageFile(
        name=os.path.basename(one.path),
        digest=one.digest,
        locator=f"{address}/{one.path}",
        size=one.size,
    )


def _sized(data: bytes, size: int, name: str) -> bytes:
    if size and len(data) != size:
        raise FetchError(
            "crawl.size", f"`{name[:80]}` has {len(data):,} bytes, but the index lists {size:,}"
        )
    return data
