"""Shims of one registry as they came: raw bytes, and beside them a sidecar with everything we know about them.

    shims/sha256/<hex>.json               the signed bytes, untouched (ATIP 0.6 §4.7)
    shims/sha256/<hex>.<digest16>.side    checksum, JSON facts, signature bundle

A sidecar is named after the bytes it belongs to and written first: whichever moment a writer dies, the reader
finds a whole old pair or a whole new one. Every load hashes the bytes; what does not fit is quarantined and counts
as never fetched. Which registry the pair came from is the folder's business: answers of two registries never mix.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import Any

from atip.errors import AtipError
from atip.model.value import Value
from atip.registry.tree import MAX_BUNDLE, MAX_SHIM, is_hex_digest
from atip.system.digests import sha256_hex
from atip.system.files import make_private, write_atomic

VERSION = 1
_MAX_FACTS = 64_000


class ShimFacts(Value):
    """Content of the sidecar; none of it is inside the signed bytes."""

    url: str
    cached_at: float
    expires_at: float
    etag: str = ""
    last_modified: str = ""
    signer: str = ""
    """The verified signer; empty: none."""
    policy: str = ""
    """Digest of the signers and keys that `signer` was verified against."""


class CachedShim(Value):
    """One shim from the cache, whole and unchanged."""

    digest: str
    """Of the binary, with `sha256:`."""
    shim: bytes
    bundle: bytes | None
    facts: ShimFacts


class ShimCache:
    """The shims of one registry, below its folder."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "shims", "sha256")
        self._quarantine = os.path.join(folder, "quarantine")
        self.damaged: list[str] = []
        """Digests whose files did not fit and were set aside."""

    def find(self, digest: str) -> CachedShim | None:
        """The shim of a binary, or None when there is none or it is damaged."""
        digits = _hex_digits(digest)
        shim = _read(f"{self._folder}/{digits}.json", MAX_SHIM)
        if shim is None:
            return None
        side = _read(self._side(digits, shim), MAX_BUNDLE + _MAX_FACTS)
        opened = _open_side(side, sha256_hex(shim)) if side is not None else None
        if opened is None:
            self._set_aside(digits)
            return None
        facts, bundle = opened
        return CachedShim(digest=f"sha256:{digits}", shim=shim, bundle=bundle, facts=facts)

    def save(self, digest: str, shim: bytes, bundle: bytes | None, facts: ShimFacts) -> None:
        """Replace the shim of a binary, whole or not at all."""
        digits = _hex_digits(digest)
        make_private(self._folder)
        before = _read(f"{self._folder}/{digits}.json", MAX_SHIM)
        write_atomic(self._side(digits, shim), _close_side(facts, bundle, sha256_hex(shim)))
        if before == shim:
            return
        write_atomic(f"{self._folder}/{digits}.json", shim)
        if before is not None:
            _unlink(self._side(digits, before))

    def forget(self, digest: str) -> bool:
        """Remove a shim, as when its registry no longer lists it."""
        digits = _hex_digits(digest)
        shim = _read(f"{self._folder}/{digits}.json", MAX_SHIM)
        if shim is None:
            return False
        _unlink(f"{self._folder}/{digits}.json")
        _unlink(self._side(digits, shim))
        return True

    def digests(self) -> list[str]:
        """Every binary that has a shim here."""
        with contextlib.suppress(OSError):
            names = [name.removesuffix(".json") for name in os.listdir(self._folder)]
            return sorted(f"sha256:{name}" for name in names if is_hex_digest(name))
        return []

    def _side(self, digits: str, shim: bytes) -> str:
        return f"{self._folder}/{digits}.{sha256_hex(shim)[:16]}.side"

    def _set_aside(self, digits: str) -> None:
        self.damaged.append(f"sha256:{digits}")
        with contextlib.suppress(OSError, AtipError):
            make_private(self._quarantine)
            os.replace(f"{self._folder}/{digits}.json", f"{self._quarantine}/{digits}.json")


def _hex_digits(digest: str) -> str:
    digits = digest.removeprefix("sha256:")
    if not is_hex_digest(digits):
        # SECURITY: a digest becomes a file name.
        raise AtipError("registry.digest", f"`{digest[:80]}` is not a SHA-256 digest")
    return digits


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _read(path: str, max_bytes: int) -> bytes | None:
    """A regular file of this user; None when it is missing, too large, a link, or owned by another user."""
    try:
        # SECURITY: a link in the cache would let another file be read as a shim.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in (os.geteuid(), 0):
            return None
        data = file.read(max_bytes + 1)
    return data if len(data) <= max_bytes else None


def _close_side(facts: ShimFacts, bundle: bytes | None, shim_hex: str) -> bytes:
    document: dict[str, Any] = {
        "version": VERSION,
        "shim": shim_hex,
        "bundle": len(bundle) if bundle is not None else None,
        "url": facts.url,
        "cachedAt": facts.cached_at,
        "expiresAt": facts.expires_at,
        "etag": facts.etag,
        "lastModified": facts.last_modified,
        "signer": facts.signer,
        "policy": facts.policy,
    }
    content = json.dumps(document).encode() + b"\n" + (bundle or b"")
    return sha256_hex(content).encode() + b"\n" + content


def _open_side(data: bytes, shim_hex: str) -> tuple[ShimFacts, bytes | None] | None:
    checksum, _, content = data.partition(b"\n")
    if checksum != sha256_hex(content).encode():
        return None
    line, _, bundle = content.partition(b"\n")
    document = json.loads(line)
    if document["version"] != VERSION or document["shim"] != shim_hex:
        return None
    facts = ShimFacts(
        url=document["url"],
        cached_at=document["cachedAt"],
        expires_at=document["expiresAt"],
        etag=document["etag"],
        last_modified=document["lastModified"],
        signer=document["signer"],
        policy=document["policy"],
    )
    return facts, bundle if document["bundle"] is not None else None
