"""OAuth 2.0 access tokens: client credentials, refresh token, password – whatever the configuration has the parts for.

The authorization code flow needs a user and a browser once; it yields a refresh token, which is used here. Tokens are
kept in memory only. RFC 6749 §4.3, §4.4, §6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import AuthRequired, FetchError
from atip.system.network.http_form import post_form

if TYPE_CHECKING:
    from collections.abc import Mapping


def fetch_token(settings: Mapping[str, str]) -> str:
    """An access token. Blocks; call it from a thread without a running event loop.

    Raises:
        AuthRequired: `api.auth-missing` when the user must log in first, or the server refuses.
        FetchError: a network error.
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
    try:
        token = post_form(url, form).get("access_token")
    except FetchError as error:
        if error.code != "http.form":
            raise
        raise AuthRequired("api.auth-missing", error.message) from error
    if not token:
        raise AuthRequired("api.auth-missing", "the token server did not return a token")
    return str(token)


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
        "this OAuth flow needs an interactive login first",
        hint="log in with the service's own tool and set `auth.refreshToken`, or use `bearer`",
    )
