"""Plain HTTP through the gate: for allowed hosts, as one canonical request, and in no other form."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from atip.model.permissions.confinement import Confinement
from atip.sandbox.network.plain_http import as_connect, rewritten
from tests.integration.sandbox.confined import go, python

pytestmark = pytest.mark.sandbox


class Echo(http.server.BaseHTTPRequestHandler):
    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(length)
        names = ",".join(sorted(name.lower() for name in self.headers))
        text = f"{self.command} {self.path} {self.headers['Host']} {names} {body.decode()}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = _answer

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address[1]
        running.shutdown()


def loopback(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


def confinement(server: int) -> Confinement:
    return Confinement(egress=(f"ok.test:{server}",), egress_private=("ok.test",))


def test_a_plain_request_reaches_an_allowed_host(server: int) -> None:
    result = go(
        confinement(server), "/usr/bin/curl", "-sS", "-m", "5", "-d", "body", "-H", "Proxy-Authorization: x",
        f"http://ok.test:{server}/a?b=c", resolve=loopback,
    )  # fmt: skip
    words = result.out.split(" ")
    assert words[:3] == ["POST", "/a?b=c", f"ok.test:{server}"]
    assert words[-1] == "body"
    assert "proxy" not in words[3]
    assert [attempt.target for attempt in result.outcome.attempts] == [
        f"CONNECT ok.test:{server} HTTP/1.1"
    ]


def test_other_hosts_and_ports_are_refused(server: int) -> None:
    for url in (
        f"http://other.test:{server}/",
        "http://ok.test:22/",
        f"http://127.0.0.1:{server}/",
    ):
        result = go(
            confinement(server), "/usr/bin/curl", "-sS", "-m", "5", "--noproxy", "", url, resolve=loopback
        )  # fmt: skip
        assert "GET" not in result.out, result


def test_a_forged_host_header_does_not_arrive(server: int) -> None:
    request = f"GET http://ok.test:{server}/ HTTP/1.1\\r\\nHost: inner.test\\r\\nConnection: keep-alive\\r\\n\\r\\n"
    code = (
        "import socket; s = socket.create_connection(('127.0.0.1', 3128), 5)\n"
        f"s.sendall(b'{request}'); print(s.makefile('rb').read())"
    )
    result = python(confinement(server), code, resolve=loopback)
    assert f"GET / ok.test:{server} connection,host" in result.out


@pytest.mark.parametrize(
    "line",
    [
        b"GET https://ok.test/ HTTP/1.1", b"GET http://user@ok.test:80:80/ HTTP/1.1", b"GET http:///x HTTP/1.1",
        b"GET /x HTTP/1.1", b"TRACE http://ok.test/ HTTP/1.1", b"GET http://ok.test/ HTTP/2",
        b"GET http://ok.test/a b HTTP/1.1", b"GET  http://ok.test/ HTTP/1.1", b"get http://ok.test/ HTTP/1.1", b"",
    ],
)  # fmt: skip
def test_no_other_form_is_understood(line: bytes) -> None:
    assert as_connect(line) == b"" or not as_connect(line).startswith(b"CONNECT ok.test:")


@pytest.mark.parametrize(
    "header", [b" folded: x", b"a b: x", b"no-colon", b"x: a\rb", b"x: \x00", b"Transfer : chunked"]
)
def test_headers_that_could_be_read_in_two_ways_end_the_request(header: bytes) -> None:
    assert rewritten(b"GET http://ok.test/ HTTP/1.1\r\n" + header) == b""


def test_a_host_in_the_line_is_judged_as_it_is_sent() -> None:
    assert as_connect(b"GET http://a.test/x HTTP/1.1") == b"CONNECT a.test:80 HTTP/1.1"
    assert rewritten(b"GET http://a.test HTTP/1.0\r\nHost: b\r\nProxy-Connection: x\r\nA: 1") == (
        b"GET / HTTP/1.0\r\nHost: a.test\r\nA: 1\r\nConnection: close\r\n\r\n"
    )
