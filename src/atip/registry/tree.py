"""Names inside a published registry: the static tree of ATIP 0.6 §4.4 and the TUF metadata beside it. Pure.

The contract between publishers and clients; described in `docs/formats/registry.md`.
Every path is relative to the registry's base address, with `/`, without a leading one.
"""

from __future__ import annotations

import hashlib

MANIFEST = ".well-known/atip-registry.json"
SHIMS = "shims/sha256"
CATALOG = "shims/index.json"
PATTERNS = "patterns/index.json"
POLICY = "policy.json"
COVERAGE = "coverage.json"

TUF = "tuf"
FIRST_ROOT = f"{TUF}/1.root.json"
"""File whose fingerprint `registry add` shows; newer roots are reached from it, one by one."""
ROOT = f"{TUF}/root.json"
"""A copy of the newest root, for people; clients follow the numbered chain."""
TIMESTAMP = f"{TUF}/timestamp.json"
BIN_PREFIX = "bins"
MIN_BIN_BITS = 1
MAX_BIN_BITS = 8
"""256 bins: a client with 2,000 hashes fetches at most 256 bins, regardless of the registry's size."""
SHIMS_PER_BIN = 500

MEDIA_TYPE = "application/vnd.atip+json"
BUNDLE_MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"

MAX_SHIM = 1_000_000
MAX_BUNDLE = 1_000_000
MAX_INDEX = 10_000_000
"""Catalogue, pattern index, policy, manifest, and one TUF file (docs/concepts/registries.md)."""

HEX = "0123456789abcdef"


def is_hex_digest(text: str) -> bool:
    """Whether these are the 64 lower-case digits of a SHA-256."""
    return len(text) == 64 and not text.strip(HEX)


def shim_path(digest: str) -> str:
    """Path of the shim of a binary; `digest` with or without `sha256:`."""
    return f"{SHIMS}/{digest.removeprefix('sha256:')}.json"


def bundle_path(digest: str) -> str:
    """Path of the signature of that shim."""
    return f"{shim_path(digest)}.bundle"


def pattern_path(name: str) -> str:
    """Path of one pattern document."""
    return f"patterns/{name}.json"


def digest_of_shim_path(path: str) -> str | None:
    """`sha256:<hex>` of a shim's path; None for any other path."""
    hex_digits = path.removeprefix(f"{SHIMS}/").removesuffix(".json")
    return (
        f"sha256:{hex_digits}"
        if path == shim_path(hex_digits) and is_hex_digest(hex_digits)
        else None
    )


def metadata_path(role: str, version: int) -> str:
    """Path of a numbered TUF file: `tuf/3.snapshot.json`, `tuf/7.bins-0f.json`."""
    return f"{TUF}/{version}.{role}.json"


def bin_bits(shims: int) -> int:
    """Number of bits in the bin names of a registry with so many shims; never lower it once published."""
    bits = MIN_BIN_BITS
    while bits < MAX_BIN_BITS and shims > SHIMS_PER_BIN << bits:
        bits += 1
    return bits


def bin_of(path: str, bits: int) -> str:
    """The bin that answers for a target path: its name as TUF's succinct roles spell it (TAP 15)."""
    number = int.from_bytes(hashlib.sha256(path.encode()).digest()[:4], "big") >> (32 - bits)
    width = len(f"{(1 << bits) - 1:x}")
    return f"{BIN_PREFIX}-{number:0{width}x}"


def all_bins(bits: int) -> list[str]:
    """The names of all bins."""
    width = len(f"{(1 << bits) - 1:x}")
    return [f"{BIN_PREFIX}-{number:0{width}x}" for number in range(1 << bits)]
