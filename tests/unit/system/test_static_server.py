"""The development server: conditional answers, right media types, and no way out of its folder."""

from __future__ import annotations

import http.client
import os
import threading

import pytest

from atip.errors import AtipError
from atip.registry.publish.files.delivery import headers_for
from atip.system.network.static_server import StaticServer, key_of

SHIM = f"shims/sha256/{'a' * 64}.json"


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "public"
    for name in (SHIM, f"{SHIM}.bundle", ".well-known/atip-registry.json", "tuf/timestamp.json"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (root / "tuf/1.root.json").write_text("{}")
    (root / ".secret").write_text("s")
    (tmp_path / "outside").write_text("s")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "folder-link").symlink_to(tmp_path)
    return root


@pytest.fixture
def serve(folder):
    servers = []

    def start(**options):
        server = StaticServer(str(folder), headers_for, **options)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        servers.append((server, thread))
        return server

    yield start
    for server, thread in servers:
        server.close()
        thread.join(5)


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.mark.proves("ATIP1-B-01", "ATIP6-4.1-02")
def test_shims_have_the_media_type_and_unknown_hashes_are_404(serve):
    server = serve()
    status, headers, body = ask(server, f"/{SHIM}")
    assert (status, headers["Content-Type"], body) == (200, "application/vnd.atip+json", b"{}")
    assert ask(server, f"/shims/sha256/{'b' * 64}.json")[0] == 404
    assert ask(server, "/.well-known/atip-registry.json")[0] == 200


def test_caching_headers_say_what_may_be_kept(serve):
    server = serve()
    assert ask(server, f"/{SHIM}")[1]["Cache-Control"] == "public, no-cache"
    assert ask(server, "/tuf/timestamp.json")[1]["Cache-Control"] == "public, no-cache"
    assert ask(server, "/tuf/1.root.json")[1]["Cache-Control"] == "public, max-age=86400"
    assert "immutable" not in str(ask(server, "/tuf/1.root.json")[1])


def test_conditional_requests_are_answered_304(serve, folder):
    server = serve()
    headers = ask(server, f"/{SHIM}")[1]
    for condition in (
        {"If_None_Match": headers["ETag"]},
        {"If_None_Match": f'"other", W/{headers["ETag"]}'},
        {"If_None_Match": "*"},
        {"If_Modified_Since": headers["Last-Modified"]},
    ):
        status, again, body = ask(server, f"/{SHIM}", **condition)
        assert (status, body, again["ETag"]) == (304, b"", headers["ETag"])
    (folder / SHIM).write_text('{"new":1}')
    assert ask(server, f"/{SHIM}", If_None_Match=headers["ETag"])[0] == 200
    older = {"If_None_Match": '"x"', "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    assert ask(server, f"/{SHIM}", **older)[0] == 200
    assert ask(server, f"/{SHIM}", If_Modified_Since="yesterday")[0] == 200


def test_head_has_no_body(serve):
    status, headers, body = ask(serve(), f"/{SHIM}", "HEAD")
    assert (status, headers["Content-Length"], body) == (200, "2", b"")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/shims/",
        "/shims",
        "/shims/sha256",
        "/../outside",
        "/shims/../../outside",
        "/%2e%2e/outside",
        "/..%2foutside",
        "/.secret",
        "/link",
        "/folder-link/outside",
        "//etc/passwd",
        "/shims%00",
        "/shims\\..\\x",
        "/shims/.well-known/x",
        "/%ff",
    ],
)
def test_nothing_is_listed_and_no_path_leads_out(serve, path):
    status, _headers, body = ask(serve(), path)
    assert (status, body) == (404, b"")


def test_other_methods_and_foreign_host_names_are_refused(serve):
    server = serve()
    assert ask(server, f"/{SHIM}", "POST")[0] == 501
    assert ask(server, f"/{SHIM}", Host="registry.evil.example")[0] == 421
    assert ask(server, f"/{SHIM}", Host="localhost:80")[0] == 200


@pytest.mark.proves("ATIP1-5.3-03")
def test_private_registry_asks_for_its_token(serve):
    server = serve(token="t0ken")
    assert ask(server, f"/{SHIM}")[0] == 401
    assert ask(server, f"/{SHIM}", Authorization="Bearer wrong")[0] == 401
    assert ask(server, f"/{SHIM}", Authorization="Bearer t0ken")[0] == 200


def test_server_listens_on_loopback_only(serve):
    assert serve().url.startswith("http://127.0.0.1:")


def test_requests_are_told_to_the_log(serve):
    seen = []
    server = serve(log=lambda *facts: seen.append(facts))
    ask(server, f"/{SHIM}")
    assert seen == [("GET", f"/{SHIM}", 200)]


def test_missing_folder_and_taken_port_are_typed_errors(serve, tmp_path):
    with pytest.raises(AtipError) as caught:
        StaticServer(str(tmp_path / "none"), headers_for)
    assert caught.value.code == "serve.folder"
    port = int(serve().url.rpartition(":")[2])
    with pytest.raises(AtipError) as caught:
        StaticServer(str(tmp_path), headers_for, port=port)
    assert caught.value.code == "serve.port"


def test_key_of_a_request_has_no_query():
    assert key_of("/shims/index.json?x=/../y") == "shims/index.json"
    assert key_of("http://127.0.0.1/a") == "a"
    assert os.sep not in (key_of("/a") or "")
