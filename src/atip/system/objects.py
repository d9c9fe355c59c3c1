"""Object stores: one interface, two kinds. A local folder by default, any S3-compatible store through `obstore`.

Keys are relative paths with `/`. A write is whole or not at all; `expected` makes it conditional, so that two
publishers cannot overwrite each other unseen. What is stored and how it is delivered is the caller's business.
"""

from __future__ import annotations

from atip.errors import AtipError, UsageError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Protocol

    Headers = Callable[[str], Mapping[str, str]]
    """Key → `Content-Type` and `Cache-Control`, for stores that keep them."""

    class ObjectStore(Protocol):
        """What can be done with a store."""

        @property
        def place(self) -> str: ...

        def find(self, key: str, max_bytes: int) -> StoredObject | None: ...

        def put(self, key: str, data: bytes, *, expected: str | None = None) -> None: ...

        def put_many(self, objects: Iterable[tuple[str, bytes]]) -> None: ...

        def list(self, prefix: str) -> Iterator[ObjectInfo]: ...

        def delete(self, keys: Iterable[str]) -> None: ...


ABSENT = ""
"""The tag of an object that is not there: as `expected` it means "only create"."""


class ObjectInfo(Value):
    """An object without its bytes."""

    key: str
    size: int
    tag: str = ""
    """Changes with the content. Stores that know it without reading say it; a folder does not."""


class StoredObject(Value):
    """An object with its bytes."""

    data: bytes
    tag: str


def open_store(place: str, headers: Headers) -> ObjectStore:
    """The store at a place: a folder, or `s3://bucket/prefix` with credentials and endpoint from `AWS_…` variables.

    Raises:
        UsageError: `objects.place` for an address of another kind.
        AtipError: `objects.missing-extra`.
    """
    if place.startswith("s3://"):
        from atip.system.objects_s3 import Bucket

        return Bucket(place, headers)
    if "://" in place:
        raise UsageError(
            "objects.place",
            f"`{place[:200]}` is neither a folder nor an s3:// address",
            hint="write a folder, or s3://bucket/prefix",
        )
    from atip.system.objects_folder import Folder

    return Folder(place)


def checked_key(key: str) -> str:
    """The key itself, when it is a plain relative path.

    # SECURITY: a name from a contribution must not lead out of the store.

    Raises:
        AtipError: `objects.key`.
    """
    if (
        not key
        or not key.isascii()
        or not key.isprintable()
        or "\\" in key
        or any(part in ("", ".", "..") for part in key.split("/"))
    ):
        raise AtipError("objects.key", f"`{key[:100]!r}` cannot be the name of an object")
    return key


def changed_meanwhile(place: str, key: str) -> AtipError:
    """Somebody else wrote the object since it was read."""
    return AtipError(
        "objects.changed",
        f"`{key}` in `{place}` was changed by somebody else meanwhile",
        hint="run it again; only one publisher at a time",
    )
