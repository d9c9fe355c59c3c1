"""The network of a confined run: by name through the proxy, raw where named, otherwise none."""

from __future__ import annotations

import contextlib
import http.server
import pathlib
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator

import pytest

from atip.model.permissions.confinement import Confinement
from atip.sandbox.network.proxy import EgressPolicy
from tests.integration.sandbox.confined import attempt, go, python

pytestmark = pytest.mark.sandbox


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello from outside")

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address[1]
        running.shutdown()


def loopback(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.mark.proves("AIP29-SANDBOX-02", "AIP29-SANDBOX-01")
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_reaches_an_allowed_name_and_no_other(server: int) -> None:
    confinement = Confinement(egress=(f"ok.test:{server}",), egress_private=("ok.test",))

    def curl(url: str) -> object:
        return go(confinement, "/usr/bin/curl", "-sS", "-p", "-m", "5", url, resolve=loopback)

    assert curl(f"http://ok.test:{server}/").out == "hello from outside"  # type: ignore[attr-defined]
    for url in (
        f"http://other.test:{server}/",
        f"http://127.0.0.1:{server}/",
        f"http://sub.ok.test:{server}/",
        "http://ok.test:22/",
    ):
        result = curl(url)
        assert result.code != 0 and "hello" not in result.out, result  # type: ignore[attr-defined]
    refused = curl(f"http://other.test:{server}/")
    assert [a.allowed for a in refused.outcome.attempts] == [False]  # type: ignore[attr-defined]


def test_name_that_leads_inside_is_refused_without_a_private_grant(server: int) -> None:
    confinement = Confinement(egress=(f"ok.test:{server}",))
    result = go(
        confinement, "/usr/bin/curl", "-sS", "-p", f"http://ok.test:{server}/", resolve=loopback
    )
    assert result.code != 0 and "hello" not in result.out


def test_nothing_is_reached_without_a_grant(server: int) -> None:
    with contextlib.ExitStack() as stack:
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind("\0atip-test-sock")
        abstract.listen()
        tries = [
            f"socket.create_connection(('127.0.0.1', {server}), 1)",
            "socket.create_connection(('192.0.2.1', 80), 1)",
            "socket.create_connection(('2001:db8::1', 80), 1)",
            "socket.create_connection(('example.com', 80), 1)",
            "socket.socket(socket.AF_UNIX).connect('\\0atip-test-sock')",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
            "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
            "socket.socket(40, socket.SOCK_STREAM)",
        ]
        for confinement in (Confinement(), Confinement(egress=("ok.test",))):
            result = python(confinement, attempt(*tries), resolve=loopback)
            assert result.out and "done" not in result.out, result
        send = f"socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp.getsockname()[1]}))"
        python(Confinement(), attempt(send))
        with pytest.raises(BlockingIOError):
            udp.recv(10)


def test_own_loopback_and_asyncio_work_inside() -> None:
    code = (
        "import asyncio\n"
        "async def main():\n"
        "    async def answer(r, w): w.write(b'inside'); await w.drain(); w.close()\n"
        "    s = await asyncio.start_server(answer, '127.0.0.1', 8080)\n"
        "    r, w = await asyncio.open_connection('127.0.0.1', 8080)\n"
        "    print((await r.read()).decode()); w.close()\n"
        "asyncio.run(main())\n"
    )
    assert python(Confinement(), code).out == "inside\n"


def test_named_endpoint_is_forwarded_raw_and_no_other_port(server: int) -> None:
    confinement = Confinement(tcp=(f"db.test:{server}",))
    code = attempt(
        f"socket.create_connection(('127.0.1.1', {server}), 2).sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')",
        f"socket.create_connection(('127.0.1.1', {server + 1}), 1)",
        f"socket.create_connection(('127.0.0.1', {server}), 1)",
    )
    lines = python(confinement, code).out.splitlines()
    assert lines[0] == "done" and "done" not in lines[1:]
    named = Confinement(tcp=(f"localhost:{server}",))
    url = f"http://localhost:{server}/"
    assert go(named, "/usr/bin/curl", "-sS", url).out == "hello from outside"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_clones_from_a_named_loopback_server(tmp_path: pathlib.Path) -> None:
    bare = tmp_path / "srv/repo.git"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True, env=environment)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    daemon = subprocess.Popen(
        ["git", "daemon", "--export-all", f"--base-path={bare.parent}", "--reuseaddr",
         "--listen=127.0.0.1", f"--port={port}"],
        env=environment, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        _connectable(port)
        work = tmp_path / "work"
        work.mkdir()
        confinement = Confinement(
            fs_write=(f"{work}/**",),
            exec_allow=True,
            exec_spawn=("git",),
            tcp=(f"localhost:{port}",),
        )
        result = go(
            confinement, "/usr/bin/git", "clone", "-q", f"git://localhost:{port}/repo.git", cwd=work
        )
        assert result.code == 0 and (work / "repo/.git/HEAD").exists(), result
    finally:
        daemon.terminate()
        daemon.wait(5)
        subprocess.run(["true"], check=True)


def test_proxy_answers_only_one_form_of_request() -> None:
    policy = EgressPolicy(
        Confinement(egress=("ok.test", "*.wild.test")), lambda _host, _port: ["93.184.215.14"]
    )
    for line in (
        b"CONNECT ok.test:443 HTTP/1.1",
        b"CONNECT OK.test:80 HTTP/1.0",
        b"CONNECT a.wild.test:443 HTTP/1.1",
    ):
        assert policy.decide(line)[2] == "", line
    for line in (
        *(b"CONNECT evil.test:443 HTTP/1.1", b"CONNECT ok.test\x00.evil.test:443 HTTP/1.1"),
        *(b"CONNECT ok.test%00:443 HTTP/1.1", b"CONNECT user@ok.test:443 HTTP/1.1"),
        *(b"CONNECT 93.184.215.14:443 HTTP/1.1", b"CONNECT 1572395534:443 HTTP/1.1"),
        *(b"CONNECT 0x5db8d70e:443 HTTP/1.1", b"CONNECT [2606:4700::1]:443 HTTP/1.1"),
        *(b"CONNECT ok\xe3\x80\x82test:443 HTTP/1.1", b"CONNECT notok.test:443 HTTP/1.1"),
        *(b"CONNECT wild.test:443 HTTP/1.1", b"CONNECT ok.test:22 HTTP/1.1"),
        *(
            b"GET http://ok.test/ HTTP/1.1",
            b"CONNECT ok.test:443 HTTP/2",
            b"",
            b"CONNECT ok.test HTTP/1.1",
        ),
    ):
        assert policy.decide(line)[2] != "", line


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"], []],
)
def test_every_address_of_a_name_must_be_public(addresses: list[str]) -> None:
    policy = EgressPolicy(Confinement(egress=("ok.test",)), lambda _host, _port: addresses)
    assert policy.decide(b"CONNECT ok.test:443 HTTP/1.1")[2] != ""


def _connectable(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        threading.Event().wait(0.02)
    raise AssertionError("the server did not come up")
