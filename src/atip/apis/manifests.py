"""Finding and reading `.agent-ready.json`: the order of ATM §5.3, and the checks before anything is used (§15.2)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.model.reading.reader import read_json
from atip.model.shapes.check_atm import check_manifest
from atip.system.files import read_bytes
from atip.system.network.http import HttpLimits, get, join_url
from atip.system.network.http_addresses import parse_address

if TYPE_CHECKING:
    from atip.system.network.http_addresses import Access

NAMES = (".agent-ready.json", "agent-ready.json")
SUFFIX = ".agent-ready.json"
WELL_KNOWN = "/.well-known/agent-ready.json"
MAX_BYTES = 1_900_000
MAX_PAGE = 500_000
LINK = "agent-ready"
_LINK = re.compile(r"<link\s([^<>]{1,2000})>", re.I)
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]{1,20})\s*=\s*(["'])([^"'<>]{0,1000})\2""")


def find_manifest(place: str = "") -> str:
    """The manifest of an explicit path, or of a folder (the current one if nothing is given).

    Raises:
        NotFoundError: `api.no-manifest`; or several named manifests and no way to choose.
    """
    if place and not os.path.isdir(place):
        if os.path.exists(place):
            return place
        raise NotFoundError("api.no-manifest", f"no file or folder `{place}`")
    folder = place or "."
    for name in NAMES:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    candidates = sorted(entry for entry in os.listdir(folder) if entry.endswith(SUFFIX))
    if len(candidates) == 1:
        return os.path.join(folder, candidates[0])
    hint = "choose one of: " + ", ".join(candidates) if candidates else "run `atip api sync`"
    raise NotFoundError("api.no-manifest", f"no manifest in `{folder}`", hint=hint)


def read_manifest(path: str) -> Any:
    """The values of a manifest file, not validated."""
    return read_json(read_bytes(path, MAX_BYTES))


def fetch_offered(url: str, *, access: Access | None = None) -> tuple[str, Any]:
    """Fetch (address, values) of the manifest that an address offers, not validated.

    In order: the address itself if it names a JSON file; `/.well-known/agent-ready.json` of its API (§5.2); what its
    page names in `<link rel="agent-ready" href="…">`, of the same origin only.

    Raises:
        NotFoundError: `api.no-manifest`.
        FetchError: an address could not be read.
    """
    from atip.system.network.http import PUBLIC

    allowed = access or PUBLIC
    place = url if url.endswith(".json") else url.rstrip("/") + WELL_KNOWN
    response = get(place, access=allowed, limits=HttpLimits(max_bytes=MAX_BYTES))
    if response.status == 404 and place != url:
        place = _find_link(url, allowed) or place
        if not place.endswith(WELL_KNOWN):
            response = get(place, access=allowed, limits=HttpLimits(max_bytes=MAX_BYTES))
    if response.status != 200:
        raise NotFoundError(
            "api.no-manifest", f"`{place}` answered with HTTP status {response.status}"
        )
    return place, read_json(response.body)


def _find_link(url: str, access: Access) -> str:
    """The address in the page's link, or nothing."""
    page = get(url, access=access, limits=HttpLimits(max_bytes=MAX_PAGE))
    if page.status != 200 or page.media_type != "text/html":
        return ""
    return linked_manifest(page.body.decode("utf-8", "replace"), url)


def linked_manifest(page: str, url: str) -> str:
    """The manifest that a page names, if it is of the page's own origin; empty otherwise."""
    for tag in _LINK.findall(page[:MAX_PAGE]):
        attributes = {key.lower(): value for key, _, value in _ATTRIBUTE.findall(tag)}
        if LINK in attributes.get("rel", "").lower().split() and attributes.get("href"):
            address = join_url(url, attributes["href"])
            # SECURITY: a page must not send us to another host, nor to another scheme.
            if parse_address(address).origin == parse_address(url).origin:
                return address
    return ""


def usable(manifest: Any, *capabilities: str) -> Any:
    """A manifest that may be used: valid, and with what the caller needs (§15.2).

    Raises:
        FormatError: `atm.invalid`, `atm.capability`.
    """
    problems = [
        problem for problem in check_manifest(manifest, "lenient") if problem.severity == "error"
    ]
    if problems:
        raise FormatError("atm.invalid", "the manifest is not valid", problems=problems)
    missing = [
        capability for capability in capabilities if capability not in manifest["capabilities"]
    ]
    if missing:
        raise FormatError("atm.capability", f"the manifest does not offer {', '.join(missing)}")
    return manifest
