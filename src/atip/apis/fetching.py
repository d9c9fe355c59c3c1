"""Read API descriptions: from a file beside the configuration, or from an https address."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

from atip.apis.documents import LIMITS
from atip.errors import FetchError
from atip.system.files import read_bytes
from atip.system.network.http import HttpLimits, get
from atip.system.network.http_addresses import Access, parse_address

if TYPE_CHECKING:
    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess

DEADLINE_S = 60.0


def read_place(place: str, config: SourceConfig, api_access: ApiAccess) -> bytes:
    """The bytes of a description. Gzipped files are unpacked, within the same limit.

    Raises:
        FetchError: `api.not-fetched` and errors of the HTTP client.
        PolicyError: `api.offline`.
    """
    if "://" in place:
        return fetch(place, config, api_access)
    data = read_bytes(os.path.join(config.folder, place), LIMITS.max_bytes)
    if data[:2] == b"\x1f\x8b":
        return unpack(data)
    return data


def unpack(data: bytes) -> bytes:
    """Gzipped bytes, unpacked up to the limit."""
    import io

    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        return packed.read(LIMITS.max_bytes + 1)


def fetch(url: str, config: SourceConfig, api_access: ApiAccess) -> bytes:
    """Fetch a description over the network; never with credentials."""
    api_access.check_online(config.name)
    address = parse_address(url)
    access = Access(private=(address.origin,)) if config.settings.get("private") else Access()
    limits = HttpLimits(max_bytes=LIMITS.max_bytes, deadline_s=DEADLINE_S)
    response = get(url, access=access, limits=limits)
    if response.status != 200:
        raise FetchError("api.not-fetched", f"`{url}` answered with status {response.status}")
    return response.body
