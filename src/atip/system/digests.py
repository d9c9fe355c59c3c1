"""SHA-256 of small data without loading OpenSSL, which costs more than hashing a few hundred kilobytes."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SMALL = 512 * 1024
"""Up to here it is quicker without OpenSSL."""


def new_sha256(size: int) -> Any:
    """A hash object as `hashlib.sha256()` gives it, for data of about this size."""
    make: Any
    try:
        if size > SMALL:
            # `hashlib` would load every other kind of digest too
            from _hashlib import openssl_sha256 as make
        elif sys.version_info >= (3, 12):
            from _sha2 import sha256 as make  # type: ignore[import-not-found]
        else:
            from _sha256 import sha256 as make  # type: ignore[import-not-found,no-redef]
    except ImportError:
        from hashlib import sha256 as make
    return make()


def sha256_hex(data: bytes) -> str:
    """Hex digits of the digest of some bytes."""
    hasher = new_sha256(len(data))
    hasher.update(data)
    digits: str = hasher.hexdigest()
    return digits
