"""OAuth 2.0 access tokens: client credentials, refresh token, password – whatever the configuration has the parts for.

The authorization code flow needs a person and a browser once; what it leaves behind is a refresh token, and that is
what is used here. Tokens are kept in memory only. RFC 6749 §4.3, §4.4, §6.
"""

from __future__ import annotations

import asyncio
import json

from atip.errors import AuthRequired
from atip.model.uri_text import encode
from atip.system.http_addresses import Access, parse_address
from atip.system.http_async import Sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE_S = 20.0


def fetch_token(settings: Mapping[str, str]) -> str:
    """An access token. Blocks; call it from a thread without a running event loop.

    Raises:
        AuthRequired: `api.auth-missing` when a person must log in first, or the server refuses.
        FetchError: what the network said.
    """
    url = settings.get("tokenUrl", "")
    if not url:
        raise AuthRequired("api.auth-missing", "`auth.tokenUrl` is needed to get a token")
    form = _grant(settings)
    for key, name in (
        ("clientId", "client_id"),
        ("clientSecret", "client_secret"),
        ("scope", "scope"),
    ):
        if settings.get(key):
            form[name] = settings[key]
    content = "&".join(f"{encode(key)}={encode(value)}" for key, value in form.items()).encode()
    return asyncio.run(_ask(url, content))


def _grant(settings: Mapping[str, str]) -> dict[str, str]:
    if settings.get("refreshToken"):
        return {"grant_type": "refresh_token", "refresh_token": settings["refreshToken"]}
    if settings.get("flow") == "clientCredentials":
        return {"grant_type": "client_credentials"}
    if settings.get("flow") == "password" and settings.get("username"):
        return {
            "grant_type": "password",
            "username": settings["username"],
            "password": settings.get("password", ""),
        }
    raise AuthRequired(
        "api.auth-missing",
        "this OAuth flow needs a person to log in once",
        hint="log in with the service's own tool and set `auth.refreshToken`, or use `bearer`",
    )


async def _ask(url: str, content: bytes) -> str:
    address = parse_address(url)
    # Plain http and private addresses are for a token server that the user put on this very machine.
    private = (address.origin,) if address.host in {"127.0.0.1", "::1", "localhost"} else ()
    headers = (
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Accept", "application/json"),
    )
    async with Sender(Access(private=private)) as sender:
        answer = await sender.send(
            "POST", url, headers, content, max_bytes=100_000, deadline_s=DEADLINE_S
        )
    try:
        told = json.loads(answer.content)
        token = told["access_token"]
    except (ValueError, KeyError, TypeError) as error:
        raise AuthRequired(
            "api.auth-missing", f"`{address.origin}` gave no token (status {answer.status})"
        ) from error
    return str(token)
