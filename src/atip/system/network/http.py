"""HTTP: the only access to the web. Bounded GETs to checked addresses; everything else is refused.

    with Client(Access(), offline=False) as client:
        response = client.get("https://example.com/x.json", limits=Limits(max_bytes=1_000_000))

Public https only, unless an origin was configured as private; at most three redirects, never to another scheme, and
credentials stay with the origin they were meant for; total deadline, byte limit, no compressed bodies; at most three
tries, jittered. Proxy variables do not count: through a proxy no address can be checked. One thread per Client.
Caching is the caller's (`ETag` and `Last-Modified` are in the response). Needs the extra `net`.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FetchError
from atip.model.value import Value
from atip.system.clock import monotonic, now
from atip.system.network.http_addresses import (
    Access,
    ActiveRequest,
    Address,
    check_scheme,
    make_backend,
    parse_address,
    resolve,
)
from atip.system.network.http_retry import MAX_TRIES, RETRIED, delay_s, retry_after_s
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpcore2

    from atip.system.network.http_addresses import Resolve

    Sink = Callable[[bytes], object]

MAX_REDIRECTS = 3
REDIRECTS = frozenset([301, 302, 303, 307, 308])
CREDENTIALS = frozenset(["authorization", "cookie", "proxy-authorization", "x-api-key"])
ANSWERS = frozenset([200, 304, 400, 401, 403, 404, 405, 409, 410, 451])
"""Statuses that the caller judges; every other one is an error."""
PUBLIC = Access()
NO_HEADERS: Mapping[str, str] = {}


class HttpLimits(Value):
    """Limits of size and time."""

    max_bytes: int = 10_000_000
    deadline_s: float = 10.0
    """All tries, redirects and waits together."""
    tries: int = MAX_TRIES


DEFAULT_LIMITS = HttpLimits()


class Response(Value):
    """One final answer."""

    url: str
    """Address of the answer, after redirects."""
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """Empty when a sink took it."""

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


class HttpClient:
    """Keeps connections between requests."""

    def __init__(
        self,
        access: Access = PUBLIC,
        *,
        offline: bool = False,
        lookup: Resolve = resolve,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._access = access
        self._offline = offline
        self._lookup = lookup
        self._sleep = sleep
        self._active = ActiveRequest()
        self._pool: httpcore2.ConnectionPool | None = None
        self.requests = 0
        """Requests sent so far, retries and redirects included."""

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        limits: HttpLimits = DEFAULT_LIMITS,
        accept: tuple[str, ...] = (),
        sink: Sink | None = None,
    ) -> Response:
        """Fetch one address.

        Args:
            headers: credentials among them are sent to the origin of `url` only.
            accept: media types that a body may have; empty: any. An answer without one is taken.
            sink: takes the body piece by piece instead of the response; after the first piece nothing is retried.

        Raises:
            FetchError: `http.offline`, `http.url`, `http.insecure`, `http.address`, `http.dns`, `http.connect`,
                `http.tls`, `http.timeout`, `http.redirect`, `http.status`, `http.encoding`, `http.content-type`,
                `http.too-large`, `http.truncated`, `http.protocol`, `http.not-asked-304`, `http.missing-extra`.
        """
        # SECURITY: before anything else; offline means that no socket is opened, not even for a name.
        if self._offline:
            raise FetchError(
                "http.offline", f"`{url[:200]}` is not fetched: offline", hint="unset ATIP_OFFLINE"
            )
        self._active.ends_at = monotonic() + limits.deadline_s
        body = _BodyReader(sink, limits.max_bytes)
        tries = 0
        while True:
            tries += 1
            try:
                return self._follow(url, headers, body, accept)
            except _RetryableFailure as again:
                retry_after = again.server_delay_s
                wait = delay_s(tries, random.random(), retry_after)  # noqa: S311 jitter, not a secret
                if tries >= limits.tries or body.started or wait >= self._active.left_s():
                    raise again.error from again.error.__cause__
                self._sleep(wait)

    def _follow(
        self, url: str, headers: Mapping[str, str], body: _BodyReader, accept: tuple[str, ...]
    ) -> Response:
        """One try: the request and its redirects."""
        address = parse_address(url)
        first = address
        request_headers = {name.lower(): value for name, value in headers.items()}
        for _ in range(MAX_REDIRECTS + 1):
            check_scheme(address, self._access)
            if address.origin != first.origin:
                # SECURITY: a token must not follow a redirect to another origin.
                request_headers = {
                    name: value
                    for name, value in request_headers.items()
                    if name not in CREDENTIALS
                }
            answer = self._once(address, request_headers, body, accept)
            if isinstance(answer, Response):
                return answer
            target = parse_address(_join(address, answer))
            if target.scheme != address.scheme:
                raise FetchError("http.redirect", f"`{address.origin}` redirects to another scheme")
            address = target
        raise FetchError(
            "http.redirect", f"`{first.origin}` redirects more than {MAX_REDIRECTS} times"
        )

    def _once(
        self,
        address: Address,
        headers: Mapping[str, str],
        body: _BodyReader,
        accept: tuple[str, ...],
    ) -> Response | str:
        """One request: the answer, or where it redirects to."""
        httpcore = _library()
        if self._pool is None:
            self._pool = _open_pool(make_backend(self._access, self._active, self._lookup))
        self._active.address = address
        self.requests += 1
        try:
            with self._pool.stream(
                "GET", address.origin + address.target, headers=_request_headers(address, headers)
            ) as stream:
                return self._read(address, headers, stream, body, accept)
        except httpcore.TimeoutException as error:
            raise FetchError("http.timeout", f"`{address.host}` did not answer in time") from error
        except httpcore.ConnectError as error:
            raise _not_connected(address, error) from error
        except httpcore.RemoteProtocolError as error:
            raise _RetryableFailure(
                FetchError(
                    "http.truncated",
                    f"`{address.host}` closed the connection early: {str(error)[:200]}",
                )
            ) from error
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.UnsupportedProtocol,
        ) as error:
            raise _RetryableFailure(
                FetchError("http.protocol", f"`{address.host}`: {str(error)[:200]}")
            ) from error

    def _read(
        self,
        address: Address,
        request_headers: Mapping[str, str],
        stream: Any,
        body: _BodyReader,
        accept: tuple[str, ...],
    ) -> Response | str:
        headers = _lower_names(stream.headers)
        status = int(stream.status)
        if status in REDIRECTS and "location" in headers:
            return headers["location"]
        if status not in ANSWERS:
            raise _status(address, status, headers)
        if status == 304 and not {"if-none-match", "if-modified-since"} & set(request_headers):
            raise FetchError(
                "http.not-asked-304", f"`{address.host}` answered 304 to an unconditional request"
            )
        response = Response(
            url=address.origin + address.target, status=status, headers=headers, body=b""
        )
        if status != 200:
            return response
        if headers.get("content-encoding", "identity") != "identity":
            # SECURITY: a few compressed bytes can become gigabytes; we asked for none.
            raise FetchError("http.encoding", f"`{address.host}` sent a compressed body")
        if accept and response.media_type and response.media_type not in accept:
            raise FetchError(
                "http.content-type",
                f"`{address.host}` sent `{response.media_type[:60]}`, not `{accept[0]}`",
            )
        declared = headers.get("content-length", "")
        return response.replace(body=body.take(address, declared, stream.iter_stream()))


def get(
    url: str,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    limits: HttpLimits = DEFAULT_LIMITS,
    access: Access = PUBLIC,
    offline: bool = False,
    sink: Sink | None = None,
) -> Response:
    """Fetch one address with a Client of its own; see `HttpClient.get`."""
    with HttpClient(access, offline=offline) as client:
        return client.get(url, headers=headers, limits=limits, sink=sink)


class _RetryableFailure(Exception):
    """A failure that may pass: carries the error to raise when it does not."""

    def __init__(self, error: FetchError, server_delay_s: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.server_delay_s = server_delay_s


class _BodyReader:
    """Read a response body, into a sink or into memory, up to `max_bytes`."""

    def __init__(self, sink: Sink | None, max_bytes: int) -> None:
        self._sink = sink
        self._max_bytes = max_bytes
        self.started = False
        """Whether the sink has seen something that cannot be taken back."""

    def take(self, address: Address, declared: str, pieces: Iterator[bytes]) -> bytes:
        if declared.isdigit() and int(declared) > self._max_bytes:
            raise self._too_large(address)
        content = bytearray()
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > self._max_bytes:
                raise self._too_large(address)
            if self._sink is None:
                content += piece
            else:
                self.started = True
                self._sink(piece)
        return bytes(content)

    def _too_large(self, address: Address) -> FetchError:
        return FetchError(
            "http.too-large", f"`{address.host}` sent more than {self._max_bytes:,} bytes"
        )


def _library() -> Any:
    try:
        import httpcore2
    except ImportError as error:
        raise missing_extra() from error
    return httpcore2


def missing_extra() -> AtipError:
    return FetchError(
        "http.missing-extra",
        "fetching needs the package `httpx2`",
        hint="pip install 'atip-cli[net]'",
    )


def _open_pool(backend: httpcore2.NetworkBackend) -> httpcore2.ConnectionPool:
    import ssl

    import httpcore2

    # The system's certificates; `SSL_CERT_FILE` of the user counts.
    return httpcore2.ConnectionPool(
        ssl_context=ssl.create_default_context(), max_connections=4, network_backend=backend
    )


def _request_headers(address: Address, headers: Mapping[str, str]) -> list[tuple[str, str]]:
    default = address.port == {"https": 443, "http": 80}[address.scheme]
    host = f"[{address.host}]" if ":" in address.host else address.host
    fixed = {
        "host": host if default else f"{host}:{address.port}",
        "user-agent": f"atip/{__version__}",
        "accept-encoding": "identity",
    }
    merged = {**headers, **fixed}
    for name, value in merged.items():
        # SECURITY: a line break inside a value would be a second header.
        if not (name + value).isprintable() or not (name + value).isascii():
            raise FetchError("http.header", f"the header `{name[:40]!r}` cannot be sent")
    return list(merged.items())


def _lower_names(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def join_url(url: str, location: str) -> str:
    """A reference as a page at `url` means it."""
    return _join(parse_address(url), location)


def _join(address: Address, location: str) -> str:
    from urllib.parse import urljoin

    return urljoin(address.origin + address.target, location)


def _status(address: Address, status: int, headers: Mapping[str, str]) -> Exception:
    retry_after = retry_after_s(headers, now())
    error = FetchError(
        "http.status",
        f"`{address.host}` answered {status}",
        hint="try again later" if status in RETRIED else "",
        details={"status": status, "retryAfter": retry_after},
    )
    return _RetryableFailure(error, retry_after) if status in RETRIED else error


def _not_connected(address: Address, error: Exception) -> Exception:
    import ssl

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return FetchError("http.tls", f"`{address.host}`: {str(cause)[:200]}")
        cause = cause.__cause__ or cause.__context__
    return _RetryableFailure(
        FetchError(
            "http.connect",
            f"cannot connect to `{address.host}`, port {address.port}: {str(error)[:200]}",
            hint="check the address and the network; ATIP_OFFLINE=1 works without",
        )
    )
