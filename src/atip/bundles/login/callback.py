"""A callback address: works once, for a short time, and only with its secret path. Defends against threat 35 of conformance/threats.toml.

    with Callback() as callback:
        surface.open(f"https://example.com/auth?redirect_uri={callback.url}&state={callback.state}")
        values = callback.wait(timeout_s=300)

The path contains 256 random bits; a `state` in the query, if present, must be ours too. Requests
that differ in path, method, host, origin or state get 403 and the flow stays open.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.system.clock import monotonic
from atip.system.network.loopback import Loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_WAIT_S = 300.0
MAX_REFUSED = 200
_DONE = "Done. You can close this page and go back."


class LoginCallback:
    """One address for one answer."""

    def __init__(self) -> None:
        self.state = secrets.token_urlsafe(32)
        self._token = secrets.token_urlsafe(32)
        self._server = Loopback()
        self._used = False

    @property
    def url(self) -> str:
        return f"{self._server.origin}/callback/{self._token}"

    def __enter__(self) -> LoginCallback:
        return self

    def __exit__(self, *_failure: object) -> None:
        self._server.close()

    def wait(
        self, timeout_s: float, *, is_cancelled: Callable[[], bool] = lambda: False
    ) -> Mapping[str, str]:
        """Wait for the matching request and return its query.

        Raises:
            AtipError: `callback.timeout`, `callback.cancelled`, `callback.used`, `callback.failed`.
        """
        if self._used:
            raise AtipError("callback.used", "the callback address was already used")
        deadline = monotonic() + min(timeout_s, MAX_WAIT_S)
        refused = 0
        while monotonic() < deadline and refused < MAX_REFUSED:
            if is_cancelled():
                raise AtipError("callback.cancelled", "the flow was cancelled")
            request = self._server.next(min(deadline, monotonic() + 0.2))
            if request is None:
                continue
            state = request.query.get("state", self.state)
            # SECURITY: the answer to another flow must not end ours.
            if not (
                request.method == "GET"
                and _same(request.path, f"/callback/{self._token}")
                and _same(state, self.state)
            ):
                self._server.answer(403, "forbidden")
                refused += 1
                continue
            self._used = True
            self._server.answer(200, _DONE)
            self._server.close()
            if "error" in request.query:
                reason = request.query["error"][:120]
                raise AtipError("callback.failed", f"the provider answered: {reason}")
            return request.query
        raise AtipError(
            "callback.timeout",
            "no callback arrived in time",
            hint="start the flow again; the address is no longer valid",
        )


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left.encode("utf-8", "surrogatepass"), right.encode())
