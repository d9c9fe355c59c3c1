"""Depot: the state of a crawl, as data on an object store (a folder, or any S3-compatible store).

    blobs/<algorithm>/<hex>     packages as they were fetched, by digest
    results/<key>.json          the result of a job, by the key of its input
    started.json                when the current crawl was started

Objects are written atomically and named by the digest of their content or input: after `kill -9` every stored object is
complete, and a missing one is made again.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from atip.errors import FetchError
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.system.stores.objects import ObjectStore

MAX_BLOB = 600_000_000
MAX_RESULT = 200_000_000
STARTED = "started.json"
ALGORITHMS = ("sha256", "sha512")


class Depot:
    """Blobs and results."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._store: ObjectStore = open_store(place, lambda _key: {})

    def find_blob(self, digest: str) -> bytes | None:
        """The bytes with this digest, checked, or None."""
        data = self._store.find(_blob(digest), MAX_BLOB)
        if data is None:
            return None
        # SECURITY: the store may be shared; what is unpacked is what the index promised.
        return data.data if has_digest(data.data, digest) else None

    def put_blob(self, digest: str, data: bytes) -> None:
        """Store bytes under their digest.

        Raises:
            FetchError: `crawl.digest` when they have another one.
        """
        if not has_digest(data, digest):
            raise FetchError(
                "crawl.digest",
                f"fetched file does not match the digest in the index ({digest[:19]}…)",
                hint="the mirror may be in the middle of an update; try again later",
            )
        self._store.put(_blob(digest), data)

    def find_result(self, key: str) -> dict[str, Any] | None:
        data = self._store.find(_result(key), MAX_RESULT)
        if data is None:
            return None
        document: Any = json.loads(data.data)
        return document if isinstance(document, dict) else None

    def known_results(self) -> frozenset[str]:
        """Keys of all jobs that are done."""
        objects = self._store.list("results")
        return frozenset(item.key.rpartition("/")[2].removesuffix(".json") for item in objects)

    def known_blobs(self) -> frozenset[str]:
        """Digests of everything that was fetched."""
        digests = set()
        for item in self._store.list("blobs"):
            parts = item.key.split("/")
            digests.add(f"{parts[1]}:{parts[-1]}")
        return frozenset(digests)

    def put_result(self, key: str, result: Mapping[str, Any]) -> None:
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        self._store.put(_result(key), text.encode())

    def under_way(self) -> str:
        """When the current crawl was started; empty: none is running."""
        data = self._store.find(STARTED, 10_000)
        return str(json.loads(data.data)["at"]) if data is not None else ""

    def started(self, now: str) -> str:
        """Record the start of a crawl; returns the time of its first start when it resumes after a crash."""
        before = self.under_way()
        if not before:
            self._store.put(STARTED, json.dumps({"at": now}).encode())
        return before or now

    def finish(self) -> None:
        """Mark the crawl as complete; the next one gets a start time of its own."""
        self._store.delete([STARTED])


def has_digest(data: bytes, digest: str) -> bool:
    algorithm, _, digits = digest.partition(":")
    if algorithm not in ALGORITHMS:
        return False
    return hashlib.new(algorithm, data).hexdigest() == digits


def _blob(digest: str) -> str:
    algorithm, _, digits = digest.partition(":")
    return f"blobs/{algorithm}/{digits[:2]}/{digits}"


def _result(key: str) -> str:
    return f"results/{key[:2]}/{key}.json"
