"""OAuth for setup steps: authorization code with PKCE, through the user's browser and a loopback callback.

Where the provider's addresses are comes from the secret's own entry in SECRETS.md, under `metadata.oauth`:
`authorize_url` (or `device_url`: `device.py`), `token_url`, `client_id`, `scopes`. The caller passes the exchange of the code for tokens, because this
package opens no connections. Tokens go to the secret slot and nowhere else. Implements AIP-29 setup kind `oauth`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from typing import TYPE_CHECKING, Any

from atip.bundles.login.callback import MAX_WAIT_S, LoginCallback
from atip.errors import AtipError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.login.device import Exchange as Exchange
    from atip.bundles.login.secrets import SecretStore
    from atip.bundles.surfaces.interface import Surface

STORED_FIELDS = ("access_token", "refresh_token", "expires_in", "token_type", "scope")


class OAuth:
    """Runs OAuth flows for the secrets of bundles."""

    def __init__(self, store: SecretStore, exchange: Exchange | None = None) -> None:
        self._store = store
        self._exchange = exchange

    def obtain(self, bundle: Bundle, slot: str, surface: Surface) -> None:
        """Obtain consent from the user and store the tokens.

        Raises:
            AtipError: `oauth.unknown-slot`, `oauth.settings`, `oauth.exchange`, `callback.…`.
        """
        settings = _settings(bundle, slot)
        if "device_url" in settings:
            from atip.bundles.login.device import obtain_by_device

            tokens = obtain_by_device(settings, self._exchange or _unavailable, surface)
        else:
            tokens = self._by_browser(settings, surface)
        stored_tokens = {name: tokens[name] for name in STORED_FIELDS if name in tokens}
        if "access_token" not in stored_tokens:
            raise AtipError("oauth.exchange", "the provider's response has no access token")
        self._store.put(bundle.key, slot, json.dumps(stored_tokens))

    def _by_browser(self, settings: Mapping[str, Any], surface: Surface) -> Mapping[str, Any]:
        verifier = secrets.token_urlsafe(48)
        with LoginCallback() as callback:
            surface.open(_address(settings, callback, verifier))
            values = callback.wait(MAX_WAIT_S)
            code = values.get("code")
            # SECURITY: without our own state the answer may belong to another flow.
            if code is None or values.get("state") != callback.state:
                raise AtipError(
                    "oauth.answer", "the callback has no `code`, or a different `state`"
                )
            return self._tokens(settings, code, verifier, callback.url)

    def _tokens(
        self, settings: Mapping[str, Any], code: str, verifier: str, redirect: str
    ) -> Mapping[str, Any]:
        return (self._exchange or _unavailable)(
            str(settings["token_url"]),
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": redirect,
                "client_id": str(settings["client_id"]),
                "code_verifier": verifier,
            },
        )


def _unavailable(_url: str, _fields: Mapping[str, str]) -> Mapping[str, Any]:
    raise AtipError(
        "oauth.unavailable",
        "no token exchange is available here",
        hint="use the tool's own login, or give the token with `--answer`",
    )


def _settings(bundle: Bundle, slot: str) -> Mapping[str, Any]:
    for entry in bundle.secrets:
        if entry.get("slug") == slot:
            metadata = entry.get("metadata")
            settings = metadata.get("oauth") if isinstance(metadata, dict) else None
            if not isinstance(settings, dict) or not all(
                str(settings.get(name, "")).startswith(("https://", "http://127.0.0.1:"))
                for name in (_start(settings), "token_url")
            ):
                raise AtipError(
                    "oauth.settings",
                    f"secret `{slot[:80]}` has no valid `metadata.oauth`",
                    hint="put authorize_url (or device_url), token_url and client_id under `metadata.oauth`",
                )
            return settings
    raise AtipError("oauth.unknown-slot", f"SECRETS.md has no entry `{slot[:80]}`")


def _start(settings: Mapping[str, Any]) -> str:
    return "device_url" if "device_url" in settings else "authorize_url"


def _address(settings: Mapping[str, Any], callback: LoginCallback, verifier: str) -> str:
    from urllib.parse import urlencode

    digest = hashlib.sha256(verifier.encode()).digest()
    scopes = settings.get("scopes")
    query = {
        "response_type": "code",
        "client_id": str(settings.get("client_id", "")),
        "redirect_uri": callback.url,
        "state": callback.state,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        **({"scope": " ".join(map(str, scopes))} if isinstance(scopes, list) else {}),
    }
    return f"{settings['authorize_url']}?{urlencode(query)}"
