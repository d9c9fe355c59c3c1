"""Requests to one registry: its token, its address rules, a budget for the whole session.

A single slow answer ends at its own deadline; a registry that is slow every time ends at the session's. Prompt answers
count for little: a machine with thousands of programs needs thousands of them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import AuthRequired, FetchError
from atip.registry.remote.tuf_client import check_skew
from atip.registry.tree import FIRST_ROOT, MEDIA_TYPE
from atip.system.clock import monotonic
from atip.system.network.http import HttpClient, HttpLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.registry.remote.sources import RegistrySource
    from atip.system.network.http import Response

DEADLINE_S = 10.0
SESSION_S = 120.0
PROMPT_S = 0.25
"""An answer within this time is prompt …"""
PROMPT_SHARE = 0.1
"""… and this share of it counts, so that no number of answers makes a session endless."""
ACCEPT = (
    MEDIA_TYPE,
    "application/json",
    "application/octet-stream",
    "binary/octet-stream",
    "text/plain",
    "application/vnd.dev.sigstore.bundle.v0.3+json",
    "application/pgp-signature",
)
"""Media types that static hosts use for such files; an HTML page is not an answer of the registry."""
NO_HEADERS: Mapping[str, str] = {}


class RegistryFetcher:
    """All requests of one session."""

    def __init__(
        self,
        source: RegistrySource,
        *,
        offline: bool,
        now: float,
        deadline_s: float = DEADLINE_S,
        session_s: float = SESSION_S,
    ) -> None:
        self._source = source
        self._client = HttpClient(source.access, offline=offline)
        self._now = now
        self._deadline_s = deadline_s
        self._left_s = session_s
        """Budget for slow answers; the time between requests does not count."""

    @property
    def requests(self) -> int:
        return self._client.requests

    def close(self) -> None:
        self._client.close()

    def get(
        self, path: str, max_bytes: int, headers: Mapping[str, str] = NO_HEADERS
    ) -> Response | None:
        """One file of the tree, 200 or 304; None when there is none.

        Raises:
            FetchError: of `HttpClient.get`, or `registry.budget`.
            AuthRequired: `registry.auth`.
            TrustError: `tuf.clock`.
        """
        if self._left_s <= 0:
            raise FetchError("registry.budget", f"`{self._source.name}` timed out")
        started = monotonic()
        try:
            answer = self._client.get(
                f"{self._source.url}/{path}",
                headers={
                    "accept": f"{MEDIA_TYPE}, application/json;q=0.9",
                    **self._login(),
                    **headers,
                },
                limits=HttpLimits(
                    max_bytes=max_bytes, deadline_s=min(self._deadline_s, self._left_s)
                ),
                accept=ACCEPT,
            )
        finally:
            self._left_s -= _charge(monotonic() - started)
        if answer.status in (200, 304):
            check_skew(answer.headers, self._now)
            return answer
        if answer.status in (404, 410):
            return None
        if answer.status in (401, 403):
            raise self._auth_error(answer.status)
        raise FetchError("http.status", f"`{self._source.name}` answered {answer.status}")

    def fetch(self, url: str, max_bytes: int) -> bytes | None:
        """The same for python-tuf, by address. Object stores say 403 for what is not there."""
        path = url.removeprefix(f"{self._source.url}/")
        try:
            answer = self.get(path, max_bytes)
        except AuthRequired as error:
            if (
                path.endswith(".root.json")
                and path != FIRST_ROOT
                and error.details.get("status") == 403
            ):
                return None
            raise
        return answer.body if answer is not None else None

    def _login(self) -> dict[str, str]:
        variable = self._source.token_env_var
        if not variable:
            return {}
        token = os.environ.get(variable, "")
        if not token:
            raise AuthRequired(
                "registry.auth",
                f"`{self._source.name}` needs a token, and `{variable}` is not set",
                hint=f"export {variable}=…",
            )
        return {"authorization": f"Bearer {token}"}

    def _auth_error(self, status: int) -> AuthRequired:
        variable = self._source.token_env_var
        return AuthRequired(
            "registry.auth",
            f"`{self._source.name}` answered {status}",
            hint=f"the token in `{variable}` is refused" if variable else "it needs a token",
            details={"status": status},
        )


def _charge(seconds: float) -> float:
    """Part of the duration of one request that the budget of a session pays for."""
    prompt = min(seconds, PROMPT_S)
    return PROMPT_SHARE * prompt + seconds - prompt
