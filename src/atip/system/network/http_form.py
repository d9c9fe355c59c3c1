"""A form posted once, and the JSON that comes back: the protocol of OAuth 2.0 token endpoints (RFC 6749 §3.2).

The same checked addresses as every request; plain http and private addresses only for a server on this very machine.
Blocks; call it from a thread without a running event loop.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from atip.errors import FetchError
from atip.model.text.uri_text import encode
from atip.system.network.http_addresses import Access, parse_address
from atip.system.network.http_async import Sender

if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE_S = 20.0
MAX_BYTES = 100_000
CODES = frozenset(["authorization_pending", "slow_down", "access_denied", "expired_token"])
"""Error codes of a token endpoint during a device login (RFC 8628 §3.5)."""
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})
_HEADERS = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))


def post_form(url: str, fields: Mapping[str, str]) -> Mapping[str, Any]:
    """The object that the server answers with.

    Raises:
        FetchError: `http.form` for a refusal or an answer that is not a JSON object; and network errors.
    """
    content = "&".join(f"{encode(key)}={encode(value)}" for key, value in fields.items()).encode()
    return asyncio.run(_post(url, content))


async def _post(url: str, content: bytes) -> Mapping[str, Any]:
    address = parse_address(url)
    private = (address.origin,) if address.host in _HERE else ()
    async with Sender(Access(private=private)) as sender:
        answer = await sender.send(
            "POST", url, _HEADERS, content, max_bytes=MAX_BYTES, deadline_s=DEADLINE_S
        )
    try:
        document = json.loads(answer.content)
    except ValueError:
        document = None
    if not isinstance(document, dict) or answer.status >= 300:
        # The answer may repeat what was sent, so it is not shown; its error code is a word of RFC 6749.
        raise FetchError(
            "http.form",
            f"`{address.origin}` refused the form (status {answer.status})",
            details={"error": code} if (code := _error_code(document)) else {},
        )
    return document


def _error_code(document: object) -> str:
    code = document.get("error") if isinstance(document, dict) else None
    return code if isinstance(code, str) and code in CODES else ""
