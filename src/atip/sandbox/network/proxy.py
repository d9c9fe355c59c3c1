"""Egress proxy: the only way out of a sandbox with a network grant, by host name.

Runs in threads of the host process on sockets that listen *inside* the sandbox. Two kinds of gate:
a proxy for names of `egress` (`CONNECT`, and plain requests which amount to one, see `plain_http`), and raw
forwarding for one `host:port` of `tcp`. One parse of the request, canonical names only, no addresses, pinned ports, every resolved address checked, and the
checked address is the one connected to: no second look-up. Nothing of ours is added to the stream, so
credentials are never forwarded by us.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import TYPE_CHECKING

from atip.model.text.hosts import canonical_host, is_public, parse_endpoint, parse_host_pattern
from atip.model.value import Value
from atip.sandbox.network import plain_http

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.model.permissions.confinement import Confinement
    from atip.model.text.hosts import HostPattern

DEFAULT_PORTS = (443, 80)
MAX_REQUEST = 8192
CONNECT_S = 10.0
IDLE_S = 300.0
_CHUNK = 65536
_LINE = re.compile(rb"CONNECT ([\x21-\x39\x3b-\x7e]+):([0-9]{1,5}) HTTP/1\.[01]")


class Attempt(Value):
    """One try to get out, for the audit."""

    target: str
    allowed: bool
    why: str = ""


class EgressPolicy:
    """Decides on names and addresses; resolves through an injected function."""

    def __init__(self, confinement: Confinement, resolve: Callable[[str, int], list[str]]) -> None:
        self._rules = [_rule(text) for text in confinement.egress]
        self._private = {canonical_host(name) for name in confinement.egress_private}
        self._resolve = resolve

    def decide(self, request: bytes) -> tuple[str, int, str]:
        """(address, port, "") for an allowed request line, or ("", 0, reason)."""
        match = _LINE.fullmatch(request)
        if match is None:
            return "", 0, "only CONNECT host:port is served"
        try:
            host = canonical_host(match[1].decode("ascii"))
        except UnicodeDecodeError:
            host = None
        port = int(match[2])
        if host is None:
            return "", 0, "not a host name"
        if not any(port in ports and pattern.matches(host) for pattern, ports in self._rules):
            return "", 0, "not granted"
        return self._address(host, port)

    def _address(self, host: str, port: int) -> tuple[str, int, str]:
        try:
            addresses = self._resolve(host, port)
        except OSError:
            return "", 0, "the name cannot be resolved"
        # SECURITY: all must be public; a mixed answer is how a name is bent to an inner host.
        if not addresses or not (host in self._private or all(map(is_public, addresses))):
            return "", 0, "the name resolves to an address that is not public"
        return addresses[0], port, ""


def _rule(text: str) -> tuple[HostPattern, tuple[int, ...]]:
    name, colon, port = text.rpartition(":")
    if colon:
        parse_endpoint(text)
        return parse_host_pattern(name), (int(port),)
    return parse_host_pattern(text), DEFAULT_PORTS


def resolve_name(host: str, port: int) -> list[str]:
    """Addresses of a name by the host's resolver."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


class EgressProxy:
    """Serves the gates of one run until `close`."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._policy = policy
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.attempts: list[Attempt] = []

    def serve_proxy(self, gate: socket.socket) -> None:
        """Accept CONNECT requests."""
        self._serve(gate, self._proxy)

    def serve_forward(self, gate: socket.socket, host: str, port: int) -> None:
        """Pass every connection on to one place that a person named."""
        self._serve(gate, lambda client: self._forward(client, host, port))

    def close(self) -> None:
        """End all connections; the threads notice and leave."""
        with self._lock:
            still, self._open = self._open, set()
        for sock in still:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _serve(self, gate: socket.socket, handle: Callable[[socket.socket], None]) -> None:
        self._track(gate)

        def accept() -> None:
            while True:
                try:
                    client, _ = gate.accept()
                except OSError:
                    return
                self._track(client)
                threading.Thread(target=handle, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def _proxy(self, client: socket.socket) -> None:
        try:
            client.settimeout(CONNECT_S)
            head, early = _read_head(client)
            line = head.split(b"\r\n", 1)[0]
            plain = plain_http.as_connect(line)
            onward = plain_http.rewritten(head) if plain else b""
            line = plain if onward else line
            address, port, why = self._policy.decide(line)
            target = line.decode("ascii", "backslashreplace")[:200]
            self.attempts.append(Attempt(target=target, allowed=not why, why=why))
            if why:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            server = socket.create_connection((address, port), CONNECT_S)
            self._track(server)
            if not onward:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            server.sendall(onward + early)
            self._join(client, server)
        except OSError:
            return
        finally:
            self._drop(client)

    def _forward(self, client: socket.socket, host: str, port: int) -> None:
        try:
            server = socket.create_connection((host, port), CONNECT_S)
            self._track(server)
            self.attempts.append(Attempt(target=f"{host}:{port}", allowed=True))
            self._join(client, server)
        except OSError:
            return
        finally:
            self._drop(client)

    def _join(self, client: socket.socket, server: socket.socket) -> None:
        back = threading.Thread(target=_pump, args=(server, client), daemon=True)
        back.start()
        _pump(client, server)
        back.join()
        self._drop(server)

    def _track(self, sock: socket.socket) -> None:
        with self._lock:
            self._open.add(sock)

    def _drop(self, sock: socket.socket) -> None:
        with self._lock:
            self._open.discard(sock)
        sock.close()


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    """The request up to the empty line, and what was sent behind it; empty if it never ends."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(2048)
        data += more
        if not more or len(data) > MAX_REQUEST:
            return b"", b""
    head, _, early = data.partition(b"\r\n\r\n")
    return head, early


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        source.settimeout(IDLE_S)
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
