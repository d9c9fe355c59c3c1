"""Python packages, through `pip` as this machine configured it: resolved and downloaded, never installed.

Only wheels: building a source distribution runs its code. The resolver's report gives every file with its SHA-256.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.errors import AtipError, FetchError, NotFoundError
from atip.model.text.platforms import ANY, host_platform
from atip.system.files import make_private, read_bytes
from atip.system.programs.clients import ask_client

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

RESOLVE_S = 120.0
SECOND_RESOLVE_S = 360.0
DOWNLOAD_S = 600.0
MAX_WHEEL = 300_000_000
MAX_NEEDS = 150
AT_ONCE = 2
BATCH = 60
_ONLY_WHEELS = ("--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet")


class PypiSource:
    """`pypi:NAME`."""

    name = "pypi"

    def __init__(self, context: SourceContext) -> None:
        self._folder = os.path.join(context.folder, "pypi")
        make_private(self._folder)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        # The client waits for its index most of the time: several run at once, answers come in order.
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._try, requests)

    def _try(self, request: CrawlRequest) -> Package | Refusal:
        try:
            return self._package(request)
        except AtipError as error:
            return Refusal(
                source="pypi",
                name=request.name,
                code=error.code,
                message=error.message,
                step="discover",
            )

    def _package(self, request: CrawlRequest) -> Package:
        name = str(request.settings.get("package", request.name))
        # SECURITY: a name must not become an option or an address.
        if (
            name.startswith("-")
            or not name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        ):
            raise NotFoundError("crawl.unknown", f"`{name[:80]}` is not a valid package name")
        target = os.path.join(self._folder, "nothing")
        words = ("install", "--dry-run", "--ignore-installed", "--target", target, "--report", "-")
        report = self._run_pip(
            *words, *_ONLY_WHEELS, name, timeout_s=RESOLVE_S, second_try_s=SECOND_RESOLVE_S
        )
        files = [_file(item) for item in json.loads(report)["install"]]
        wanted_name = _normal(name)
        main = next((file for file in files if _normal(file["name"]) == wanted_name), None)
        if main is None or len(files) > MAX_NEEDS:
            raise NotFoundError("crawl.unknown", f"`{name[:80]}` could not be resolved to wheels")
        uname = os.uname()
        is_any = main["artifact"].name.endswith("-any.whl")
        return Package(
            source="pypi",
            name=name,
            version=main["version"],
            platform=ANY if is_any else host_platform(uname.sysname, uname.machine),
            layout="python",
            own=main["artifact"],
            needs=tuple(
                sorted(
                    (file["artifact"] for file in files if file is not main), key=lambda a: a.name
                )
            ),
            description=request.description or main["summary"],
            homepage=request.homepage or main["homepage"],
            template=request.template,
        )

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        pending = list(artifacts)
        while pending:
            # One run of pip for many files, but it accepts only one version per package.
            batch = {
                artifact.locator.partition("==")[0]: artifact
                for artifact in reversed(pending[:BATCH])
            }
            files = list(batch.values())
            pending = [artifact for artifact in pending if artifact not in files]
            words = ("download", "--no-deps", "--dest", self._folder, *_ONLY_WHEELS)
            with contextlib.suppress(FetchError):  # which of them is missing shows below
                self._run_pip(*words, *(path.locator for path in files), timeout_s=DOWNLOAD_S)
            for artifact in files:
                path = os.path.join(self._folder, os.path.basename(artifact.name))
                try:
                    keep(artifact, read_bytes(path, MAX_WHEEL))
                    os.unlink(path)
                except AtipError as error:
                    name = artifact.locator.partition("==")[0]
                    yield Refusal(
                        source="pypi",
                        name=name,
                        code=error.code,
                        message=error.message,
                        step="fetch",
                    )

    def _run_pip(self, *words: str, timeout_s: float, second_try_s: float = 0.0) -> bytes:
        answer = ask_client(
            [sys.executable, "-m", "pip", *words],
            folder=self._folder,
            timeout_s=timeout_s,
            second_try_s=second_try_s,
        )
        if answer.exit_code:
            raise FetchError("crawl.index", f"pip: {answer.stderr.strip()[-300:]}")
        return answer.stdout


def _file(entry: dict[str, Any]) -> dict[str, Any]:
    """One row of pip's report.

    Raises:
        FetchError: `crawl.no-digest`: a file without a digest in the index is not fetched.
    """
    metadata, download = entry["metadata"], entry["download_info"]
    digits = download.get("archive_info", {}).get("hashes", {}).get("sha256", "")
    if not digits:
        raise FetchError("crawl.no-digest", f"the index has no SHA-256 for `{metadata['name']}`")
    file = download["url"].partition("#")[0].rpartition("/")[2]
    return {
        "name": metadata["name"],
        "version": metadata["version"],
        "summary": metadata.get("summary") or "",
        "homepage": _homepage(metadata),
        "artifact": PackageFile(
            name=file,
            digest=f"sha256:{digits}",
            locator=f"{metadata['name']}=={metadata['version']}",
        ),
    }


def _homepage(metadata: dict[str, Any]) -> str:
    values = [metadata.get("home_page") or "", *(metadata.get("project_url") or ())]
    addresses = [value.rpartition(" ")[2] for value in values]
    return next((address for address in addresses if address.startswith("https://")), "")


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
