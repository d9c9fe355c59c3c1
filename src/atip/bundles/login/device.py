"""OAuth device flow for setup steps (RFC 8628): a code to enter on another device, and polling until it is used.

`device_url` beside `token_url` and `client_id` under `metadata.oauth` selects it; no browser and no callback is
needed here. The provider sets the polling interval and the timeout; both are bounded.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.bundles.surfaces.interface import Surface

    Exchange = Callable[[str, Mapping[str, str]], Mapping[str, Any]]
    """Token address and form fields → the provider's answer. Raises AtipError."""

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
DEFAULT_INTERVAL_S, MAX_INTERVAL_S = 5.0, 60.0
MAX_WAIT_S = 900.0
SLOWER_S = 5.0


def obtain_by_device(
    settings: Mapping[str, Any],
    exchange: Exchange,
    surface: Surface,
    wait: Callable[[float], None] = time.sleep,
) -> Mapping[str, Any]:
    """Return the tokens after the user has entered the code.

    Raises:
        AtipError: `oauth.device` when the provider refuses or the code expired; `oauth.exchange`.
    """
    client, scopes = str(settings["client_id"]), settings.get("scopes")
    fields = {"client_id": client}
    if isinstance(scopes, list):
        fields["scope"] = " ".join(map(str, scopes))
    offer = exchange(str(settings["device_url"]), fields)
    _show(offer, surface)
    fields = {"grant_type": GRANT, "device_code": str(offer["device_code"]), "client_id": client}
    interval = _seconds(offer.get("interval"), DEFAULT_INTERVAL_S, MAX_INTERVAL_S)
    remaining_s = _seconds(offer.get("expires_in"), MAX_WAIT_S, MAX_WAIT_S)
    while remaining_s > 0:
        wait(interval)
        remaining_s -= interval
        try:
            return exchange(str(settings["token_url"]), fields)
        except AtipError as error:
            reason = error.details.get("error")
            if reason == "slow_down":
                interval += SLOWER_S
            elif reason != "authorization_pending":
                raise
    raise AtipError("oauth.device", "the code was not used in time", hint="run the step again")


def _show(offer: Mapping[str, Any], surface: Surface) -> None:
    """Show the code, and the page where to enter it."""
    code, page = offer.get("user_code"), str(offer.get("verification_uri") or "")
    if not isinstance(code, str) or not offer.get("device_code"):
        raise AtipError("oauth.device", "the provider's response has no user code")
    # SECURITY: the page opens in the user's browser.
    if not page.startswith(("https://", "http://127.0.0.1:")):
        raise AtipError(
            "oauth.device", f"the verification page `{page[:120]}` is not an https address"
        )
    surface.show(f"enter the code {code[:40]} at {page[:300]}")
    surface.open(page)


def _seconds(value: object, default: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return default
    return min(float(value), most)
