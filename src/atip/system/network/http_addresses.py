"""Allowed addresses of a request: the rules, and connections to exactly the address that was checked.

A name is resolved once; every address that it has must be public, or its origin must have been configured as
private; the connection goes to that very address, so a second look-up cannot lead elsewhere. Reads and writes of a
connection end at the deadline of the request, however slowly bytes drip (threats 9 and 10 of conformance/threats.toml).
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from typing import TYPE_CHECKING, Any

from atip.errors import FetchError
from atip.model.text.hosts import canonical_host, is_public
from atip.model.value import Value
from atip.system.clock import monotonic

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    import httpcore2

    Resolve = Callable[[str, int], list[str]]

DEFAULT_PORTS = {"https": 443, "http": 80}


class Address(Value):
    """A checked URL, in parts."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class Access(Value):
    """Access that the configuration allows beyond public https."""

    private: tuple[str, ...] = ()
    """Origins (`https://host:port`) that may have private addresses; those with `http` may be used without TLS."""

    def allows(self, address: Address) -> bool:
        return address.origin in self.private


def parse_address(url: str) -> Address:
    """The parts of an http or https URL.

    Raises:
        FetchError: `http.url` for any other scheme, credentials inside, or a host that is none.
    """
    from urllib.parse import urlsplit

    if not url.isascii() or not url.isprintable() or " " in url:
        raise _refusal(url, "it is not plain ASCII")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _refusal(url, str(error)) from error
    if parts.scheme not in DEFAULT_PORTS:
        raise _refusal(url, "it does not start with `https://`")
    if parts.username is not None or parts.password is not None:
        raise _refusal(url, "it contains credentials")
    host = parts.hostname or ""
    if not is_literal(host):
        host = canonical_host(host) or ""
    if not host or port == 0:
        raise _refusal(url, "it has no valid host")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(
        scheme=parts.scheme, host=host, port=port or DEFAULT_PORTS[parts.scheme], target=target
    )


def is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


def check_scheme(address: Address, access: Access) -> None:
    """SECURITY: over plain http anyone on the path could answer; only configured origins may use it.

    Raises:
        FetchError: `http.insecure`.
    """
    if address.scheme != "https" and not access.allows(address):
        raise FetchError("http.insecure", f"`{address.origin}` is not https", hint="use https")


def check_addresses(address: Address, resolved: Iterable[str], access: Access) -> list[str]:
    """The addresses that may be connected to: all of them, or none.

    Raises:
        FetchError: `http.address` when one is not public; `http.dns` when there is none.
    """
    addresses = list(resolved)
    if not addresses:
        raise FetchError("http.dns", f"`{address.host}` has no address")
    if not access.allows(address):
        for ip in addresses:
            # SECURITY: one private address among several is a way into the local network.
            if not is_public(ip):
                raise FetchError(
                    "http.address",
                    f"`{address.host}` resolves to `{ip}`, which is not a public address",
                    hint="if this is intended, configure the server as private",
                )
    return addresses


def resolve(host: str, port: int) -> list[str]:
    """All addresses of a host, in the resolver's order."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def resolve_within(host: str, port: int, timeout_s: float, lookup: Resolve) -> list[str]:
    """`lookup`, given up after a time: the system's resolver has no deadline.

    Raises:
        FetchError: `http.dns` or `http.timeout`.
    """
    if is_literal(host):
        return [host]
    answer: list[list[str] | OSError] = []

    def ask() -> None:
        try:
            answer.append(lookup(host, port))
        except OSError as error:
            answer.append(error)

    worker = threading.Thread(target=ask, daemon=True)
    worker.start()
    worker.join(timeout_s)
    if not answer:
        raise FetchError("http.timeout", f"resolving `{host}` timed out")
    if isinstance(answer[0], OSError):
        raise FetchError(
            "http.dns",
            f"cannot resolve `{host}`: {answer[0].strerror}",
            hint="check the name and the network; ATIP_OFFLINE=1 works without",
        )
    return answer[0]


class ActiveRequest:
    """The request under way: where to, until when. Connections outlive requests, so they look here."""

    def __init__(self) -> None:
        self.ends_at = 0.0
        self.address = Address(scheme="https", host="", port=0, target="/")

    def left_s(self) -> float:
        return self.ends_at - monotonic()


def make_backend(
    access: Access, active: ActiveRequest, lookup: Resolve
) -> httpcore2.NetworkBackend:
    """Network backend for the HTTP library: checks each address, ends each operation at the deadline."""
    import httpcore2

    class Stream(httpcore2.NetworkStream):
        """A connection whose every operation ends at the request's deadline."""

        def __init__(self, inner: httpcore2.NetworkStream) -> None:
            self._inner = inner

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return self._inner.read(max_bytes, _check_time_left(httpcore2.ReadTimeout, timeout))

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self._inner.write(buffer, _check_time_left(httpcore2.WriteTimeout, timeout))

        def close(self) -> None:
            self._inner.close()

        def start_tls(
            self,
            ssl_context: ssl.SSLContext,
            server_hostname: str | None = None,
            timeout: float | None = None,
        ) -> httpcore2.NetworkStream:
            left = _check_time_left(httpcore2.ConnectTimeout, timeout)
            return Stream(self._inner.start_tls(ssl_context, server_hostname, left))

        def get_extra_info(self, info: str) -> Any:
            return self._inner.get_extra_info(info)

    def _check_time_left(kind: type[Exception], timeout: float | None) -> float:
        left = active.left_s()
        if left <= 0:
            raise kind("the deadline has passed")
        return left if timeout is None else min(left, timeout)

    class Backend(httpcore2.SyncBackend):
        """Connects to the addresses that were checked, and to no others."""

        def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Any = None,
        ) -> httpcore2.NetworkStream:
            addresses = resolve_within(
                host, port, _check_time_left(httpcore2.ConnectTimeout, timeout), lookup
            )
            problem: Exception | None = None
            for address in check_addresses(active.address, addresses, access):
                try:
                    left = _check_time_left(httpcore2.ConnectTimeout, timeout)
                    return Stream(
                        super().connect_tcp(address, port, left, local_address, socket_options)
                    )
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    problem = error
            assert problem is not None
            raise problem

    return Backend()


def _refusal(url: str, why: str) -> FetchError:
    return FetchError("http.url", f"`{url[:200]}` is not fetched: {why}")
