"""OpenAPI and GraphQL sources end to end: sync, wrappers, calls against a server on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import typing
from urllib.parse import parse_qsl

import pytest

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.http import calls as http_calls
from atip.apis.interface import ApiAccess, open_access
from atip.apis.sync.syncing import sync
from atip.errors import AtipError, AuthRequired, ExecutionError, FetchError, PolicyError, UsageError
from tests.approving import confined_access
from tests.packages import package
from tests.simulators.api_server import ApiServer, Recorded, Reply, api_server

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT: dict[str, typing.Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://shop.example.org"}],
    "components": {
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "tag-name": {"type": "string"}},
            }
        },
    },
    "security": [{"key": []}],
    "paths": {
        "/pets/{petId}": {
            "get": {
                "operationId": "getPet",
                "parameters": [
                    {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "fields", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
            },
            "delete": {
                "operationId": "deletePet",
                "parameters": [{"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}}],
            },
        },
        "/pets": {
            "post": {
                "operationId": "addPet",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                },
            }
        },
        "/elsewhere": {
            "servers": [{"url": "https://uploads.example.net"}],
            "get": {"operationId": "elsewhere"},
        },
    },
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[ApiServer]:
    package("httpcore2")
    with api_server() as told:
        yield told


def project(folder: pathlib.Path, server: ApiServer, **more: typing.Any) -> pathlib.Path:
    (folder / "shop.json").write_text(json.dumps(DOCUMENT))
    source = {
        "type": "openapi",
        "spec": "shop.json",
        "baseUrl": server.base,
        "private": True,
        **more,
    }
    told = {"name": "shop", "sources": {"openapi": {"shop": source}}}
    (folder / "codegen.config.json").write_text(json.dumps(told))
    sync(load_config(str(folder)), open_access())
    return folder


def call(folder: pathlib.Path, name: str, arguments: dict[str, typing.Any], env: dict[str, str] | None = None) -> typing.Any:  # fmt: skip
    with OperationCaller(
        load_config(str(folder)), access=confined_access(folder, env or {})
    ) as caller:
        return caller.run("shop", name, arguments)


@pytest.mark.proves("ATM-15.3-01", "ATM-15.2-04", "ATM-4-01")
def test_agent_can_import_a_wrapper_and_call_through_the_runtime(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    server.answer = lambda _request: Reply(body={"name": "Rex"})
    project(tmp_path, server)
    manifest = json.loads((tmp_path / ".agent-ready.json").read_text())
    assert manifest["codeMode"] is True and "rest-apis" in manifest["capabilities"]
    wrappers = manifest["paths"]["wrappers"].removeprefix("./")
    program = (
        f"import asyncio\nfrom {wrappers} import runtime\nfrom {wrappers}.shop import get_pet, add_pet\n"
        f"from {wrappers}.shop.add_pet import Pet\n"
        "runtime.use(ask=lambda question: True)\n"
        "print(get_pet(pet_id='a/b', fields=['x', 'y']))\n"
        "add_pet(body=Pet(name='Rex', tag_name='t'))\n"
        f"import {wrappers}.shop as shop\n"
        "print(asyncio.run(shop.get_pet_async(pet_id='7')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={**os.environ, "HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "{'name': 'Rex'}\n{'name': 'Rex'}\n"
    assert [(request.method, request.target, request.body) for request in server.requests] == [
        ("GET", "/pets/a%2Fb?fields=x&fields=y", b""),
        ("POST", "/pets", b'{"name":"Rex","tag-name":"t"}'),
        ("GET", "/pets/7", b""),
    ]


@pytest.mark.proves("ATM-16-02")
def test_wrong_arguments_are_refused_before_anything_is_sent(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server)
    with pytest.raises(UsageError) as caught:
        call(tmp_path, "add_pet", {"body": {"name": 7}})
    assert caught.value.code == "api.invalid-argument"
    with pytest.raises(UsageError) as caught:
        call(tmp_path, "get_pet", {"petid": "7"})
    assert (caught.value.code, caught.value.hint) == (
        "api.unknown-argument",
        "did you mean `pet_id`?",
    )
    assert server.requests == []


AUTHS: list[tuple[dict[str, typing.Any], str, str]] = [
    ({"type": "bearer", "token": "${SHOP_TOKEN}"}, "authorization", "Bearer s3cret-value"),
    ({"type": "apiKey", "in": "header", "name": "X-Key", "value": "${SHOP_TOKEN}"}, "x-key", "s3cret-value"),
    ({"type": "apiKey", "in": "cookie", "name": "sid", "value": "${SHOP_TOKEN}"}, "cookie", "sid=s3cret-value"),
    ({"type": "basic", "username": "u", "password": "${SHOP_TOKEN}"}, "authorization", "Basic dTpzM2NyZXQtdmFsdWU="),
    ({"type": "custom", "resolver": "command:echo X-Signed: ok"}, "x-signed", "ok"),
]  # fmt: skip


@pytest.mark.proves("ATM-9-03", "ATM-9-04", "ATM-9-05", "ATM-9-06", "ATM-16-01")
@pytest.mark.parametrize(("auth", "header", "value"), AUTHS)
def test_credentials_are_resolved_when_they_are_sent(
    tmp_path: pathlib.Path, server: ApiServer, auth: dict[str, typing.Any], header: str, value: str
) -> None:
    server.answer = lambda request: Reply(body={"name": request.headers.get(header, "")})
    project(tmp_path, server, auth=auth)
    result = call(tmp_path, "get_pet", {"pet_id": "1"}, {"SHOP_TOKEN": "s3cret-value", "PATH": os.environ["PATH"]})  # fmt: skip
    assert server.requests[0].headers[header] == value
    assert result.status == 200
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"s3cret" not in path.read_bytes()


@pytest.mark.proves("ATM-9-07")
@pytest.mark.parametrize(
    ("flow", "more", "grant"),
    [
        ("clientCredentials", {}, "client_credentials"),
        ("authorizationCode", {"refreshToken": "r&1"}, "refresh_token"),
    ],
)
def test_oauth_token_is_fetched_with_the_configured_grant(
    tmp_path: pathlib.Path, server: ApiServer, flow: str, more: dict[str, str], grant: str
) -> None:
    def answer(request: Recorded) -> Reply:
        if request.target == "/token":
            return Reply(body={"access_token": "t0k3n", "token_type": "Bearer"})
        return Reply(body={"name": "x"})

    server.answer = answer
    auth = {
        "type": "oauth2", "flow": flow, "tokenUrl": f"{server.base}/token", "clientId": "me",
        "clientSecret": "${SHOP_TOKEN}", "scopes": ["read", "write"], **more,
    }  # fmt: skip
    project(tmp_path, server, auth=auth)
    call(tmp_path, "get_pet", {"pet_id": "1"}, {"SHOP_TOKEN": "s3cret"})
    form = dict(parse_qsl(server.requests[0].body.decode()))
    assert (form["grant_type"], form["scope"]) == (grant, "read write")
    assert form.get("refresh_token", "") == more.get("refreshToken", "")
    assert server.requests[1].headers["authorization"] == "Bearer t0k3n"


def test_api_key_in_the_query(tmp_path: pathlib.Path, server: ApiServer) -> None:
    auth = {"type": "apiKey", "in": "query", "name": "key", "value": "${SHOP_TOKEN}"}
    project(tmp_path, server, auth=auth)
    call(tmp_path, "get_pet", {"pet_id": "1", "fields": ["a"]}, {"SHOP_TOKEN": "a&b"})
    assert server.requests[0].target == "/pets/1?fields=a&key=a%26b"


@pytest.mark.proves("ATM-15.2-05")
def test_missing_credential_is_told_before_the_call(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server, auth={"type": "bearer", "token": "${SHOP_TOKEN}"})
    with pytest.raises(AuthRequired) as caught:
        call(tmp_path, "get_pet", {"pet_id": "1"})
    assert (caught.value.code, caught.value.exit_code) == ("api.auth-missing", 4)
    assert server.requests == []


def test_refused_credential_is_an_authentication_error(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    server.answer = lambda _request: Reply(status=401, body={})
    project(tmp_path, server)
    with pytest.raises(AuthRequired) as caught:
        call(tmp_path, "get_pet", {"pet_id": "1"})
    assert caught.value.code == "api.auth-required"


@pytest.mark.proves("ATM-7-15")
def test_what_may_be_repeated_is_tried_again_and_what_may_not_is_not(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    replies = iter([Reply(status=503), Reply(status=429), Reply(body={"name": "x"})])
    server.answer = lambda _request: next(replies)
    project(tmp_path, server)
    assert call(tmp_path, "get_pet", {"pet_id": "1"}).data == {"name": "x"}
    assert len(server.requests) == 3
    server.answer = lambda _request: Reply(status=503, body={"why": "busy"})
    with pytest.raises(ExecutionError) as caught:
        call(tmp_path, "add_pet", {"body": {"name": "x"}})
    assert (caught.value.code, caught.value.details["status"]) == ("api.status", 503)
    assert len(server.requests) == 4


def test_operation_with_a_foreign_server_is_refused(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server, auth={"type": "bearer", "token": "${SHOP_TOKEN}"})
    with pytest.raises(PolicyError) as caught:
        call(tmp_path, "elsewhere", {}, {"SHOP_TOKEN": "x"})
    assert caught.value.code == "api.foreign-origin"
    assert server.requests == []


def test_redirect_to_another_origin_carries_nothing_there(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    with api_server() as other:
        server.answer = lambda _request: Reply(status=302, headers={"Location": f"{other.base}/x"})
        project(tmp_path, server, auth={"type": "bearer", "token": "${SHOP_TOKEN}"})
        with pytest.raises(PolicyError) as caught:
            call(tmp_path, "get_pet", {"pet_id": "1"}, {"SHOP_TOKEN": "x"})
        assert caught.value.code == "api.foreign-redirect"
        assert other.requests == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://127.0.0.1/", "http://169.254.169.254/latest"])  # fmt: skip
def test_redirect_to_something_else_than_the_server_is_refused(
    tmp_path: pathlib.Path, server: ApiServer, target: str
) -> None:
    server.answer = lambda _request: Reply(status=302, headers={"Location": target})
    project(tmp_path, server)
    with pytest.raises(AtipError) as caught:
        call(tmp_path, "get_pet", {"pet_id": "1"})
    assert caught.value.code in {"api.foreign-redirect", "http.url"}


def test_redirect_at_home_is_followed(tmp_path: pathlib.Path, server: ApiServer) -> None:
    def answer(request: Recorded) -> Reply:
        if request.target == "/moved":
            return Reply(body={"name": "x"})
        return Reply(status=307, headers={"Location": "/moved"})

    server.answer = answer
    project(tmp_path, server)
    assert call(tmp_path, "get_pet", {"pet_id": "1"}).data == {"name": "x"}


def test_private_address_needs_to_be_configured(tmp_path: pathlib.Path, server: ApiServer) -> None:
    project(tmp_path, server, private=False)
    with pytest.raises(FetchError) as caught:
        call(tmp_path, "get_pet", {"pet_id": "1"})
    assert caught.value.code == "http.insecure"
    assert server.requests == []


def test_offline_opens_no_socket(tmp_path: pathlib.Path, server: ApiServer) -> None:
    project(tmp_path, server)
    with (
        OperationCaller(
            load_config(str(tmp_path)), access=ApiAccess(env={}, offline=True)
        ) as caller,
        pytest.raises(PolicyError) as caught,
    ):
        caller.run("shop", "get_pet", {"pet_id": "1"})
    assert caught.value.code == "api.offline"
    assert server.requests == []


def test_answer_that_differs_from_its_schema_is_told(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    server.answer = lambda _request: Reply(body={"name": 7})
    project(tmp_path, server)
    result = call(tmp_path, "get_pet", {"pet_id": "1"})
    assert result.data == {"name": 7}
    assert [problem["path"] for problem in result.problems] == [["name"]]


@pytest.mark.proves("ATM-7-15")
def test_hooks_are_told_what_happened_but_no_values(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server)
    events: list[typing.Any] = []
    with OperationCaller(
        load_config(str(tmp_path)), access=ApiAccess(env={}, hook=events.append)
    ) as caller:
        caller.run("shop", "get_pet", {"pet_id": "secret-id"})
    assert [(event.source, event.operation, event.status, event.tries) for event in events] == [
        ("shop", "get_pet", 200, 1)
    ]
    assert "secret-id" not in repr(events)


def test_pages_are_linked_on_the_same_origin_only(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server)
    server.answer = lambda _request: Reply(body={"name": "x"}, headers={"Link": '</pets/1?page=2>; rel="next"'})  # fmt: skip
    assert call(tmp_path, "get_pet", {"pet_id": "1"}).next_page == f"{server.base}/pets/1?page=2"
    server.answer = lambda _request: Reply(body={"name": "x"}, headers={"Link": '<https://evil.example/>; rel="next"'})  # fmt: skip
    assert call(tmp_path, "get_pet", {"pet_id": "1"}).next_page == ""


def test_calls_at_once_share_one_connection(
    tmp_path: pathlib.Path, server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, server)
    opened = []
    real = http_calls.Sender
    monkeypatch.setattr(http_calls, "Sender", lambda access: opened.append(access) or real(access))
    with OperationCaller(load_config(str(tmp_path)), access=ApiAccess(env={})) as caller:

        async def many() -> list[typing.Any]:
            calls = [
                asyncio.to_thread(caller.call, "shop", "get_pet", {"pet_id": str(n)})
                for n in range(20)
            ]
            return await asyncio.gather(*calls)

        assert len(asyncio.run(many())) == 20
    assert len(opened) == 1
    assert sorted(request.target for request in server.requests) == sorted(f"/pets/{n}" for n in range(20))  # fmt: skip


def test_second_sync_writes_nothing_and_a_change_writes_only_what_changed(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server)
    config = load_config(str(tmp_path))
    before = (tmp_path / ".agent-ready.json").read_bytes()
    again = sync(config, open_access())
    assert [source.written for source in again.sources] == [0]
    assert (tmp_path / ".agent-ready.json").read_bytes() == before
    changed = json.loads(json.dumps(DOCUMENT))
    changed["paths"]["/pets"]["post"]["summary"] = "Add one"
    del changed["paths"]["/elsewhere"]
    (tmp_path / "shop.json").write_text(json.dumps(changed))
    report = sync(config, open_access()).sources[0]
    # the wrapper in two languages, the two indexes, the list of operations, the index text
    assert report.written <= 6
    assert report.removed == 2
    assert not (tmp_path / "codegen/shop/elsewhere.py").exists()


def test_unreadable_source_keeps_its_files_and_the_others_go_on(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    project(tmp_path, server)
    output = json.loads((tmp_path / "codegen.config.json").read_text())
    output["sources"]["openapi"]["broken"] = {"type": "openapi", "spec": "nowhere.json"}
    (tmp_path / "codegen.config.json").write_text(json.dumps(output))
    report = sync(load_config(str(tmp_path)), open_access())
    assert [source.error is None for source in report.sources] == [True, False]
    assert not report.is_complete


SDL = '''
"""A shop."""
type Query { pet(id: ID!): Pet  pets(first: Int = 10): [Pet!]! }
type Mutation { addPet(input: PetInput!): Pet  deletePet(id: ID!): Boolean! }
type Subscription { petAdded: Pet }
input PetInput { name: String!  kind: Kind  parent: PetInput }
enum Kind { CAT DOG }
type Pet { id: ID!  name: String!  kind: Kind  owner: Owner  children: [Pet!]! }
type Owner { name: String  pets(first: Int!): [Pet!]! }
'''


@pytest.mark.proves("ATM-A-03", "ATM-3-03")
def test_graphql_is_introspected_and_called_with_variables(
    tmp_path: pathlib.Path, server: ApiServer
) -> None:
    graphql = package("graphql")
    schema = graphql.build_schema(SDL)
    seen: list[typing.Any] = []

    def answer(request: Recorded) -> Reply:
        told = json.loads(request.body)
        seen.append(told)
        root = {
            "pet": lambda _info, id: {"id": id, "name": "Rex", "kind": "DOG", "children": []},
            "addPet": lambda _info, input: {"id": "9", "name": input["name"], "children": []},
        }
        done = graphql.graphql_sync(
            schema, told["query"], root_value=root, variable_values=told["variables"]
        )
        return Reply(body=done.formatted)

    server.answer = answer
    source = {"type": "graphql", "endpoint": f"{server.base}/graphql", "private": True}
    told = {"sources": {"graphql": {"zoo": source}}, "language": "python"}
    (tmp_path / "codegen.config.json").write_text(json.dumps(told))
    report = sync(load_config(str(tmp_path)), open_access())
    assert report.sources[0].operations == 5
    with OperationCaller(load_config(str(tmp_path)), access=ApiAccess(env={})) as caller:
        hostile = '1") { id } evil: pet(id: "2'
        found = caller.call("zoo", "pet", {"id": hostile})
        assert found["pet"]["id"] == hostile
        assert caller.call("zoo", "add_pet", {"input": {"name": "Tom"}})["addPet"]["name"] == "Tom"
        with pytest.raises(UsageError) as caught:
            caller.call("zoo", "add_pet", {"input": {"kind": "BIRD"}})
        assert caught.value.code == "api.invalid-argument"
        with pytest.raises(UsageError) as caught:
            caller.call("zoo", "pet_added", {})
        assert caught.value.code == "api.subscription"
        for errors in ([{"message": "no"}], ["no"], {"message": "no"}, "no"):
            server.answer = lambda _request, errors=errors: Reply(body={"errors": errors})
            with pytest.raises(ExecutionError) as failure:
                caller.call("zoo", "pet", {"id": "1"})
            assert (failure.value.code, failure.value.message) == ("api.graphql", "no")
    assert hostile not in seen[1]["query"]
