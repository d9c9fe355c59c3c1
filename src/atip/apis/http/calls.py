"""HTTP calls: credential, retries within a deadline, redirects within the origin, a bounded answer, the link to the next page.

Everything is sent to the pinned origin: the configured base, or the document's first server. An operation that names
another origin is refused unless the configuration lists it, and gets no credential even then. Retries only what
may be repeated. Implements ATM §15.2, §16; threats 10 and 25 of conformance/threats.toml.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from atip.apis.http.credentials import NO_CREDENTIAL
from atip.errors import AuthRequired, ExecutionError, FetchError, PolicyError
from atip.model.text.uri_text import encode
from atip.model.value import Value
from atip.system.clock import monotonic, now
from atip.system.network.http_addresses import Access, parse_address
from atip.system.network.http_async import Sender
from atip.system.network.http_retry import delay_s, retry_after_s

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.apis.http.credentials import Credential
    from atip.apis.http.requests import HttpRequest
    from atip.system.network.http_async import HttpResponse

    Hook = Callable[["CallEvent"], None]

MAX_TRIES = 3
MAX_REDIRECTS = 3
MAX_BYTES = 16_000_000
RETRIED = frozenset([429, 502, 503, 504])
REPEATABLE = frozenset(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"])
_MOVED = frozenset([301, 302, 303, 307, 308])


class CallEvent(Value):
    """Event for an instrumentation hook, without values and credentials."""

    source: str
    operation: str
    status: int
    tries: int
    duration_s: float
    bytes_received: int


class CallOutcome(Value):
    """An answer, decoded by its media type."""

    status: int
    data: Any
    media_type: str = ""
    next_page: str = ""
    """Address of the next page, when the answer links to one on the pinned origin."""
    tries: int = 1


class RequestOrigin(Value):
    """Origins of the requests of one source."""

    base: str
    private: bool = False
    others: tuple[str, ...] = ()
    """Further origins that the configuration allows; they never see the credential."""

    @property
    def access(self) -> Access:
        pinned = parse_address(self.base).origin
        return Access(private=(pinned,) if self.private else ())


class HttpCalls:
    """Sends the requests of one source."""

    def __init__(
        self,
        source: str,
        origin: RequestOrigin,
        credential: Credential = NO_CREDENTIAL,
        *,
        headers: tuple[tuple[str, str], ...] = (),
        timeout_s: float = 30.0,
        hook: Hook | None = None,
    ) -> None:
        self._source = source
        self._origin = origin
        self._pinned = parse_address(origin.base).origin
        self._credential = credential
        self._headers = headers
        self._timeout_s = timeout_s
        self._hook = hook
        self._sender = Sender(origin.access)

    async def close(self) -> None:
        await self._sender.close()

    async def call(self, operation: str, request: HttpRequest) -> CallOutcome:
        """Send a request and decode its answer.

        Raises:
            PolicyError: `api.foreign-origin`.
            AuthRequired: `api.auth-required` on 401.
            ExecutionError: `api.status` on any other refusal.
            FetchError: a network error.
        """
        began = monotonic()
        answer, tries = await self._with_retries(request)
        if self._hook is not None:
            self._hook(
                CallEvent(
                    source=self._source,
                    operation=operation,
                    status=answer.status,
                    tries=tries,
                    duration_s=monotonic() - began,
                    bytes_received=len(answer.content),
                )
            )
        return self._outcome(operation, request, answer, tries)

    async def _with_retries(self, request: HttpRequest) -> tuple[HttpResponse, int]:
        ends_at = monotonic() + self._timeout_s
        tries = 1
        while True:
            remaining_s = max(0.1, ends_at - monotonic())
            try:
                answer = await self._follow_redirects(request, remaining_s)
            except FetchError as error:
                if not _may_repeat(request, error.code) or tries >= MAX_TRIES:
                    raise
                wait_s = delay_s(tries, _jitter())
            else:
                if answer.status not in RETRIED or request.method not in REPEATABLE:
                    return answer, tries
                server_delay_s = retry_after_s(dict(answer.headers), now())
                wait_s = delay_s(tries, _jitter(), server_delay_s)
                if tries >= MAX_TRIES or monotonic() + wait_s > ends_at:
                    return answer, tries
            if monotonic() + wait_s > ends_at:
                raise FetchError("http.deadline", f"`{self._pinned}` did not answer in time")
            await asyncio.sleep(wait_s)
            tries += 1

    async def _follow_redirects(self, request: HttpRequest, deadline_s: float) -> HttpResponse:
        url = request.url
        for _ in range(MAX_REDIRECTS + 1):
            address, headers = self._address(url, request)
            answer = await self._sender.send(
                request.method,
                address,
                headers,
                request.content,
                max_bytes=MAX_BYTES,
                deadline_s=deadline_s,
            )
            if answer.status not in _MOVED or request.method not in {"GET", "HEAD"}:
                return answer
            url = urljoin(url, answer.header("location"))
            # SECURITY: a redirect must not carry a request, let alone its credential, elsewhere.
            if parse_address(url).origin != parse_address(request.url).origin:
                raise PolicyError(
                    "api.foreign-redirect",
                    f"`{self._source}` redirects the request to `{parse_address(url).origin}`",
                    hint="add the origin to `hosts` of the source",
                )
        raise FetchError("http.redirects", f"`{self._source}` redirects too often")

    def _address(self, url: str, request: HttpRequest) -> tuple[str, list[tuple[str, str]]]:
        """Address and headers, with the credential if this is the pinned origin."""
        origin = parse_address(url).origin
        headers = [*self._headers, *request.headers]
        if origin != self._pinned:
            allowed = {parse_address(other).origin for other in self._origin.others}
            if origin not in allowed:
                raise PolicyError(
                    "api.foreign-origin",
                    f"the operation would be sent to `{origin}`, not to `{self._pinned}`",
                    hint=f'add "{origin}" to `hosts` of the source to allow it',
                )
            return url, headers
        credential = self._credential
        headers += credential.headers
        if credential.cookies:
            cookies = "; ".join(f"{name}={encode(value)}" for name, value in credential.cookies)
            earlier = [value for name, value in headers if name.lower() == "cookie"]
            headers = [(name, value) for name, value in headers if name.lower() != "cookie"]
            headers.append(("Cookie", "; ".join([*earlier, cookies])))
        for name, value in credential.query:
            url += f"{'&' if '?' in url else '?'}{encode(name)}={encode(value)}"
        return url, headers

    def _outcome(
        self, operation: str, request: HttpRequest, answer: HttpResponse, tries: int
    ) -> CallOutcome:
        media_type = answer.header("content-type").split(";", 1)[0].strip().lower()
        data = _decode(answer.content, media_type)
        if answer.status == 401:
            raise AuthRequired(
                "api.auth-required",
                f"`{self._source}` requires credentials for `{operation}`",
                hint="set `auth` of the source, or the variable it refers to",
            )
        if answer.status >= 300:
            raise ExecutionError(
                "api.status",
                f"`{operation}` failed with status {answer.status}",
                details={"status": answer.status, "answer": data},
            )
        link = _next_link(answer.header("link"), request.url)
        same = bool(link) and parse_address(link).origin == parse_address(request.url).origin
        return CallOutcome(
            status=answer.status,
            data=data,
            media_type=media_type,
            next_page=link if same else "",
            tries=tries,
        )


def _jitter() -> float:
    return random.random()  # noqa: S311 - spreads retries, protects nothing


def _may_repeat(request: HttpRequest, code: str) -> bool:
    return request.method in REPEATABLE and code == "http.connect"


def _decode(content: bytes, media_type: str) -> Any:
    if not content:
        return None
    if media_type == "application/json" or media_type.endswith("+json"):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):  # nested too deeply to be a value
            return content.decode("utf-8", "replace")
    if media_type.startswith("text/") or media_type.endswith(("xml", "yaml", "javascript")):
        return content.decode("utf-8", "replace")
    import base64

    return {"base64": base64.b64encode(content).decode(), "type": media_type}


def _next_link(header: str, url: str) -> str:
    """`rel="next"` of RFC 8288, made absolute."""
    for part in header.split(","):
        target, _, rest = part.partition(";")
        if 'rel="next"' in rest or "rel=next" in rest:
            return urljoin(url, target.strip().strip("<>"))
    return ""
