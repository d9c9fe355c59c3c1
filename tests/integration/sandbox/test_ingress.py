"""A callback comes in where it was granted, by that path, and nowhere else."""

from __future__ import annotations

import contextlib
import socket
import threading
import urllib.error
import urllib.request

import pytest

from atip.errors import SandboxError
from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.network.ingress import parse_callback
from tests.integration.sandbox.confined import CommandOutput, python

pytestmark = pytest.mark.sandbox

PROGRAM = """
import http.server, sys
class Wait(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('Content-Length', '4'); self.end_headers()
        self.wfile.write(b'done'); print(self.path, flush=True); self.server.got = True
    def log_message(self, *a): pass
server = http.server.HTTPServer(('127.0.0.1', PORT), Wait); server.got = False; server.timeout = 8
while not server.got: server.handle_request()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(url: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=8) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def wait_for(port: int) -> None:
    for _ in range(400):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        threading.Event().wait(0.02)
    raise AssertionError("nobody listens")


@pytest.mark.proves("AIP29-SANDBOX-03")
def test_a_callback_reaches_the_program_by_its_path_only() -> None:
    port = free_port()
    confinement = Confinement(
        ingress=(f"http://127.0.0.1:{port}/callback",), limits=Limits(wall_s=20)
    )
    said: list[CommandOutput] = []
    code = PROGRAM.replace("PORT", str(port))
    thread = threading.Thread(target=lambda: said.append(python(confinement, code)))
    thread.start()
    wait_for(port)
    assert get(f"http://127.0.0.1:{port}/other")[0] == 403
    assert get(f"http://127.0.0.1:{port}/callback", Host="evil.test")[0] == 403
    answer = get(f"http://localhost:{port}/callback?code=7")
    thread.join(30)
    assert answer == (200, b"done")
    assert said[0].out == "/callback?code=7\n"
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 1)


def test_without_a_grant_nobody_comes_in() -> None:
    port = free_port()
    code = f"import socket; s = socket.create_server(('127.0.0.1', {port})); s.settimeout(1)\ntry: s.accept()\nexcept OSError: print('alone')"
    result: list[CommandOutput] = []
    thread = threading.Thread(target=lambda: result.append(python(Confinement(), code)))
    thread.start()
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
    thread.join(20)
    assert result[0].out == "alone\n"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:80/", "https://127.0.0.1:8080/", "http://0.0.0.0:8080/", "http://example.com:8080/", "x",
        "http://127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1:8080/a?b", "http://localhost:8080/#f",
    ],
)  # fmt: skip
def test_only_loopback_addresses_can_be_exposed(url: str) -> None:
    with pytest.raises(SandboxError):
        parse_callback(url)
