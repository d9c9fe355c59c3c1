"""Ingress: the one way *into* a sandbox, for a browser's callback to a program that waits for it.

Each URL of `network.ingress` names a port on this machine's loopback. We listen there, let exactly that path pass
(with a `Host` that is loopback, so that no web page can reach it under a name of its own), and hand the request
to the same port inside, through sockets that the launcher made inside before the program started. Implements
AIP-29 "Sandbox" network.ingress.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import TYPE_CHECKING

from atip.errors import SandboxError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

SPARE = 8
"""Connections that one run can be given, for all its URLs together."""
MAX_HEAD = 16384
SPARE_SERVER = 128
"""The same for a server, which is called more often."""
EVERY_PATH = "/**"
READ_S = 10.0
_URL = re.compile(
    r"http://(?:127\.0\.0\.1|localhost):([0-9]{2,5})(/[\x21-\x22\x24-\x3e\x40-\x7e]*)?\Z"
)
_LINE = re.compile(rb"([A-Z]{3,10}) (/[\x21-\x7e]*) HTTP/1\.[01]")
_CALLBACK_METHODS = (b"GET", b"POST", b"HEAD")
_CHUNK = 65536
_PAUSE_S = 0.1


class CallbackAddress(Value):
    """Loopback port and path that a callback arrives at."""

    port: int
    path: str


def parse_callback(url: str) -> CallbackAddress:
    """One entry of `network.ingress`.

    Raises:
        SandboxError: `sandbox.cannot-enforce` for anything but a loopback URL with a port of an ordinary user.
    """
    match = _URL.match(url)
    if match is None or not 1024 <= int(match[1]) < 65536:
        raise SandboxError(
            "sandbox.cannot-enforce",
            f"`{url[:120]}` cannot be exposed",
            hint="ingress is `http://127.0.0.1:PORT/path` with a port from 1024 on",
        )
    return CallbackAddress(port=int(match[1]), path=match[2] or "/")


def count_spare(callbacks: Sequence[CallbackAddress]) -> int:
    """Sockets that a run with these callbacks needs."""
    if not callbacks:
        return 0
    return SPARE_SERVER if any(callback.path == EVERY_PATH for callback in callbacks) else SPARE


class IngressListener:
    """Serves the callbacks of one run until `close`."""

    def __init__(
        self, callbacks: Sequence[CallbackAddress], inside: Sequence[socket.socket]
    ) -> None:
        """
        Args:
            inside: sockets of the sandbox's network, not connected yet.
        """
        self._paths: dict[int, set[str]] = {}
        for callback in callbacks:
            self._paths.setdefault(callback.port, set()).add(callback.path)
        self._spare = list(inside)
        self._open: list[socket.socket] = list(inside)
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Listen.

        Raises:
            SandboxError: `sandbox.ingress` where the port is taken.
        """
        for port in self._paths:
            server = socket.socket()
            self._open.append(server)
            try:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", port))
                server.listen(SPARE)
            except OSError as error:
                if self._paths[port] == {EVERY_PATH}:
                    continue  # another line, or another program, serves there already
                self.close()
                raise SandboxError(
                    "sandbox.ingress", f"port {port} for the callback is taken: {error.strerror}"
                ) from error
            threading.Thread(target=self._accept, args=(server, port), daemon=True).start()

    def close(self) -> None:
        """Close every listening socket; the threads notice and leave."""
        with self._lock:
            still, self._open = self._open, []
        for sock in still:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self, server: socket.socket, port: int) -> None:
        while True:
            try:
                guest, _ = server.accept()
            except OSError:
                return
            with self._lock:
                self._open.append(guest)
            threading.Thread(target=self._guest, args=(guest, port), daemon=True).start()

    def _guest(self, guest: socket.socket, port: int) -> None:
        try:
            guest.settimeout(READ_S)
            data = _head(guest)
            if not self._may_pass(data, port):
                guest.sendall(
                    b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )
                return
            with self._lock:
                inner = self._spare.pop() if self._spare else None
            if inner is None:
                return
            _connect(inner, port)
            inner.sendall(data)
            back = threading.Thread(target=_pump, args=(inner, guest), daemon=True)
            back.start()
            _pump(guest, inner)
            back.join()
        except OSError:
            return
        finally:
            guest.close()

    def _may_pass(self, data: bytes, port: int) -> bool:
        head, _, _ = data.partition(b"\r\n\r\n")
        line, *headers = head.split(b"\r\n")
        request_line = _LINE.fullmatch(line)
        if request_line is None:
            return False
        path = request_line[2].split(b"?", 1)[0].decode("ascii")
        allowed = EVERY_PATH in self._paths[port] or (
            request_line[1] in _CALLBACK_METHODS and path in self._paths[port]
        )
        hosts = [h.split(b":", 1)[1].strip() for h in headers if h.lower().startswith(b"host:")]
        # SECURITY: a page elsewhere can make a browser connect here, but not under these names
        own = {b"127.0.0.1:%d" % port, b"localhost:%d" % port}
        return allowed and len(hosts) == 1 and hosts[0] in own


def _connect(inner: socket.socket, port: int) -> None:
    """Reach the program; it may need a moment until it listens."""
    inner.settimeout(READ_S)
    for _ in range(int(READ_S / _PAUSE_S)):
        try:
            return inner.connect(("127.0.0.1", port))
        except (ConnectionRefusedError, ConnectionAbortedError):
            threading.Event().wait(_PAUSE_S)
    raise ConnectionRefusedError


def _head(guest: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        more = guest.recv(4096)
        data += more
        if not more or len(data) > MAX_HEAD:
            return b""
    return data


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
