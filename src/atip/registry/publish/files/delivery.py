"""Media type and caching of a registry's files, the same for every host. Pure.

A name that keeps its meaning is revalidated each time (`no-cache` with an ETag costs a 304): a copy that is older
than the signed metadata would be refused by every client. Numbered TUF files never change. Nothing is ever
`immutable` (A24).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.registry import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

_REVALIDATE = "public, no-cache"
_A_DAY = "public, max-age=86400"
PAGE_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "xml": "application/xml",
    "wasm": "application/wasm",
    "zip": "application/zip",
}
"""Files of a site, which may be beside its registry."""


def headers_for(key: str) -> Mapping[str, str]:
    """`Content-Type` and `Cache-Control` of a file of the tree."""
    if key.startswith(f"{tree.TUF}/"):
        number = key.removeprefix(f"{tree.TUF}/").partition(".")[0]
        caching = _A_DAY if number.isdigit() else _REVALIDATE
        return {"Content-Type": "application/json", "Cache-Control": caching}
    if key.endswith(".bundle"):
        return {"Content-Type": tree.BUNDLE_MEDIA_TYPE, "Cache-Control": _REVALIDATE}
    kind = PAGE_TYPES.get(key.rpartition(".")[2], tree.MEDIA_TYPE)
    return {"Content-Type": kind, "Cache-Control": _REVALIDATE}
