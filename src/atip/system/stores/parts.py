"""Common parts of object stores: interface, objects, rules for keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from atip.errors import AtipError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Headers = Callable[[str], Mapping[str, str]]
    """Key → `Content-Type` and `Cache-Control`, for stores that keep them."""

    class ObjectStore(Protocol):
        """Interface of a store."""

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
    stamp: str = ""
    """Changes whenever the object is written, known without reading it; the same bytes may get another one."""


class StoredObject(Value):
    """An object with its bytes."""

    data: bytes
    tag: str


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
        raise AtipError("objects.key", f"`{key[:100]!r}` is not a valid object name")
    return key


def changed_meanwhile(place: str, key: str) -> AtipError:
    """Error: another writer changed the object since it was read."""
    return AtipError(
        "objects.changed",
        f"another publisher changed `{key}` in `{place}`",
        hint="run it again; only one publisher at a time",
    )
