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

    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext
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

    def __init__(self, context: SourceContext) -> None:
        self._web = WebFetcher(self.name, context)
        self._indexes: list[tuple[str, RpmIndex]] = []

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            try:
                if request.name == EVERY:
                    yield from self._every(request)
                else:
                    yield self._package(request, str(request.settings.get("package", request.name)))
            except AtipError as error:
                yield refusal(self.name, request.name, error, "discover")

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        for artifact in artifacts:
            try:
                keep(
                    artifact,
                    _check_size(self._web.file(artifact.locator), artifact.size, artifact.name),
                )
            except AtipError as error:
                yield refusal(self.name, artifact.name, error, "fetch")

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
            repos = self._web.settings.get("repos")
            addresses = repos if isinstance(repos, list) else [self._web.address("repo")]
            self._indexes = [
                (str(address).rstrip("/"), self._read(str(address).rstrip("/")))
                for address in addresses
            ]
        return self._indexes

    def _read(self, address: str) -> RpmIndex:
        files = read_repomd(self._web.index(f"{address}/repodata/repomd.xml"))
        data = _check_size(self._web.index(f"{address}/{files.path}"), files.size, files.path)
        kind, _, digits = files.digest.partition(":")
        # SECURITY: all package digests come from this file, so it must match repomd.xml.
        if hashlib.new(kind, data).hexdigest() != digits:
            raise FetchError(
                "crawl.index", f"`{files.path}` does not match its digest in repomd.xml"
            )
        machine = str(self._web.settings.get("arch") or platform.machine())
        return read_primary(read_compressed(data, MAX_PRIMARY), (machine, "noarch"))


def _release(
    address: str, index: RpmIndex, package: RpmPackage, request: CrawlRequest
) -> Package | Refusal:
    names = {*index.closure(BASE), *index.closure([package.name])} - {package.name}
    parts = [index.packages[name] for name in sorted(names)]
    unpacked = package.installed + sum(part.installed for part in parts)
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
        needs=tuple(_artifact(address, part) for part in parts),
        description=request.description or package.description,
        homepage=request.homepage or package.homepage,
        template=request.template,
    )


def _artifact(address: str, package: RpmPackage) -> PackageFile:
    return PackageFile(
        name=os.path.basename(package.path),
        digest=package.digest,
        locator=f"{address}/{package.path}",
        size=package.size,
    )


def _check_size(data: bytes, size: int, name: str) -> bytes:
    if size and len(data) != size:
        raise FetchError(
            "crawl.size", f"`{name[:80]}` has {len(data):,} bytes, but the index lists {size:,}"
        )
    return data
