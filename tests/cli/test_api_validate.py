"""`atip api validate URL`: the well-known place, the link of a page, other origins refused."""

from __future__ import annotations

import json

import pytest

from atip.apis.manifests import linked_manifest
from tests.cli.run import atip
from tests.packages import package
from tests.simulators.api_server import Reply, api_server
from tests.unit.codecs.test_atm import minimal


@pytest.fixture
def server():
    package("httpcore2")
    with api_server() as running:
        yield running


@pytest.mark.proves("ATM-5.2-01", "ATM-5.3-01")
def test_a_url_is_asked_at_its_well_known_place(server, tmp_path):
    server.answer = lambda _request: Reply(body=minimal())
    ran = atip("api", "validate", server.base, "--private", "--lenient", "--json", home=tmp_path)
    assert (ran.code, ran.document["valid"]) == (0, True)
    assert ran.document["file"] == f"{server.base}/.well-known/agent-ready.json"
    server.answer = lambda _request: Reply(body=minimal(codeMode=False))
    ran = atip("api", "validate", server.base, "--private", "--lenient", "--json", home=tmp_path)
    assert (ran.code, ran.document["valid"]) == (1, False)


def test_a_private_address_is_asked_only_when_told_so(server, tmp_path):
    server.answer = lambda _request: Reply(body=minimal())
    ran = atip("api", "validate", server.base, "--json", home=tmp_path)
    assert ran.code == 1
    assert ran.document["error"]["code"] == "http.insecure"
    assert server.requests == []


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ('<link rel="agent-ready" href="/m.json">', "https://a.example:443/m.json"),
        ("<LINK href='m.json' REL='alternate agent-ready'>", "https://a.example:443/docs/m.json"),
        ('<link rel="agent-ready" href="https://b.example/m.json">', ""),
        ('<link rel="agent-ready" href="http://a.example/m.json">', ""),
        ('<link rel="stylesheet" href="/m.json">', ""),
        ('<link rel="agent-ready">', ""),
    ],
)
def test_a_page_may_name_a_manifest_of_its_own_origin(tag, found):
    page = f"<html><head>{tag}</head></html>"
    assert linked_manifest(page, "https://a.example/docs/") == found


def test_the_link_of_a_page_is_followed_where_nothing_is_well_known(server, tmp_path):
    page = Reply(
        body=b'<link rel="agent-ready" href="/m.json">', headers={"Content-Type": "text/html"}
    )
    places = {"/": page, "/m.json": Reply(body=minimal())}
    server.answer = lambda request: places.get(request.target, Reply(status=404, body={}))
    words = ("api", "validate", f"{server.base}/", "--private", "--lenient", "--json")
    ran = atip(*words, home=tmp_path)
    assert (ran.code, ran.document["file"]) == (0, f"{server.base}/m.json")


@pytest.mark.proves("ATM-5.3-90")
def test_list_reads_a_manifest_of_another_generator_and_says_that_nothing_can_be_called(tmp_path):
    manifest = {
        **minimal(),
        "sources": {"openapi": ["orders"], "mcp": ["stock"], "total": 2},
        "tools": {"total": 12, "bySource": {"orders": 12}},
    }
    (tmp_path / ".agent-ready.json").write_text(json.dumps(manifest))
    result = atip("api", "list", "--json", home=tmp_path)
    assert result.code == 0, result.out
    assert result.document["sources"] == [
        {"name": "orders", "kind": "openapi", "operations": 12},
        {"name": "stock", "kind": "mcp", "operations": None},
    ]
    assert result.document["callable"] is False
    ran = atip("api", "list", home=tmp_path)
    assert "orders" in ran.out and "12 operations" in ran.out and "api init" in ran.err
    assert atip("api", "list", "other", home=tmp_path).code == 1
    (tmp_path / ".agent-ready.json").unlink()
    assert atip("api", "list", "--json", home=tmp_path).document["error"]["code"] == "api.no-config"


def test_a_manifest_that_is_named_as_such_is_converted_from_a_file(tmp_path):
    tool = {
        "name": "get",
        "description": "Get",
        "inputSchema": {"type": "object", "properties": {}},
    }
    path = tmp_path / "agent-ready.json"
    path.write_text(json.dumps({**minimal(), "toolDefinitions": {"example": [tool]}}))
    ran = atip("convert", "--from", "atm", "--to", "atip", str(path), home=tmp_path)
    assert ran.code == 0, ran.err
    assert list(ran.document["commands"]["example"]["commands"]) == ["get"]
