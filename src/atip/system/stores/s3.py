"""An S3-compatible bucket as an object store, through `obstore`. Imported on use.

Credentials, region and endpoint come from the usual `AWS_…` variables. Objects carry the headers with which a web
server in front of the bucket delivers them.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from atip.errors import AtipError, FetchError, FormatError, UsageError
from atip.system.stores.parts import (
    ABSENT,
    ObjectInfo,
    StoredObject,
    changed_meanwhile,
    checked_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atip.system.stores.parts import Headers

_AT_ONCE = 16
_BATCH = 256
"""Objects taken from the caller before their writes are waited for: bounds memory."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Bucket:
    """Objects below one prefix of a bucket."""

    def __init__(self, place: str, headers: Headers) -> None:
        self.place = place
        self._headers = headers
        self._obstore, self._store = _connect(place)

    def find(self, key: str, max_bytes: int) -> StoredObject | None:
        """An object, or None.

        Raises:
            FormatError: `format.too-large`.
            FetchError: `objects.failed`.
        """
        problems = self._obstore.exceptions
        try:
            answer = self._obstore.get(self._store, checked_key(key))
            if answer.meta["size"] > max_bytes:
                raise FormatError("format.too-large", f"`{key}` has more than {max_bytes:,} bytes")
            return StoredObject(data=bytes(answer.bytes()), tag=answer.meta["e_tag"] or "")
        except (problems.NotFoundError, FileNotFoundError):
            return None
        except problems.BaseError as error:
            raise self._failure("read", key, error) from error

    def put(self, key: str, data: bytes, *, expected: str | None = None) -> None:
        """Write one object; with `expected`, only if its tag is still that one (see `ABSENT`).

        Raises:
            AtipError: `objects.changed`.
            FetchError: `objects.failed`.
        """
        mode: Any = "overwrite"
        if expected is not None:
            mode = "create" if expected == ABSENT else {"e_tag": expected}
        problems = self._obstore.exceptions
        try:
            self._obstore.put(
                self._store,
                checked_key(key),
                data,
                attributes=dict(self._headers(key)),
                mode=mode,
                use_multipart=False,
            )
        except (problems.AlreadyExistsError, problems.PreconditionError) as error:
            raise changed_meanwhile(self.place, key) from error
        except problems.BaseError as error:
            raise self._failure("write", key, error) from error

    def put_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Write objects, several at once, in no particular order."""
        remaining = iter(objects)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            while batch := list(itertools.islice(remaining, _BATCH)):
                for _ in pool.map(lambda one: self.put(*one), batch):
                    pass

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Every object below a prefix; tags are those of the store."""
        problems = self._obstore.exceptions
        try:
            for page in self._obstore.list(self._store, prefix or None, chunk_size=1000):
                for one in page:
                    tag = one["e_tag"] or ""
                    yield ObjectInfo(key=one["path"], size=one["size"], tag=tag, stamp=tag)
        except problems.BaseError as error:
            raise self._failure("list", prefix, error) from error

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are gone already do not matter."""
        problems = self._obstore.exceptions
        for key in keys:
            try:
                self._obstore.delete(self._store, checked_key(key))
            except (problems.NotFoundError, FileNotFoundError):
                continue
            except problems.BaseError as error:
                raise self._failure("delete", key, error) from error

    def _failure(self, what: str, key: str, error: Exception) -> FetchError:
        # The client's text repeats the request, address and all; its first line says enough.
        reason = str(error).strip().splitlines()[0][:300]
        return FetchError(
            "objects.failed",
            f"cannot {what} `{key}` in `{self.place}`: {reason}",
            hint="check AWS_ENDPOINT_URL, AWS_REGION and the credentials",
        )


def _connect(place: str) -> tuple[Any, Any]:
    try:
        import obstore
        from obstore.store import S3Store
    except ImportError as error:
        raise AtipError(
            "objects.missing-extra",
            "object stores need the package `obstore`",
            hint="pip install 'atip-cli[registry]'",
        ) from error
    parts = urlsplit(place)
    if not parts.netloc or parts.query or parts.fragment:
        raise UsageError("objects.place", f"`{place[:200]}` is not s3://bucket/prefix")
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    options: dict[str, Any] = {}
    # SECURITY: plain http would show the credentials' signatures and the files to anyone on the path.
    if endpoint.startswith("http://"):
        if urlsplit(endpoint).hostname not in _LOOPBACK:
            raise UsageError("objects.place", "AWS_ENDPOINT_URL is plain http", hint="use https")
        options["client_options"] = {"allow_http": True}
    store = S3Store(
        parts.netloc, prefix=parts.path.strip("/") or None, retry_config=_RETRIES, **options
    )
    return obstore, store


_RETRIES: Any = {"max_retries": 4}
