"""Releases that a client resolved in an earlier crawl: reused while the newest version of the package is the same.

Resolving is expensive: `pip` downloads whole wheels when an index has no separate metadata, `npm` queries every dependency.
The newest versions of all packages cost one start of the client and only pages of the index, which the client revalidates.
So dependencies are resolved again with the next version of the package itself, not when one of them has a new release.
"""

from __future__ import annotations

import contextlib
import json
import os
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from atip.crawler.packages import Package, Refusal, encode_json, read_package, read_refusal
from atip.errors import AtipError, FetchError, NotFoundError
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.crawler.sources.interface import CrawlRequest

AT_ONCE = 2
"""Clients that run at once: they wait for their index most of the time."""
MAX_RELEASE = 5_000_000
_TRANSIENT = frozenset(["crawl.no-client", "crawl.client-timeout", "crawl.index"])
"""Refusals that say nothing about the package: it is resolved again next time."""


class ReleaseClient(Protocol):
    """Client of one ecosystem."""

    name: str

    def is_name(self, name: str) -> bool:
        """Whether a name may be passed to the client. SECURITY: it must not become an option, a path or an address."""

    def newest_versions(self, names: Sequence[str]) -> Mapping[str, str]:
        """Newest versions by name, from index pages only; names that the index does not have are missing.

        Raises:
            FetchError: the client failed.
        """

    def resolve(self, name: str) -> Package:
        """The newest release that can be resolved, with everything it needs.

        Raises:
            AtipError: unknown, or no usable files.
        """


def discover_releases(
    client: ReleaseClient, requests: Sequence[CrawlRequest], folder: str
) -> Iterator[Package | Refusal]:
    """Yield the newest release of each, in order. `folder` stores the resolved ones and may be deleted at any time."""
    make_private(folder)
    names = [name for name in dict.fromkeys(map(_package_name, requests)) if client.is_name(name)]
    newest: Mapping[str, str] = {}
    # A client that is too old, or an index that is down: each package is resolved, or fails with a reason.
    with contextlib.suppress(FetchError, ValueError):
        newest = client.newest_versions(names) if names else {}

    def find(request: CrawlRequest) -> Package | Refusal:
        name = _package_name(request)
        answer = _find_answer(client, name, newest.get(name, ""), folder)
        if isinstance(answer, Refusal):
            return answer.replace(name=request.name)
        return answer.replace(
            description=request.description or answer.description,
            homepage=request.homepage or answer.homepage,
            template=request.template,
        )

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(find, requests)


def _find_answer(client: ReleaseClient, name: str, newest: str, folder: str) -> Package | Refusal:
    """The recorded answer of the resolver if the index had the same newest version then; otherwise a new one.

    The newest version is recorded, not the resolved one: a resolver may choose an older one, or none.
    """
    answer = _read(folder, name, newest) if newest else None
    if answer is not None:
        return answer
    try:
        if not client.is_name(name):
            raise NotFoundError("crawl.unknown", f"`{name[:80]}` is not a valid package name")
        answer = client.resolve(name)
    except AtipError as error:
        answer = Refusal(
            source=client.name, name=name, code=error.code, message=error.message, step="discover"
        )
    if newest and not (isinstance(answer, Refusal) and answer.code in _TRANSIENT):
        record = {"newest": newest, _kind(answer): answer.to_json()}
        write_atomic(_path(folder, name), encode_json(record).encode())
    return answer


def _kind(answer: Package | Refusal) -> str:
    return "refusal" if isinstance(answer, Refusal) else "release"


def _read(folder: str, name: str, newest: str) -> Package | Refusal | None:
    try:
        record = json.loads(read_bytes(_path(folder, name), MAX_RELEASE))
        if record["newest"] != newest:
            return None
        if "refusal" in record:
            return read_refusal(record["refusal"])
        return read_package(record["release"])
    except (AtipError, ValueError, KeyError, TypeError):
        return None  # absent, or written by another version: resolved again


def _package_name(request: CrawlRequest) -> str:
    return str(request.settings.get("package", request.name))


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{urllib.parse.quote(name, safe='')}.json")
