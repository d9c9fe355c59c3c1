"""A local program, by its path or name: for contributed shims (§4.10.3)."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.discovery.files.content import ContentReader
from atip.errors import AtipError
from atip.model.text.platforms import host_platform

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext


class LocalSource:
    """`local:/usr/bin/tool`, `local:tool`."""

    name = "local"

    def __init__(self, context: SourceContext) -> None:
        self._reader = ContentReader()

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        for request in requests:
            path = shutil.which(str(request.settings.get("path", request.name)))
            try:
                if path is None:
                    raise AtipError(
                        "crawl.unknown", f"no executable `{request.name[:80]}` on this machine"
                    )
                yield self._package(request, os.path.abspath(path))
            except AtipError as error:
                yield Refusal(
                    source="local",
                    name=request.name,
                    code=error.code,
                    message=error.message,
                    step="discover",
                )

    def _package(self, request: CrawlRequest, path: str) -> Package:
        uname = os.uname()
        name = str(request.settings.get("name") or os.path.basename(path))
        main = PackageFile(
            name=name, digest=self._reader.read(os.path.realpath(path)).digest, locator=path
        )
        return Package(
            source="local",
            name=name,
            version=str(request.settings.get("version", "")),
            platform=host_platform(uname.sysname, uname.machine),
            layout="host",
            own=main,
            description=request.description,
            homepage=request.homepage,
            template=request.template,
        )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        """Nothing to fetch: the program runs in place."""
        return iter(())
