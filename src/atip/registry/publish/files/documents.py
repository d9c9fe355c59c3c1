"""The documents around the shims: manifest, catalogue, pattern index, coverage. Pure: the same input, the same bytes.

Implements ATIP 0.6 §4.4.2, §4.4.4, §4.10.5. Times come from the release, never from a clock.
"""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any

from atip.registry import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.model.reading.shim_records import Row, ShimRecord
    from atip.registry.publish.settings import PublisherSettings

_NUMBERS = re.compile(r"(\d{1,18})")


def readable(value: object) -> bytes:
    """JSON for people: indented, in the order of insertion."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def manifest(settings: PublisherSettings, release: str, fingerprint: str | None) -> bytes:
    """`.well-known/atip-registry.json`. `release` is a time such as `2026-01-15T00:00:00Z`."""
    endpoints = {
        "shims": f"/{tree.SHIMS}/{{hash}}.json",
        "signatures": f"/{tree.SHIMS}/{{hash}}.json.bundle",
        "catalog": f"/{tree.CATALOG}",
        "patterns": f"/{tree.PATTERNS}",
    }
    document: dict[str, Any] = {
        "atip": {"version": "0.6", "features": ["content-addressable"]},
        "registry": {
            "name": settings.name,
            "url": settings.url,
            "type": "static",
            "version": release[:10].replace("-", "."),
        },
        "endpoints": endpoints,
        "trust": {
            "requireSignatures": settings.require_signatures,
            "signers": list(settings.signers),
        },
    }
    if fingerprint is not None:
        endpoints["metadata"] = f"/{tree.TUF}/"
        document["x-atip"] = {"tuf": {"path": f"/{tree.TUF}/", "fingerprint": fingerprint}}
    return readable(document)


def catalog(entries: Iterable[str], total: int, release: str) -> bytes:
    """`shims/index.json`: name → version → platform → hash, from `"name": entry` as JSON, sorted by name."""
    tools = ",".join(entries)
    head = f'{{"version":"1","updated":"{release}","totalShims":{total},"tools":{{'
    return f"{head}{tools}}}}}\n".encode()


def catalog_entry(rows: Sequence[Row], newest: ShimRecord | None) -> dict[str, Any]:
    """One tool of the catalogue; `rows` from the oldest version to the newest.

    Two binaries of one name, version and platform (builds of two distributions) are both listed, the later ones as
    `platform#2`; lookup is by hash and not affected.
    """
    versions: dict[str, dict[str, str]] = {}
    for version, platform, digits, _slot in rows:
        platforms = versions.setdefault(version or "unknown", {})
        place = platform = platform or "any"
        number = 1
        while place in platforms:
            number += 1
            place = f"{platform}#{number}"
        platforms[place] = f"sha256:{digits}"
    entry: dict[str, Any] = {"description": newest.description if newest else ""}
    if newest and newest.homepage:
        entry["homepage"] = newest.homepage
    entry["versions"] = versions
    return entry


@functools.lru_cache(maxsize=4096)
def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Order of versions: numbers by value, words by letter. `1.10` is after `1.9`, `1.0` after `1.0rc1` is not known."""
    parts = _NUMBERS.split(version)
    return tuple([(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts])


def pattern_index(documents: Mapping[str, Mapping[str, Any]]) -> bytes:
    """`patterns/index.json` for documents by name."""
    patterns: dict[str, Any] = {}
    for name, document in sorted(documents.items()):
        patterns_here = [
            pattern for pattern in document.get("patterns", ()) if isinstance(pattern, dict)
        ]
        first = patterns_here[0].get("description", "") if patterns_here else ""
        entry: dict[str, Any] = {"description": str(document.get("description", first))}
        if tools := _tools_of(patterns_here):
            entry["tools"] = tools
        patterns[name] = entry
    return readable({"version": "1", "patterns": patterns})


def _tools_of(patterns: Iterable[Mapping[str, Any]]) -> list[str]:
    tools: set[str] = set()
    for pattern in patterns:
        if isinstance(pattern.get("tools"), list):
            tools.update(str(tool) for tool in pattern["tools"])
            continue
        for step in pattern.get("steps", ()):
            words = str(step.get("command", "")).split()[:1] if isinstance(step, dict) else []
            tools.update(words)
    return sorted(tools)
