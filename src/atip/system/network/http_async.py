"""HTTP for API calls: any method, asynchronous, pooled; the same checked addresses as `system/network/http.py`.

    async with Sender(Access(private=("http://127.0.0.1:8000",))) as sender:
        answer = await sender.send("POST", url, headers, b"{}")

Sends one request and follows nothing: what a redirect means for credentials is the caller's decision. The answer is
bounded in bytes and time and may be taken in pieces. Belongs to one event loop. Needs the extra `net` or `api`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from atip.errors import FetchError
from atip.model.value import Value
from atip.system.network.http import missing_extra
from atip.system.network.http_addresses import (
    Access,
    check_addresses,
    check_scheme,
    parse_address,
    resolve,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from atip.system.network.http_addresses import Address

    Sink = Callable[[bytes], object]

MAX_CONNECTIONS = 20
KEEP_ALIVE_S = 30.0


class HttpResponse(Value):
    """A response."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
        return next((value for key, value in self.headers if key == name), "")


class Sender:
    """A pool of connections to checked addresses."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._pool: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    async def send(
        self,
        method: str,
        url: str,
        headers: Iterable[tuple[str, str]] = (),
        content: bytes | None = None,
        *,
        max_bytes: int = 16_000_000,
        deadline_s: float = 30.0,
        sink: Sink | None = None,
    ) -> HttpResponse:
        """One request, one answer. With `sink` the body of a 2xx goes there, piece by piece.

        Raises:
            FetchError: `http.url`, `http.insecure`, `http.address`, `http.dns`, `http.connect`,
                `http.deadline`, `http.too-large`, `http.stream`.
        """
        address = parse_address(url)
        check_scheme(address, self._access)
        all_headers = [("Host", _host(address)), ("User-Agent", "atip"), *headers]
        try:
            async with asyncio.timeout(deadline_s):
                return await self._exchange(method, address, all_headers, content, max_bytes, sink)
        except TimeoutError as error:
            raise FetchError(
                "http.deadline", f"`{address.origin}` took longer than {deadline_s:g} seconds"
            ) from error

    async def _exchange(
        self,
        method: str,
        address: Address,
        headers: list[tuple[str, str]],
        content: bytes | None,
        max_bytes: int,
        sink: Sink | None,
    ) -> HttpResponse:
        library = _library()
        if self._pool is None:
            self._pool = _open_pool(self._access)
        if content is not None or method in {"POST", "PUT", "PATCH"}:
            headers = [*headers, ("Content-Length", str(len(content or b"")))]
        raw = [(key.encode("ascii"), value.encode("latin-1")) for key, value in headers]
        try:
            async with self._pool.stream(
                method, f"{address.origin}{address.target}", headers=raw, content=content
            ) as response:
                response_headers = tuple(
                    (key.decode("latin-1").lower(), value.decode("latin-1"))
                    for key, value in response.headers
                )
                _refuse_stream(response_headers, address)
                body_sink = sink if 200 <= response.status < 300 else None
                body = await _take(response, address, max_bytes, body_sink)
                return HttpResponse(status=response.status, headers=response_headers, content=body)
        except (library.NetworkError, library.ProtocolError, library.TimeoutException) as error:
            raise FetchError(
                "http.connect", f"the request to `{address.origin}` failed: {error}"
            ) from error


def _refuse_stream(headers: tuple[tuple[str, str], ...], address: Address) -> None:
    """A stream of events has no end that one call could wait for."""
    kind = next((value for key, value in headers if key == "content-type"), "")
    if kind.partition(";")[0].strip().lower() == "text/event-stream":
        raise FetchError(
            "http.stream",
            f"`{address.origin}` answers with a stream of events, which is not supported",
            hint="ask the operation for one answer, as with `stream:=false`, or use the service's own client",
        )


async def _take(response: Any, address: Address, max_bytes: int, sink: Sink | None) -> bytes:
    content = bytearray()
    size = 0
    async for piece in response.aiter_stream():
        size += len(piece)
        if size > max_bytes:
            raise FetchError(
                "http.too-large", f"`{address.origin}` sent more than {max_bytes} bytes"
            )
        if sink is not None:
            sink(piece)
        else:
            content += piece
    return bytes(content)


def _open_pool(access: Access) -> Any:
    library = _library()

    class Backend(library.AsyncNetworkBackend):  # type: ignore[misc, name-defined]
        """Connects to the addresses that were checked, and to no others."""

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Any = None,
        ) -> Any:
            loop = asyncio.get_running_loop()
            try:
                addresses = await loop.run_in_executor(None, resolve, host, port)
            except OSError as error:
                raise FetchError("http.dns", f"`{host}` has no address") from error
            problem: Exception | None = None
            for scheme in ("https", "http"):
                address = parse_address(f"{scheme}://{_add_brackets(host)}:{port}/")
                if access.allows(address):
                    break
            for resolved in check_addresses(address, addresses, access):
                try:
                    return await inner.connect_tcp(
                        resolved, port, timeout, local_address, socket_options
                    )
                except (library.ConnectError, library.ConnectTimeout) as error:
                    problem = error
            assert problem is not None
            raise problem

        async def connect_unix_socket(self, *_given: Any, **_named: Any) -> Any:
            # SECURITY: no address leads to a local socket.
            raise FetchError("http.url", "local sockets are not used")

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(seconds)

    from httpcore2._backends.auto import AutoBackend

    inner = AutoBackend()
    return library.AsyncConnectionPool(
        max_connections=MAX_CONNECTIONS,
        keepalive_expiry=KEEP_ALIVE_S,
        network_backend=Backend(),
        http1=True,
        http2=False,
    )


def _host(address: Address) -> str:
    usual = {"https": 443, "http": 80}[address.scheme]
    host = _add_brackets(address.host)
    return host if address.port == usual else f"{host}:{address.port}"


def _add_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _library() -> Any:
    try:
        import httpcore2
    except ImportError as error:
        raise missing_extra() from error
    return httpcore2
