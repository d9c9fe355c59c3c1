"""Calls of generated wrappers, Python and TypeScript alike: policy, approval, question and record stand before every request."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import typing

import pytest

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.interface import open_access
from atip.apis.sync.syncing import sync
from atip.errors import UsageError
from tests.approving import approve
from tests.cli.run import atip
from tests.integration.apis.test_wrappers import compiled
from tests.packages import package
from tests.shared import ROOT
from tests.simulators.api_server import ApiServer, Reply, api_server

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT: dict[str, typing.Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "operationId": "getPet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            },
            "delete": {
                "operationId": "deletePet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            },
        },
    },
}  # fmt: skip
PYTHON = """
import json, sys
from codegen import runtime
from codegen.shop import get_pet, delete_pet
{before}
try:
    print(json.dumps({call}))
except Exception as error:
    print(error.code, "|", error.hint)
"""
TYPESCRIPT = """
import {{ use }} from "./codegen/out/runtime.js";
import {{ getPet, deletePet }} from "./codegen/out/shop/index.js";
use({{ command: [{python}, "-m", "atip.cli.main"] }});
{before}
try {{ console.log(JSON.stringify({call})); }}
catch (error) {{ console.log(error.code, "|", error.hint); }}
"""
CALLS = {
    "python": {"get": "get_pet(id=7)", "delete": "delete_pet(id=7)", "wrong": "get_pet(id='seven')"},
    "typescript": {
        "get": "await getPet({ id: 7 })",
        "delete": "await deletePet({ id: 7 })",
        "wrong": "await getPet({ id: 'seven' })",
    },
}  # fmt: skip
YES = {
    "python": "asked = []\nruntime.use(ask=lambda question: not asked.append(question.argv))",
    "typescript": "use({ ask: async (question) => question.destructive && question.argv[3] === 'shop.delete_pet' });",
}
NO = {"python": "runtime.use(ask=lambda question: False)", "typescript": "use({ ask: () => false });"}  # fmt: skip


class Shop:
    """A project with wrappers in one language, beside a home."""

    def __init__(self, folder: pathlib.Path, language: str, server: ApiServer) -> None:
        self.language = language
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        (self.work / "shop.json").write_text(json.dumps(DOCUMENT))
        source = {"type": "openapi", "spec": "shop.json", "baseUrl": server.base, "private": True}
        config = {
            "name": "shop",
            "sources": {"openapi": {"shop": source}},
            "language": language,
        }
        (self.work / "codegen.config.json").write_text(json.dumps(config))
        sync(load_config(str(self.work)), open_access())
        if language == "typescript":
            (self.work / "package.json").write_text('{"type": "module"}')
            compiled(self.work / "codegen")

    def approve(self) -> Shop:
        approve(self.work, self.home)
        return self

    def run(self, call: str, before: str = "") -> str:
        """What a program prints that makes one call: its data, or code and hint of the error."""
        text = CALLS[self.language][call]
        if self.language == "python":
            argv = [sys.executable, "-c", PYTHON.format(before=before, call=text)]
        else:
            program = TYPESCRIPT.format(python=json.dumps(sys.executable), before=before, call=text)
            (self.work / "program.js").write_text(program)
            argv = ["node", "program.js"]
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ATIP_"))}
        env |= {"HOME": str(self.home), "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            argv, cwd=self.work, env=env, capture_output=True, text=True, timeout=60,
            start_new_session=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.strip()

    def records(self) -> list[dict[str, typing.Any]]:
        result = atip("audit", "show", "--decisions", "--json", home=self.home)
        return typing.cast("list[dict[str, typing.Any]]", result.document["records"])


@pytest.fixture
def server() -> Iterator[ApiServer]:
    package("httpcore2")
    with api_server() as told:
        told.answer = lambda _request: Reply(body={"name": "Rex"})
        yield told


@pytest.fixture(params=["python", "typescript"])
def shop(request: pytest.FixtureRequest, tmp_path: pathlib.Path, server: ApiServer) -> Shop:
    return Shop(tmp_path, request.param, server)


def test_wrapper_needs_the_project_approved_and_then_reads(shop: Shop, server: ApiServer) -> None:
    assert shop.run("get").startswith("api.not-approved |")
    assert server.requests == []
    shop.approve()
    assert json.loads(shop.run("get")) == {"name": "Rex"}
    (record,) = [record for record in shop.records() if record["event"] == "start"]
    assert (record["api"], record["decision"]["decision"]) == ("shop.get_pet", "allow")


def test_wrapper_refuses_what_policy_asks_about_and_says_how_to_ask(
    shop: Shop, server: ApiServer
) -> None:
    shop.approve()
    code, _, hint = shop.run("delete").partition(" |")
    assert code == "consent.no-asker"
    assert ("runtime.use(ask=" if shop.language == "python" else "use({ ask:") in hint
    assert server.requests == []
    assert [(record["event"], record["api"]) for record in shop.records()] == [
        ("refused", "shop.delete_pet")
    ]


def test_wrapper_calls_after_a_yes_and_not_after_a_no(shop: Shop, server: ApiServer) -> None:
    shop.approve()
    assert shop.run("delete", NO[shop.language]).startswith("consent.refused |")
    assert server.requests == []
    assert json.loads(shop.run("delete", YES[shop.language])) == {"name": "Rex"}
    assert [(request.method, request.target) for request in server.requests] == [
        ("DELETE", "/pets/7")
    ]
    assert [(record["event"], record["decision"]["decision"]) for record in shop.records()] == [
        ("refused", "ask"),
        ("start", "ask"),
    ]


def test_wrapper_obeys_the_policy_of_the_user(shop: Shop, server: ApiServer) -> None:
    shop.approve()
    rule = {"tools": ["shop"], "decision": "deny", "reason": "closed"}
    path = shop.home / ".config/agent-tools/policy.json"
    path.write_text(json.dumps({"policy": {"version": "1", "rules": [rule]}}))
    assert shop.run("get", YES[shop.language]).startswith("policy.denied |")
    assert server.requests == []


def test_wrapper_checks_the_types_of_its_input(shop: Shop, server: ApiServer) -> None:
    assert shop.approve().run("wrong").startswith("api.invalid-argument |")
    assert server.requests == []


def test_wrappers_of_an_older_version_are_refused(tmp_path: pathlib.Path) -> None:
    """They hand in the path of a configuration that nobody approved."""
    old: typing.Any = OperationCaller
    with pytest.raises(UsageError) as caught:
        old(tmp_path / "codegen.config.json", access=open_access())
    assert caught.value.code == "api.old-wrappers"


@pytest.mark.parametrize("where", ["fd:0", "fd:99", "fd:-1", "file", "fd:", ""])
def test_an_answer_that_lies_ready_is_not_an_answer(
    tmp_path: pathlib.Path, server: ApiServer, where: str
) -> None:
    shop = Shop(tmp_path, "python", server).approve()
    done = atip(
        "api", "call", "shop.delete_pet", "id=7", "--ask", where, "--json", home=shop.home,
        cwd=shop.work, stdin='{"answer": true}\n',
    )  # fmt: skip
    assert done.document["error"]["code"] == "consent.ask"
    assert server.requests == []
