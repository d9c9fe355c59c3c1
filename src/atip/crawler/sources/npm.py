"""npm packages, through `npm` as this machine configured it: resolved to a lock file, packed, never installed.

`npm install --package-lock-only --ignore-scripts` downloads metadata only and records the path of every version, with
the SHA-512 of each; `npm pack` fetches the archives. No script of a package runs. `npm outdated` in a project without
installed packages gives the newest versions of all packages that were resolved before.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from atip.crawler.packages import Package, PackageFile, Refusal
from atip.crawler.sources.releases import discover_releases
from atip.errors import AtipError, FetchError, NotFoundError
from atip.model.text.platforms import ANY
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.programs.clients import ask_client

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.crawler.sources.interface import CrawlRequest, Keep, SourceContext

RESOLVE_S = 180.0
SECOND_RESOLVE_S = 360.0
DOWNLOAD_S = 600.0
BATCH = 40
MAX_ARCHIVE = 200_000_000
MAX_NEEDS = 400
NAME = re.compile(r"(?:@[A-Za-z0-9_-][\w.-]*/)?[A-Za-z0-9_][\w.-]*", re.ASCII)
UNRESOLVABLE = re.compile(r"\bcode (?:E404|ETARGET|ENOVERSIONS|ERESOLVE)\b")
SOME_OUTDATED = 1
"""Exit code of `npm outdated` when it lists something."""
_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier")


class NpmSource:
    """`npm:NAME`, `npm:@scope/name`."""

    name = "npm"

    def __init__(self, context: SourceContext) -> None:
        self._folder = os.path.join(context.folder, "npm")
        make_private(self._folder)

    def discover(self, requests: Sequence[CrawlRequest]) -> Iterator[Package | Refusal]:
        return discover_releases(self, requests, os.path.join(self._folder, "releases"))

    def is_name(self, name: str) -> bool:
        return NAME.fullmatch(name) is not None

    def newest_versions(self, names: Sequence[str]) -> dict[str, str]:
        folder = os.path.join(self._folder, "newest")
        shutil.rmtree(folder, ignore_errors=True)
        make_private(folder)
        project = {"private": True, "dependencies": dict.fromkeys(names, "latest")}
        write_atomic(os.path.join(folder, "package.json"), json.dumps(project).encode())
        rows = json.loads(
            self._run_npm(
                folder,
                *("outdated", "--json", *_QUIET),
                timeout_s=RESOLVE_S + len(names),
                success=SOME_OUTDATED,  # none of them is installed
            )
        )
        return {name: str(rows[name].get("latest")) for name in names if name in rows}

    def resolve(self, name: str) -> Package:
        lock = self._lock(name)
        place = f"node_modules/{name}"
        main = lock.get(place)
        rows = {where: entry for where, entry in lock.items() if where and not entry.get("link")}
        if main is None or not main.get("integrity") or len(rows) > MAX_NEEDS:
            raise NotFoundError("crawl.unknown", f"`{name[:80]}` could not be resolved")
        if not main.get("bin"):
            raise NotFoundError("crawl.no-entry-points", f"`{name[:80]}` has no programs")
        needs = [
            _artifact(where, row)
            for where, row in sorted(rows.items())
            if where != place and row.get("integrity") and not row.get("optional")
        ]
        return Package(
            source="npm",
            name=name,
            version=str(main["version"]),
            platform=ANY,
            layout="node",
            own=_artifact(place, main),
            needs=tuple(needs),
        )

    def _lock(self, name: str) -> dict[str, Any]:
        folder = os.path.join(self._folder, "resolve", name.removeprefix("@").replace("/", "-"))
        shutil.rmtree(folder, ignore_errors=True)
        make_private(folder)
        write_atomic(os.path.join(folder, "package.json"), b'{"private":true}')
        words = ("install", "--package-lock-only", *_QUIET, name)
        self._run_npm(folder, *words, timeout_s=RESOLVE_S, second_try_s=SECOND_RESOLVE_S)
        lock = json.loads(read_bytes(os.path.join(folder, "package-lock.json"), 20_000_000))
        packages = lock.get("packages")
        return packages if isinstance(packages, dict) else {}

    def fetch(self, artifacts: Sequence[PackageFile], keep: Keep) -> Iterator[Refusal]:
        folder = os.path.join(self._folder, "downloads")
        make_private(folder)
        for start in range(0, len(artifacts), BATCH):
            batch = artifacts[start : start + BATCH]
            with contextlib.suppress(FetchError):  # which of them is missing shows below
                self._run_npm(
                    folder,
                    "pack",
                    *_QUIET,
                    *(artifact.locator for artifact in batch),
                    timeout_s=DOWNLOAD_S,
                )
            for artifact in batch:
                try:
                    keep(
                        artifact,
                        read_bytes(
                            os.path.join(folder, packed_name(artifact.locator)), MAX_ARCHIVE
                        ),
                    )
                except AtipError as error:
                    name = artifact.locator.rpartition("@")[0]
                    yield Refusal(
                        source="npm",
                        name=name,
                        code=error.code,
                        message=error.message,
                        step="fetch",
                    )
            shutil.rmtree(folder)
            make_private(folder)

    def _run_npm(
        self,
        folder: str,
        *words: str,
        timeout_s: float,
        second_try_s: float = 0.0,
        success: int = 0,
    ) -> bytes:
        answer = ask_client(
            ["npm", *words], folder=folder, timeout_s=timeout_s, second_try_s=second_try_s
        )
        if answer.exit_code != success:
            text = answer.stderr.partition("npm error A complete log")[0].strip()[-300:]
            if UNRESOLVABLE.search(text):
                raise NotFoundError("crawl.unknown", f"npm: {text}")
            raise FetchError("crawl.index", f"npm: {text or 'failed'}")
        return answer.stdout


def _artifact(where: str, row: dict[str, Any]) -> PackageFile:
    """One row of a lock file.

    Raises:
        FetchError: `crawl.no-digest`.
    """
    algorithm, _, encoded = str(row["integrity"]).split()[0].partition("-")
    try:
        digits = base64.b64decode(encoded, validate=True).hex()
    except (binascii.Error, ValueError):
        digits = ""
    if algorithm != "sha512" or len(digits) != 128:
        raise FetchError("crawl.no-digest", f"the index has no SHA-512 for `{where[:80]}`")
    name = str(row.get("name") or where.rpartition("node_modules/")[2])
    return PackageFile(name=where, digest=f"sha512:{digits}", locator=f"{name}@{row['version']}")


def packed_name(locator: str) -> str:
    """File name that `npm pack` uses for `@scope/name@1.0.0`: `scope-name-1.0.0.tgz`."""
    name, _, version = locator.rpartition("@")
    return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
