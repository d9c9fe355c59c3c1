"""A web server for pages about this machine: loopback only, one session, started by a token from the terminal.

A one-time token in the first address becomes a cookie that no script can read and no other site can use; without
it every answer is 401. Host and Origin are checked, so that neither another name for 127.0.0.1 nor a foreign page
gets through. What is answered is the caller's business.
"""

from __future__ import annotations

import hmac
import secrets
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from atip.errors import AtipError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Answerer = Callable[["PageRequest"], "PageAnswer"]

HOST = "127.0.0.1"
COOKIE = "atip-ui"
_SOCKET_S = 30.0
_MAX_BODY = 64_000


class PageRequest(Value):
    """A request; already authenticated."""

    method: str
    """`GET` or `POST`."""
    path: str
    """Without the leading `/`."""
    query: Mapping[str, str]
    form: Mapping[str, str]


class PageAnswer(Value):
    """A response."""

    status: int = 200
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    location: str = ""


class PageServer:
    """Serves until `close`; several requests at once."""

    def __init__(self, answer: Answerer, *, policy: str, port: int = 0) -> None:
        """
        Args:
            policy: content-security-policy of every answer.
            port: 0 takes a free one.

        Raises:
            AtipError: `serve.port`.
        """
        self.token = secrets.token_urlsafe(32)
        self._visitor = _Visitor(self.token)
        try:
            handler = _handler(answer, self._visitor, policy)
            self._server = ThreadingHTTPServer((HOST, port), handler)
        except OSError as error:
            text = f"port {port} cannot be used: {error.strerror}"
            raise AtipError("serve.port", text, hint="choose another with --port") from error
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://{HOST}:{self.port}"

    def run(self) -> None:
        """Answer requests until `close` is called from another thread, or a signal ends the program."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Visitor:
    """Access control: the one-time token, then its session cookie."""

    def __init__(self, token: str) -> None:
        self._token: str | None = token
        self._session = secrets.token_urlsafe(32)

    def enter(self, token: str) -> str | None:
        """Spend the token; the cookie's value, or None."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = None
        return self._session

    def is_known(self, cookies: str) -> bool:
        try:
            cookie = SimpleCookie(cookies).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(
            cookie.value.encode(), self._session.encode()
        )


def _handler(answer: Answerer, visitor: _Visitor, policy: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "atip"
        sys_version = ""
        timeout = _SOCKET_S

        def do_GET(self) -> None:
            self._end(self._answer({}))

        def do_POST(self) -> None:
            form = self._form()
            if form is None:
                self.close_connection = True
                self._end(_plain(HTTPStatus.BAD_REQUEST))
            else:
                self._end(self._answer(form))

        def log_message(self, *_anything: object) -> None:
            return

        def _answer(self, form: Mapping[str, str]) -> PageAnswer:
            if not self._is_addressed():
                return _plain(HTTPStatus.FORBIDDEN)
            target = urlsplit(self.path)
            query = dict(parse_qsl(target.query, keep_blank_values=True, max_num_fields=32))
            if self.command == "GET" and target.path == "/" and "token" in query:
                return self._enter(query["token"])
            if not visitor.is_known(self.headers.get("Cookie", "")):
                return _plain(HTTPStatus.UNAUTHORIZED)
            path = unquote(target.path).removeprefix("/")
            request = PageRequest(method=self.command, path=path, query=query, form=form)
            return answer(request)

        def _is_addressed(self) -> bool:
            # SECURITY: a page elsewhere could reach us under a name of its own (DNS rebinding), or send a form here.
            port = self.connection.getsockname()[1]
            hosts = (f"{HOST}:{port}", f"localhost:{port}")
            origin = self.headers.get("Origin")
            if self.headers.get("Host") not in hosts:
                return False
            own = [f"http://{host}" for host in hosts]
            return origin in own if self.command == "POST" else origin is None or origin in own

        def _enter(self, token: str) -> PageAnswer:
            session = visitor.enter(token)
            if session is None:
                return _plain(HTTPStatus.UNAUTHORIZED)
            self.cookie = f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict"
            return PageAnswer(status=HTTPStatus.SEE_OTHER, location="/")

        def _form(self) -> Mapping[str, str] | None:
            size = self.headers.get("Content-Length", "")
            if not size.isdigit() or int(size) > _MAX_BODY:
                return None
            try:
                body = self.rfile.read(int(size)).decode("ascii")
                return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=32))
            except ValueError:
                return None

        cookie = ""

        def _end(self, page: PageAnswer) -> None:
            self.send_response(page.status)
            fields = {
                "Content-Type": page.kind,
                "Content-Length": str(len(page.body)),
                "Cache-Control": "no-store",
                "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
                "Referrer-Policy": "same-origin",
                "X-Content-Type-Options": "nosniff",
                "Cross-Origin-Resource-Policy": "same-origin",
            }
            if page.location:
                fields["Location"] = page.location
            if self.cookie:
                fields["Set-Cookie"] = self.cookie
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(page.body)

    return Handler


def _plain(status: HTTPStatus) -> PageAnswer:
    text = {401: "open the address that `atip ui` printed; its token is accepted once\n"}
    body = text.get(status, f"{status.phrase.lower()}\n").encode()
    return PageAnswer(status=status, kind="text/plain; charset=utf-8", body=body)
