"""A small HTTP server on loopback that records every request and answers as told."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import types
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Recorded(typing.NamedTuple):
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Reply(typing.NamedTuple):
    """What to answer."""

    status: int = 200
    body: object = None
    headers: typing.Mapping[str, str] = types.MappingProxyType({})


class ApiServer:
    """Where it listens, what it got, and how it answers."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.answer: Callable[[Recorded], Reply] = lambda _request: Reply(body={"ok": True})
        self.base = ""


@contextlib.contextmanager
def api_server() -> Iterator[ApiServer]:
    """A server for the time of a test."""
    told = ApiServer()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            headers = {key.lower(): value for key, value in self.headers.items()}
            request = Recorded(self.command, self.path, headers, self.rfile.read(size))
            told.requests.append(request)
            reply = told.answer(request)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for key, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any
        do_HEAD = do_OPTIONS = do_TRACE = handle_any

        def log_message(self, *_given: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
