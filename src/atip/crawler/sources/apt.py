"""Debian archives, through `apt-get` as this machine configured it: signed indexes, packages by hash.

`apt-get update` into lists of our own checks the signature of every `InRelease` and only queries whether an index has
changed; nothing of the machine's own apt is touched. Packages are downloaded, never installed: no maintainer script runs.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.crawler.sources.apt_index import DebianIndex, read_index, upstream
from atip.errors import AtipError, FetchError
from atip.model.text.platforms import debian_platform
from atip.system.files import make_private, read_bytes
from atip.system.programs.clients import ask_client

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.apt_index import DebianPackage
    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

UPDATE_S = 300.0
DOWNLOAD_S = 1800.0
BATCH = 250
"""Files per run of the client, which reads the whole index each time."""
MAX_PACKAGE = 500_000_000
MAX_NEEDS = 600
MAX_UNPACKED = 1_500_000_000
"""Maximum unpacked size of a package with its dependencies, from the index."""
EVERY = "*"
"""As a name: every package that is tagged as a command-line program."""


class AptSource:
    """`apt:NAME`."""

    name = "apt"

    def __init__(self, context: SourceContext) -> None:
        self._folder = os.path.join(context.folder, "apt")
        self._index: DebianIndex | None = None

    def index(self) -> DebianIndex:
        """The index of the configured archives, updated.

        Raises:
            FetchError: `crawl.index` with the error output of apt.
        """
        if self._index is None:
            for part in ("lists/partial", "cache/archives/partial", "downloads"):
                make_private(os.path.join(self._folder, part))
            self._run_client("apt-get", "update", timeout_s=UPDATE_S)
            text = self._run_client("apt-cache", "dumpavail", timeout_s=UPDATE_S)
            self._index = read_index(text.decode("utf-8", "replace"))
        return self._index

    def _run_client(self, program: str, *words: str, timeout_s: float) -> bytes:
        options = [
            *("-o", f"Dir::State::Lists={self._folder}/lists"),
            *("-o", f"Dir::Cache={self._folder}/cache"),
            *("-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none", "-q"),
        ]
        folder = os.path.join(self._folder, "downloads")
        answer = ask_client([program, *options, *words], folder=folder, timeout_s=timeout_s)
        if answer.exit_code:
            raise FetchError("crawl.index", f"`{program}`: {answer.stderr.strip()[-300:]}")
        return answer.stdout

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        index = self.index()
        base = index.closure(index.essential())
        for request in requests:
            name = str(request.settings.get("package", request.name))
            if request.name == EVERY:
                for tagged in index.command_line():
                    yield self._package(index, base, request.replace(name=tagged), tagged)
            else:
                yield self._package(index, base, request, name)

    def _package(
        self, index: DebianIndex, base: Sequence[str], request: CrawlRequest, name: str
    ) -> Package | Refusal:
        package = index.packages.get(name)
        if package is None:
            message = f"no package `{name[:80]}` in the configured archives"
            return Refusal(
                source="apt", name=name, code="crawl.unknown", message=message, step="discover"
            )
        needs = sorted({*base, *index.closure([name])} - {name})
        parts = [
            package_part for name in needs if not (package_part := index.packages[name]).is_unread
        ]
        if (
            package.size > MAX_PACKAGE
            or len(parts) > MAX_NEEDS
            or _unpacked_bytes(package, parts) > MAX_UNPACKED
        ):
            message = f"it needs {len(parts)} packages, {_unpacked_bytes(package, parts) >> 20} MB unpacked"
            return Refusal(
                source="apt", name=name, code="crawl.too-large", message=message, step="discover"
            )
        return Package(
            source="apt",
            name=name,
            version=upstream(package.version),
            platform=debian_platform(package.architecture),
            layout="system",
            own=_artifact(package),
            needs=tuple(_artifact(part) for part in parts),
            description=request.description or package.description,
            homepage=request.homepage or package.homepage,
            template=request.template,
        )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        folder = os.path.join(self._folder, "downloads")
        for start in range(0, len(artifacts), BATCH):
            batch = artifacts[start : start + BATCH]
            with contextlib.suppress(FetchError):  # which of them is missing shows below
                self._run_client(
                    "apt-get",
                    "download",
                    *(artifact.locator for artifact in batch),
                    timeout_s=DOWNLOAD_S,
                )
            for artifact in batch:
                try:
                    path = os.path.join(folder, downloaded_name(artifact))
                    keep(artifact, read_bytes(path, MAX_PACKAGE))
                    os.unlink(path)
                except AtipError as error:
                    yield Refusal(
                        source="apt",
                        name=artifact.locator.partition("=")[0],
                        code=error.code,
                        message=error.message,
                        step="fetch",
                    )


def _unpacked_bytes(package: DebianPackage, parts: Sequence[DebianPackage]) -> int:
    return package.installed + sum(part.installed for part in parts)


def _artifact(package: DebianPackage) -> PackageFile:
    return PackageFile(
        name=package.file,
        digest=f"sha256:{package.sha256}",
        locator=f"{package.name}={package.version}",
        size=package.size,
    )


def downloaded_name(artifact: PackageFile) -> str:
    """File name that `apt-get download` uses: the epoch's colon is written `%3a`."""
    name, _, version = artifact.locator.partition("=")
    architecture = artifact.name.rpartition("_")[2]
    return f"{name}_{version.replace(':', '%3a')}_{architecture}"
