"""A small web server for one folder of static files, for development. Loopback only.

GET and HEAD of regular files, with ETag, Last-Modified and conditional answers. No directory is ever listed, no link
followed, no hidden file shown but `.well-known`. Not made for the open network: docs/concepts/publishing.md shows
what is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from atip.errors import AtipError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from email.message import Message

    Headers = Callable[[str], Mapping[str, str]]

HOST = "127.0.0.1"
_NAMES = frozenset(("127.0.0.1", "localhost", "::1", "[::1]"))
_SOCKET_S = 15.0
MAX_FILE = 64_000_000


class StaticServer:
    """Serves until `close`; several requests at once."""

    def __init__(
        self,
        folder: str,
        headers: Headers,
        *,
        port: int = 0,
        token: str = "",
        log: Log | None = None,
    ) -> None:
        """
        Args:
            port: 0 takes a free one.
            token: when given, requests need `Authorization: Bearer TOKEN`, as with a private registry.
            log: called for each request: method, path, status.

        Raises:
            AtipError: `serve.folder`, `serve.port`.
        """
        if not os.path.isdir(folder):
            raise AtipError(
                "serve.folder", f"folder `{folder}` does not exist", hint="build it first"
            )
        try:
            self._server = ThreadingHTTPServer((HOST, port), _handler(folder, headers, token, log))
        except OSError as error:
            text = f"port {port} cannot be used: {error.strerror}"
            raise AtipError("serve.port", text, hint="choose another with --port") from error
        self._server.daemon_threads = True
        self.url = f"http://{HOST}:{self._server.server_address[1]}"

    def run(self) -> None:
        """Answer requests until `close` is called from another thread, or a signal ends the program."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


if TYPE_CHECKING:
    Log = Callable[[str, str, int], None]


def _handler(
    folder: str, headers: Headers, token: str, log: Log | None
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "atip"
        sys_version = ""
        timeout = _SOCKET_S

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, *_anything: object) -> None:
            return

        def _answer(self, *, with_body: bool) -> None:
            # SECURITY: a web page elsewhere could reach us under a name of its own (DNS rebinding).
            if _host_of(self.headers.get("Host", "")) not in _NAMES:
                self._end(HTTPStatus.MISDIRECTED_REQUEST)
                return
            if token and self.headers.get("Authorization") != f"Bearer {token}":
                self._end(HTTPStatus.UNAUTHORIZED, {"WWW-Authenticate": "Bearer"})
                return
            key = key_of(self.path)
            file = read_below(folder, key) if key is not None else None
            if key is None or file is None:
                self._end(HTTPStatus.NOT_FOUND)
                return
            data, modified = file
            tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
            fields = {
                **headers(key),
                "ETag": tag,
                "Last-Modified": formatdate(modified, usegmt=True),
                "X-Content-Type-Options": "nosniff",
            }
            if _is_known(self.headers, tag, modified):
                self._end(HTTPStatus.NOT_MODIFIED, fields)
                return
            self._end(HTTPStatus.OK, fields, data, with_body)

        def _end(
            self,
            status: HTTPStatus,
            fields: Mapping[str, str] | None = None,
            data: bytes = b"",
            with_body: bool = True,
        ) -> None:
            self.send_response(status)
            for name, value in (fields or {}).items():
                self.send_header(name, value)
            if status != HTTPStatus.NOT_MODIFIED:
                self.send_header("Content-Length", str(len(data)))
            if log is not None:
                log(self.command, self.path, int(status))
            self.end_headers()
            if with_body:
                with contextlib.suppress(ConnectionError):  # the client has disconnected
                    self.wfile.write(data)

    return Handler


def _host_of(field: str) -> str:
    return field.rpartition(":")[0] if field.rpartition(":")[2].isdigit() else field


def key_of(target: str) -> str | None:
    """The file that a request is about, relative to the folder; a folder's is its `index.html`; None for any other path."""
    try:
        path = unquote(urlsplit(target).path, errors="strict")
    except ValueError:
        return None
    if path.endswith("/"):
        path += "index.html"
    parts = path.removeprefix("/").split("/")
    for number, part in enumerate(parts):
        hidden = part.startswith(".") and (number or part != ".well-known")
        if not part or hidden or not part.isprintable() or "\\" in part:
            return None
    return "/".join(parts)


def read_below(folder: str, key: str) -> tuple[bytes, float] | None:
    """Content and time of a regular file below a folder; each step is taken without following a link."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in key.split("/"):
            # SECURITY: opened name by name, so that neither `..` nor a planted link leaves the folder.
            inner = os.open(part, flags, dir_fd=handle)
            os.close(handle)
            handle = inner
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(), status.st_mtime
    except OSError:
        return None
    finally:
        os.close(handle)


def _is_known(headers: Message, tag: str, modified: float) -> bool:
    """Whether the client has this version (RFC 9110 §13.2.2: the tag decides, else the time)."""
    tags = headers.get("If-None-Match")
    if tags is not None:
        known_tags = {part.strip().removeprefix("W/") for part in tags.split(",")}
        return "*" in known_tags or tag in known_tags
    since = headers.get("If-Modified-Since")
    if since is None:
        return False
    try:
        return int(modified) <= parsedate_to_datetime(since).timestamp()
    except (TypeError, ValueError):
        return False
