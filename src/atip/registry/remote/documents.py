"""Reads the documents of a registry besides shims: manifest, catalogue, headers, endpoint templates. Pure."""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError

if TYPE_CHECKING:
    from atip.model.shapes.shape import Shape
    from atip.registry.remote.tuf_client import TargetFile
    from atip.registry.shims.cache import CachedShim


def read_manifest(data: bytes) -> dict[str, Any]:
    """A registry's manifest, checked (§4.4.2).

    Raises:
        FormatError: `registry.document`, or what makes it unreadable.
    """
    from atip.model.reading.reader import read_json
    from atip.model.shapes.registry import MANIFEST

    return _check(read_json(data), MANIFEST, "manifest")


def read_catalog(data: bytes) -> dict[str, list[str]]:
    """Digests by tool name (§4.4.4).

    Raises:
        FormatError: `registry.document`, or what makes it unreadable.
    """
    from atip.model.reading.reader import STORE, read_json
    from atip.model.shapes.registry import CATALOG

    document = _check(read_json(data, STORE), CATALOG, "catalogue")
    return {
        name: [
            str(digest).lower()
            for platforms in (tool["versions"] or {}).values()
            for digest in (platforms or {}).values()
        ]
        for name, tool in document["tools"].items()
    }


def _check(document: Any, shape: Shape, word: str) -> dict[str, Any]:
    from atip.model.shapes.check import check_shape

    problems = [p for p in check_shape(document, shape, "lenient") if p.severity == "error"]
    if problems or not isinstance(document, dict):
        message = f"{problems[0].path}: {problems[0].message}" if problems else "not an object"
        raise FormatError(
            "registry.document", f"the {word} is not valid: {message}", problems=problems
        )
    return document


def max_age_s(cache_control: str) -> float | None:
    """`max-age` of a Cache-Control header; 0 for `no-cache` and `no-store`; None when it has neither."""
    words = [word.strip().lower() for word in cache_control.split(",")]
    if "no-cache" in words or "no-store" in words:
        return 0.0
    for word in words:
        name, _, value = word.partition("=")
        if name == "max-age" and value.isascii() and value.isdigit():
            return float(value[:9])
    return None


def is_same(cached: CachedShim, target: TargetFile) -> bool:
    from atip.system.digests import sha256_hex

    bundle = sha256_hex(cached.bundle) if cached.bundle is not None else ""
    return sha256_hex(cached.shim) == target.sha256 and bundle == target.bundle_sha256


def conditions(cached: CachedShim | None) -> dict[str, str]:
    if cached is None:
        return {}
    headers = {"if-none-match": cached.facts.etag, "if-modified-since": cached.facts.last_modified}
    return {name: value for name, value in headers.items() if value}


def fill_template(template: object, digest: str) -> str | None:
    """An endpoint's path for one hash; a template that leaves the registry's own tree does not count."""
    if not isinstance(template, str) or "{hash}" not in template or "://" in template:
        return None
    path = posixpath.normpath(template.replace("{hash}", digest.removeprefix("sha256:"))).lstrip(
        "/"
    )
    return None if path.startswith("..") else path


def claimed_bundle(shim: bytes) -> str | None:
    """The location of the signature that an unread shim names; a hint for fetching, nothing more."""
    try:
        trust = json.loads(shim)["trust"]
        claim = (trust.get("shimIntegrity") or {}).get("signature") or trust.get("signature") or {}
        return str(claim["bundle"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
