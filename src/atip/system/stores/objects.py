"""Object stores: one interface, two kinds. A local folder by default, any S3-compatible store through `obstore`.

Keys are relative paths with `/`. A write is whole or not at all; `expected` makes it conditional, so that two
publishers cannot overwrite each other unseen. What is stored and how it is delivered is the caller's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError
from atip.system.stores.parts import ABSENT as ABSENT
from atip.system.stores.parts import ObjectInfo as ObjectInfo
from atip.system.stores.parts import StoredObject as StoredObject
from atip.system.stores.parts import changed_meanwhile as changed_meanwhile
from atip.system.stores.parts import checked_key as checked_key

if TYPE_CHECKING:
    from atip.system.stores.parts import Headers as Headers
    from atip.system.stores.parts import ObjectStore as ObjectStore


def open_store(place: str, headers: Headers) -> ObjectStore:
    """The store at a place: a folder, or `s3://bucket/prefix` with credentials and endpoint from `AWS_…` variables.

    Raises:
        UsageError: `objects.place` for an address of another kind.
        AtipError: `objects.missing-extra`.
    """
    if place.startswith("s3://"):
        from atip.system.stores.s3 import Bucket

        return Bucket(place, headers)
    if "://" in place:
        raise UsageError(
            "objects.place",
            f"`{place[:200]}` is neither a folder nor an s3:// address",
            hint="write a folder, or s3://bucket/prefix",
        )
    from atip.system.stores.folder import FolderStore

    return FolderStore(place)
