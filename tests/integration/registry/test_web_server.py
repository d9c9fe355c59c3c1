"""The nginx configuration of the documentation, under a real nginx: headers, conditions, nothing listed."""

from __future__ import annotations

import contextlib
import http.client
import re
import shutil
import socket
import subprocess
import time

import pytest

from atip.registry import tree
from atip.registry.publish.files.delivery import headers_for
from tests.shared import ROOT
from tests.unit.registry.publish.source import RELEASE, Source, digits_of

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx")


def documented() -> str:
    page = (ROOT / "docs" / "concepts" / "publishing.md").read_text()
    found = re.search(r"```nginx\n(.*?)```", page, re.S)
    assert found is not None
    return found[1]


@pytest.fixture
def port(tmp_path):
    source = Source(tmp_path)
    source.add()
    source.write("policy.json", {"policy": {"version": "1"}})
    source.build(at=RELEASE)
    (source.public / ".hidden").write_text("s")
    (source.public / "link.json").symlink_to(source.folder / "publisher.json")
    for folder in (tmp_path, source.folder, source.public):
        folder.chmod(0o755)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = documented().replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    server = server.replace("/srv/registry/public", str(source.public))
    temporary = "".join(
        f"{name}_temp_path {tmp_path}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/errors; user root;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{server}}}\n"
    )
    process = subprocess.Popen([NGINX, "-c", str(config), "-e", f"{tmp_path}/errors"])
    try:
        _wait(process, port)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _wait(process, port):
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("nginx did not come up")


def ask(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": "tools.acme.example", **headers})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.mark.proves("ATIP6-4.4.1-01", "ATIP1-B-01")
def test_documented_configuration_serves_a_registry(port):
    paths = [
        tree.shim_path(digits_of("a")),
        tree.MANIFEST,
        tree.CATALOG,
        tree.POLICY,
        tree.TIMESTAMP,
        tree.FIRST_ROOT,
    ]
    for path in paths:
        status, headers, _body = ask(port, f"/{path}")
        assert status == 200, path
        for name, value in headers_for(path).items():
            assert headers[name] == value, (path, name)
        again = ask(port, f"/{path}", **{"If-None-Match": headers["ETag"]})
        assert again[0] == 304
    assert ask(port, f"/{tree.shim_path(digits_of('unknown'))}")[0] == 404
    for path in ("/", "/shims/", "/tuf/", "/.hidden", "/link.json", "/../publisher.json"):
        assert ask(port, path)[0] in (400, 403, 404), path
