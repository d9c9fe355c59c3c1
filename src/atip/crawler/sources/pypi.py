"""Python packages, through `pip` as this machine configured it: resolved and downloaded, never installed.

Only wheels: building a source distribution runs its code. The resolver's report gives every file with its SHA-256.
`pip list --outdated` over records without files gives the newest versions of all packages that were resolved before.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.crawler.sources.releases import discover_releases
from atip.errors import AtipError, FetchError, NotFoundError
from atip.model.text.platforms import ANY, host_platform
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.programs.clients import ask_client

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

RESOLVE_S = 120.0
SECOND_RESOLVE_S = 360.0
DOWNLOAD_S = 600.0
MAX_WHEEL = 300_000_000
MAX_NEEDS = 150
BATCH = 60
UNRESOLVABLE = re.compile("ResolutionImpossible|No matching distribution found")
OLDEST = "0.dev0"
"""Version of a record: every release in the index is newer."""
_ONLY_WHEELS = ("--only-binary", ":all:", "--no-input", "--disable-pip-version-check")


class PypiSource:
    """`pypi:NAME`."""

    name = "pypi"

    def __init__(self, context: SourceContext) -> None:
        self._folder = os.path.join(context.folder, "pypi")
        make_private(self._folder)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        # Files that fit one interpreter and machine need not fit another one that shares the folder.
        tag = f"{sys.version_info.major}.{sys.version_info.minor}-{os.uname().machine}"
        return discover_releases(self, requests, os.path.join(self._folder, "releases", tag))

    def is_name(self, name: str) -> bool:
        letters = name.replace("-", "").replace("_", "").replace(".", "")
        return letters.isalnum() and letters.isascii() and name[0].isalnum()

    def newest_versions(self, names: Sequence[str]) -> dict[str, str]:
        folder = os.path.join(self._folder, "records")
        shutil.rmtree(folder, ignore_errors=True)
        for name in names:
            record = os.path.join(folder, f"{name.replace('-', '_')}-{OLDEST}.dist-info")
            make_private(record)
            metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {OLDEST}\n"
            write_atomic(os.path.join(record, "METADATA"), metadata.encode(), durable=False)
        words = ("list", "--outdated", "--path", folder, "--format", "json", *_ONLY_WHEELS)
        rows = json.loads(self._run_pip(*words, timeout_s=RESOLVE_S + len(names)))
        newest = {_normal(row["name"]): row["latest_version"] for row in rows}
        return {name: newest[_normal(name)] for name in names if _normal(name) in newest}

    def resolve(self, name: str) -> Package:
        target = os.path.join(self._folder, "nothing")
        words = ("install", "--dry-run", "--ignore-installed", "--target", target, "--report", "-")
        report = self._run_pip(
            *words,
            *_ONLY_WHEELS,
            "--quiet",
            name,
            timeout_s=RESOLVE_S,
            second_try_s=SECOND_RESOLVE_S,
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
            description=main["summary"],
            homepage=main["homepage"],
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
            if UNRESOLVABLE.search(answer.stderr):
                raise NotFoundError(
                    "crawl.unknown", f"`{words[-1][:80]}`: no set of wheels fits this interpreter"
                )
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
