"""File names of the local store, and how older layouts map onto them (A16, A17). Pure.

registry.json                       name → hash (§4.3)
tools/sha256-<hex>.json             native metadata
shims/sha256/<hex>.json             shims and inferred metadata
shims/sha256/<hex>.<name>.json      another personality of a multi-call binary
branches/<hex>.json                 a command of a very large tool with all below it; by the digest of the file itself
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEX = "registry.json"
INDEX_VERSION = "2"
NATIVE = "native"


def bare(digest: str) -> str:
    """`sha256:…` → the hex digits alone (A13)."""
    return digest.removeprefix("sha256:")


def metadata_name(digest: str, source: str) -> str:
    """Where metadata of this binary is written, relative to the data directory."""
    if source == NATIVE:
        return f"tools/sha256-{bare(digest)}.json"
    return f"shims/sha256/{bare(digest)}.json"


def personality_name(digest: str, name: str) -> str:
    """Where metadata of one name of a multi-call binary is written."""
    return f"shims/sha256/{bare(digest)}.{name}.json"


def branch_name(digest: str) -> str:
    """Where a branch of a very large document is written."""
    return f"branches/{bare(digest)}.json"


def candidates(name: str, entry: dict[str, Any]) -> list[str]:
    """Where the metadata of an entry may be, newest layout first. All relative, none escapes."""
    found = []
    told = entry.get("metadataPath") or entry.get("shimPath")
    if isinstance(told, str):
        found.append(os.path.normpath(told))
    digest = entry.get("hash")
    if isinstance(digest, str):
        source = str(entry.get("source", ""))
        found.append(metadata_name(digest, source))
        found.append(f"tools/{name}-{bare(digest)}.json")
        found.append(metadata_name(digest, "shim" if source == NATIVE else NATIVE))
    found += [f"tools/{name}.json", f"shims/{name}.json"]
    # SECURITY: an index entry must not point outside the store.
    return [path for path in found if not os.path.isabs(path) and not path.startswith("..")]


def unwrapped(document: Any) -> Any:
    """The metadata inside a 0.1 cache record (§3.5.2), or the document itself."""
    if (
        isinstance(document, dict)
        and isinstance(document.get("metadata"), dict)
        and "cachedAt" in document
    ):
        return document["metadata"]
    return document


def migrated(index: dict[str, Any], now: str) -> dict[str, Any]:
    """An index of layout 0.1 as layout 2. Entries keep their paths; hashes follow at the next scan."""
    if index.get("version") == INDEX_VERSION:
        return index
    return {**index, "version": INDEX_VERSION, "updated": now}


def empty_index(now: str, version: str) -> dict[str, Any]:
    """The index of a machine about which nothing is known yet."""
    return {
        "version": INDEX_VERSION,
        "updated": now,
        "agent": {"name": "atip", "version": version},
        "_stamp": 0,
        "tools": {},
    }
