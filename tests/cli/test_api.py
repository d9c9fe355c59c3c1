"""The verbs `atip api …`: from a project to calls, as a person types them, and APIs among the tools."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import typing

import pytest

from tests.approving import approve
from tests.packages import package
from tests.simulators.api_server import ApiServer, Reply, api_server

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

ATIP = str(pathlib.Path(sys.executable).parent / "atip")
DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example.org"}],
    "paths": {
        "/pets/{id}": {
            method: {
                "operationId": f"{word}Pet",
                "summary": text,
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            }
            for method, word, text in (
                ("get", "get", "Look at one pet"), ("delete", "delete", "Give a pet away"), ("put", "set", "Change a pet"),
            )
        }
    },
}  # fmt: skip


class Desk:
    """A project folder with a home of its own."""

    def __init__(self, folder: pathlib.Path, server: ApiServer) -> None:
        self.folder, self.server = folder, server
        (folder / "openapi.json").write_text(json.dumps(DOCUMENT))
        source = {"type": "openapi", "spec": "openapi.json", "baseUrl": server.base, "private": True}  # fmt: skip
        told = {"sources": {"openapi": {"pets": source}}, "language": "python"}
        (folder / "codegen.config.json").write_text(json.dumps(told))
        approve(folder, folder / "home")

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [ATIP, *words], cwd=self.folder, env=env, input=stdin, capture_output=True, text=True,
            timeout=60, start_new_session=True,
        )  # fmt: skip

    def told(self, *words: str, stdin: str = "") -> typing.Any:
        return json.loads(self.run(*words, "--json", stdin=stdin).stdout)


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Iterator[Desk]:
    package("httpcore2")
    with api_server() as server:
        server.answer = lambda request: Reply(body={"name": "Rex", "asked": request.target})
        made = Desk(tmp_path, server)
        assert made.run("api", "sync").returncode == 0
        yield made


@pytest.mark.proves("ATM-14-01")
def test_sync_writes_a_valid_manifest(desk: Desk) -> None:
    assert desk.told("api", "validate") == {
        "file": "./.agent-ready.json",
        "valid": True,
        "problems": [],
    }
    again = desk.told("api", "sync")
    assert again["sources"] == [
        {"name": "pets", "kind": "openapi", "operations": 3, "written": 0, "removed": 0}
    ]


def test_list_and_show(desk: Desk) -> None:
    assert desk.told("api", "list")["sources"] == [
        {"name": "pets", "kind": "openapi", "operations": 3}
    ]
    names = [operation["name"] for operation in desk.told("api", "list", "pets")["operations"]]
    assert names == ["get_pet", "set_pet", "delete_pet"]
    assert desk.told("api", "show", "pets.get_pet")["inputSchema"]["required"] == ["id"]


def test_reading_is_called_and_loss_needs_a_person(desk: Desk) -> None:
    assert desk.told("api", "call", "pets.get_pet", "id=7")["data"]["asked"] == "/pets/7"
    for words in (("pets.delete_pet", "id=7"), ("pets.delete_pet", "id=7", "--yes")):
        refused = desk.run("api", "call", *words, "--json")
        assert refused.returncode == 126
        assert json.loads(refused.stdout)["error"]["code"] == "consent.no-terminal"
    assert desk.run("api", "call", "pets.set_pet", "id=7").returncode == 126
    # nobody knows whether a PUT destroys what was there
    assert desk.run("api", "call", "pets.set_pet", "id=7", "--yes").returncode == 126
    assert [request.method for request in desk.server.requests] == ["GET"]


def test_every_call_has_its_records(desk: Desk) -> None:
    desk.run("api", "call", "pets.get_pet", "id=7")
    assert desk.told("audit", "verify")["records"] == 2
    assert desk.run("audit", "verify").returncode == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("pets.get_pet", "id=seven"), "api.invalid-argument"),
        (("pets.get_pet", "idd=7"), "api.unknown-argument"),
        (("pets.get_cat", "id=7"), "api.unknown-operation"),
        (("cats.get_pet", "id=7"), "api.unknown-source"),
        (("pets", "id=7"), "api.target"),
    ],
)
def test_mistakes_are_named(desk: Desk, words: tuple[str, ...], code: str) -> None:
    assert desk.told("api", "call", *words)["error"]["code"] == code
    assert desk.server.requests == []


def test_api_is_a_tool_among_the_others(desk: Desk) -> None:
    assert [tool["name"] for tool in desk.told("list")["tools"]] == ["pets-api"]
    hits = desk.told("search", "give", "a", "pet", "away")["results"]
    assert (hits[0]["tool"], hits[0]["command"]) == ("pets-api", ["delete_pet"])
    compiled = json.loads(desk.run("compile", "pets-api", "--for", "anthropic").stdout)
    name = next(each["name"] for each in compiled if "get" in each["name"])
    call = {"type": "tool_use", "id": "1", "name": name, "input": {"id": 7}}
    done = desk.run("call", "--for", "anthropic", stdin=json.dumps(call))
    assert "/pets/7" in done.stdout
    assert desk.run("call", "pets-api.delete_pet", "id=7").returncode == 126
    assert [request.method for request in desk.server.requests] == ["GET"]


def test_dry_run_of_an_operation_shows_the_plan_and_sends_nothing(desk: Desk) -> None:
    for words in ((), ("--json",)):
        ran = desk.run("call", "pets-api.delete_pet", "id=7", "--dry-run", *words)
        assert ran.returncode == 0, ran.stderr
        (row,) = json.loads(ran.stdout)["calls"]
        assert (row["operation"], row["arguments"]) == ("pets.delete_pet", {"id": 7})
        assert row["decision"]["decision"] == "ask"
        assert row["decision"]["rule"] == "always: destructive"
        assert row["decision"]["reasons"]
    (row,) = desk.told("call", "pets-api.get_pet", "id=7", "--dry-run")["calls"]
    assert row["decision"]["decision"] == "allow"
    assert desk.server.requests == []
    assert desk.told("audit", "verify")["records"] == 0


def test_policy_of_a_call_counts_for_operations(desk: Desk) -> None:
    words = ("call", "pets-api.set_pet", "id=7", "--policy", "read-only")
    (row,) = desk.told(*words, "--dry-run")["calls"]
    assert row["decision"]["decision"] == "deny"
    refused = desk.run(*words, "--yes", "--json")
    assert refused.returncode == 126
    assert json.loads(refused.stdout)["error"]["code"] == "policy.denied"
    assert desk.server.requests == []


def test_init_finds_what_a_project_has(tmp_path: pathlib.Path) -> None:
    import sqlite3

    with api_server() as server:
        desk = Desk(tmp_path, server)
    (tmp_path / "codegen.config.json").unlink()
    sqlite3.connect(tmp_path / "data.db").executescript("create table t (a int)")
    (tmp_path / ".mcp.json").write_text(
        json.dumps({"mcpServers": {"time": {"command": "mcp-server-time", "env": {"SECRET": "x"}}}})
    )
    told = desk.told("api", "init", "--write")
    assert told["config"]["sources"] == {
        "openapi": {"openapi": {"type": "openapi", "spec": "openapi.json", "baseUrl": "https://pets.example.org"}},
        "database": {"data": {"type": "database", "url": "sqlite:///data.db"}},
        "mcp": {"time": {"type": "mcp", "command": "mcp-server-time"}},
    }  # fmt: skip
    assert "SECRET" not in (tmp_path / "codegen.config.json").read_text()
    assert desk.told("api", "init", "--write")["error"]["code"] == "api.config-exists"


@pytest.mark.proves("ATM-A-90")
def test_a_stream_of_events_is_refused_with_a_clear_error(desk: Desk) -> None:
    desk.server.answer = lambda _request: Reply(
        body={"a": 1}, headers={"Content-Type": "text/event-stream; charset=utf-8"}
    )
    refused = desk.run("api", "call", "pets.get_pet", "id=7", "--json")
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "http.stream" and "stream" in error["hint"]
