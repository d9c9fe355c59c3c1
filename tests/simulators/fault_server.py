"""A loopback HTTP server that misbehaves exactly as told, one script per path; and keeps what it was asked.

    with FaultServer({"/x": status(500)}) as server: client.get(server.url + "/x")

A script is a function of the connection and the request; ordinary files are the script `body`.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable

Script = Callable[[socket.socket, "Request"], None]


class Request:
    def __init__(self, path: str, headers: dict[str, str]) -> None:
        self.path, self.headers = path, headers


class FaultServer:
    def __init__(self, scripts: dict[str, Script] | Script, tls: ssl.SSLContext | None = None):
        self.scripts = scripts
        self.requests: list[Request] = []
        self._tls = tls
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._connections: list[socket.socket] = []
        self.stopping = threading.Event()
        self.port = self._socket.getsockname()[1]
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> FaultServer:
        self._start(self._accept)
        return self

    def __exit__(self, *_failure: object) -> None:
        self.stopping.set()
        for connection in [self._socket, *self._connections]:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for thread in self._threads:
            thread.join(5)

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                connection, _ = self._socket.accept()
                if self._tls:
                    connection = self._tls.wrap_socket(connection, server_side=True)
            except OSError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.append(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                while (request := _read_request(connection)) is not None:
                    self.requests.append(request)
                    self._script(request)(connection, request)
        except OSError:
            return

    def _script(self, request: Request) -> Script:
        if not isinstance(self.scripts, dict):
            return self.scripts
        return self.scripts.get(request.path, status(404))


def _read_request(connection: socket.socket) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    first, *lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)
    }
    return Request(first.split(" ")[1], headers)


def head(code: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {code} Because", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def body(data: bytes, code: int = 200, **headers: str) -> Script:
    """An ordinary answer; `content_type` and the like become header names."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def script(connection: socket.socket, _request: Request) -> None:
        connection.sendall(head(code, {"content-length": str(len(data)), **named}) + data)

    return script


def status(code: int, **headers: str) -> Script:
    return body(b"", code, **headers)


def raw(data: bytes, *, close: bool = True) -> Script:
    """These bytes and nothing else."""

    def script(connection: socket.socket, _request: Request) -> None:
        connection.sendall(data)
        if close:
            connection.shutdown(socket.SHUT_RDWR)

    return script


def drip(server_stop: threading.Event, first: bytes, piece: bytes, every_s: float) -> Script:
    """A start, then a piece now and then, for ever."""

    def script(connection: socket.socket, _request: Request) -> None:
        connection.sendall(first)
        while not server_stop.wait(every_s):
            connection.sendall(piece)

    return script


def reset(after: bytes) -> Script:
    """A start, then the connection is torn."""
    import struct

    def script(connection: socket.socket, _request: Request) -> None:
        connection.sendall(after)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return script


def in_turn(*scripts: Script) -> Script:
    """One after the other; the last one for ever."""
    left = list(scripts)

    def script(connection: socket.socket, request: Request) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(connection, request)

    return script
