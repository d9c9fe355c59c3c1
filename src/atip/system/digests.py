"""SHA-256 of small data without loading OpenSSL, which costs more than hashing a few hundred kilobytes."""

from __future__ import annotations


def sha256_hex(data: bytes) -> str:
    """Hex digits of the digest of some bytes."""
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256
    digits: str = sha256(data).hexdigest()
    return digits
