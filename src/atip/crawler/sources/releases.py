"""Releases that a client resolved in an earlier crawl: reused while the newest version of the package is the same.

Resolving is expensive: `pip` downloads whole wheels when an index has no separate metadata, `npm` queries every dependency.
The newest versions of all packages cost one start of the client and only pages of the index, which the client revalidates.
So dependencies are resolved again with the next version of the package itself, not when one of them has a new release.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from atip.crawler.packages import Package, Refusal, encode_json, read_package
from atip.errors import AtipError, FetchError
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.crawler.sources.interface import CrawlRequest

AT_ONCE = 2
"""Clients that run at once: they wait for their index most of the time."""
MAX_RELEASE = 5_000_000


class ReleaseClient(Protocol):
    """Client of one ecosystem."""

    name: str

    def newest_versions(self, names: Sequence[str]) -> Mapping[str, str]:
        """Newest versions by name, from index pages only; names that the index does not have are missing.

        Raises:
            FetchError: the client failed.
        """

    def resolve(self, name: str) -> Package:
        """The newest release with everything it needs.

        Raises:
            AtipError: unknown, or no usable files.
        """


def discover_releases(
    client: ReleaseClient, requests: Sequence[CrawlRequest], folder: str
) -> Iterator[Package | Refusal]:
    """Yield the newest release of each, in order. `folder` stores the resolved ones and may be deleted at any time."""
    make_private(folder)
    resolved = {
        name: release
        for name in dict.fromkeys(map(_package_name, requests))
        if (release := _read(folder, name)) is not None
    }
    versions: Mapping[str, str] = {}
    if resolved:
        # A client that is too old, or an index that is down: each package is resolved, or fails with a reason.
        with contextlib.suppress(FetchError, ValueError):
            versions = client.newest_versions(list(resolved))

    def find(request: CrawlRequest) -> Package | Refusal:
        name = _package_name(request)
        release = resolved.get(name)
        try:
            if release is None or _digits(versions.get(name, "")) != _digits(release.version):
                release = client.resolve(name)
                _write(folder, release)
        except AtipError as error:
            return Refusal(
                source=client.name,
                name=request.name,
                code=error.code,
                message=error.message,
                step="discover",
            )
        return release.replace(
            description=request.description or release.description,
            homepage=request.homepage or release.homepage,
            template=request.template,
        )

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(find, requests)


def _digits(version: str) -> str:
    """`2024.01.02` → `2024.1.2`: `pip` reports versions normalised, metadata need not be."""
    return re.sub(r"\b0+(?=\d)", "", version)


def _package_name(request: CrawlRequest) -> str:
    return str(request.settings.get("package", request.name))


def _read(folder: str, name: str) -> Package | None:
    try:
        return read_package(json.loads(read_bytes(_path(folder, name), MAX_RELEASE)))
    except (AtipError, ValueError, KeyError, TypeError):
        return None  # absent, or written by another version: resolved again


def _write(folder: str, release: Package) -> None:
    write_atomic(_path(folder, release.name), encode_json(release.to_json()).encode())


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{urllib.parse.quote(name, safe='')}.json")
