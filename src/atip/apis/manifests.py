"""Finding and reading `.agent-ready.json`: the order of ATM §5.3, and the checks before anything is used (§15.2)."""

from __future__ import annotations

import os

from atip.errors import FormatError, NotFoundError
from atip.model.check_atm import check_manifest
from atip.model.reader import read_json
from atip.system.files import read_bytes
from atip.system.http import Limits, get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.system.http_addresses import Access

NAMES = (".agent-ready.json", "agent-ready.json")
SUFFIX = ".agent-ready.json"
WELL_KNOWN = "/.well-known/agent-ready.json"
MAX_BYTES = 1_900_000


def find_manifest(place: str = "") -> str:
    """The manifest of an explicit path, or of a folder (the current one if nothing is given).

    Raises:
        NotFoundError: `api.no-manifest`; or several named manifests and no way to choose.
    """
    if place and not os.path.isdir(place):
        if os.path.exists(place):
            return place
        raise NotFoundError("api.no-manifest", f"there is no `{place}`")
    folder = place or "."
    for name in NAMES:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    named = sorted(each for each in os.listdir(folder) if each.endswith(SUFFIX))
    if len(named) == 1:
        return os.path.join(folder, named[0])
    hint = "choose one of: " + ", ".join(named) if named else "run `atip api sync`"
    raise NotFoundError("api.no-manifest", f"no manifest in `{folder}`", hint=hint)


def read_manifest(path: str) -> Any:
    """The values of a manifest file, not judged."""
    return read_json(read_bytes(path, MAX_BYTES))


def fetch_manifest(base: str, *, access: Access | None = None) -> Any:
    """The manifest that a web API offers (§5.2), judged; its texts stay what they are: untrusted.

    Raises:
        NotFoundError: `api.no-manifest`.
        FormatError: `atm.invalid`.
    """
    from atip.system.http import PUBLIC

    url = base.rstrip("/") + WELL_KNOWN
    response = get(url, access=access or PUBLIC, limits=Limits(max_bytes=MAX_BYTES))
    if response.status != 200:
        raise NotFoundError("api.no-manifest", f"`{url}` answered {response.status}")
    return usable(read_json(response.body))


def usable(manifest: Any, *capabilities: str) -> Any:
    """A manifest that may be used: valid, and with what the caller needs (§15.2).

    Raises:
        FormatError: `atm.invalid`, `atm.capability`.
    """
    problems = [each for each in check_manifest(manifest, "lenient") if each.severity == "error"]
    if problems:
        raise FormatError("atm.invalid", "this is no valid manifest", problems=problems)
    missing = [each for each in capabilities if each not in manifest["capabilities"]]
    if missing:
        raise FormatError("atm.capability", f"the manifest does not offer {', '.join(missing)}")
    return manifest
