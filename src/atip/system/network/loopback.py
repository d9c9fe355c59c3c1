"""A tiny HTTP server on this machine's loopback, for callbacks and local forms. Other machines cannot connect.

    with Loopback() as server:
        request = server.next(deadline)      # one request, whole and bounded, or None when time is up
        server.answer(200, "done")

Bound to 127.0.0.1 and an unused port. Requests must be small, whole and addressed to this very server (`Host`), so
that no other page's name can be made to lead here. What they mean is the caller's business.
"""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

from atip.model.value import Value
from atip.system.clock import monotonic

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_HEAD = 16 * 1024
MAX_BODY = 64 * 1024
READ_S = 5.0
REASONS = {200: "OK", 303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found"}


class LocalRequest(Value):
    """One request."""

    method: str
    path: str
    """Without the query."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    form: Mapping[str, str]
    """Fields of an `application/x-www-form-urlencoded` body."""


class Loopback:
    """The server. One request at a time; answer each before asking for the next."""

    def __init__(self) -> None:
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(16)
        self.port: int = self._listener.getsockname()[1]
        self._connection: socket.socket | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Loopback:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening; a connection that waits for an answer is dropped."""
        self._drop()
        self._listener.close()

    def next(self, deadline: float) -> LocalRequest | None:
        """The next acceptable request; others are refused here. None at `deadline` (monotonic)."""
        while (left := deadline - monotonic()) > 0:
            self._listener.settimeout(left)
            try:
                self._connection, _ = self._listener.accept()
            except (TimeoutError, OSError):
                return None
            request = self._read(self._connection)
            if request is None:
                self.answer(400, "bad request")
            elif not self._is_addressed(request):
                # SECURITY: another name that resolves to 127.0.0.1 lets a foreign page send requests to us.
                self.answer(403, "forbidden")
            else:
                return request
        return None

    def answer(self, status: int, text: str, *, html: bool = False, location: str = "") -> None:
        """End the current request."""
        body = text.encode()
        head = [
            f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}",
            f"Content-Type: text/{'html' if html else 'plain'}; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
            "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "X-Frame-Options: DENY",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
            *([f"Location: {location}"] if location else []),
        ]
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.close()
            self._connection = None

    def _is_addressed(self, request: LocalRequest) -> bool:
        names = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        origin = request.headers.get("origin")
        return request.headers.get("host") in names and (
            origin is None or origin in (self.origin, f"http://localhost:{self.port}")
        )

    def _read(self, connection: socket.socket) -> LocalRequest | None:
        connection.settimeout(READ_S)
        data = b""
        try:
            while b"\r\n\r\n" not in data:
                piece = connection.recv(4096)
                data += piece
                if not piece or len(data) > MAX_HEAD:
                    return None
            head, _, body = data.partition(b"\r\n\r\n")
            lines = head.decode("ascii").split("\r\n")
            method, target, _ = lines[0].split(" ", 2)
            headers = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:])
            }
            size = int(headers.get("content-length", "0"))
            while len(body) < size <= MAX_BODY:
                piece = connection.recv(4096)
                if not piece:
                    return None
                body += piece
        except (OSError, ValueError):
            return None
        if size > MAX_BODY or not target.startswith("/"):
            return None
        return _request(method, target, headers, body[:size])


def _request(method: str, target: str, headers: dict[str, str], body: bytes) -> LocalRequest | None:
    from urllib.parse import parse_qsl, unquote

    path, _, query = target.partition("?")
    form_type = "application/x-www-form-urlencoded"
    is_form = headers.get("content-type", "").split(";")[0].strip() == form_type
    try:
        fields = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=64, errors="strict"))
        form = (
            dict(
                parse_qsl(
                    body.decode(), keep_blank_values=True, max_num_fields=256, errors="strict"
                )
            )
            if is_form
            else {}
        )
    except (ValueError, UnicodeDecodeError):
        return None
    return LocalRequest(method=method, path=unquote(path), query=fields, headers=headers, form=form)
