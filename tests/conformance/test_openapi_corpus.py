"""Real API documents, read in place: nothing lost, nothing twice, and requests that say what was meant."""

from __future__ import annotations

import functools
import gzip
import http.client
import json
import re
import typing
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

import atip
from atip.apis.http.requests import build_request
from atip.codecs.apis.openapi import METHODS
from atip.codecs.apis.operation_schema import schemas_of
from tests.shared import find_shared, shared
from tests.simulators.api_server import api_server
from tests.simulators.samples import Sampler

FOLDER = find_shared("corpora/openapi")
NAMES = sorted(path.name for path in FOLDER.glob("*.gz")) if FOLDER else ["(no shared data)"]
SAMPLE = 45
"""Operations of each document whose requests are looked at."""


@functools.cache
def document(name: str) -> typing.Any:
    data = gzip.decompress((shared("corpora/openapi") / name).read_bytes())
    return atip.read_api_document(data)


@functools.cache
def api(name: str) -> typing.Any:
    return atip.load_api(document(name), name=name.split(".")[0])


@pytest.mark.parametrize("name", NAMES)
def test_no_operation_is_lost_and_no_name_is_given_twice(name: str) -> None:
    told = document(name)
    expected = {
        (method.upper(), path)
        for path, item in told["paths"].items()
        for method in METHODS
        if isinstance(item.get(method), dict)
    }
    found = api(name)
    assert {(operation.method, operation.path) for operation in found.operations} == expected
    assert len({operation.name for operation in found.operations}) == len(found.operations)
    assert found.lost == ()


@pytest.mark.parametrize("name", NAMES)
def test_input_schemas_are_valid_and_complete(name: str) -> None:
    from atip.apis.arguments import MAX_NODES
    from atip.model.shapes.json_schema import compile_schema

    found = api(name)
    schemas = schemas_of(found)
    step = max(1, len(found.operations) // 60)
    for operation in found.operations[::step]:
        compile_schema(schemas.input_of(operation), max_nodes=MAX_NODES)


def sampled(name: str) -> typing.Iterator[tuple[typing.Any, dict[str, typing.Any]]]:
    """Operations with arguments for everything they take."""
    found = api(name)
    schemas = schemas_of(found)
    step = max(1, len(found.operations) // SAMPLE)
    for operation in found.operations[::step]:
        schema = schemas.input_of(operation)
        sampler = Sampler(schema.get("$defs", {}))
        arguments = {}
        for key, each in schema["properties"].items():
            try:
                arguments[key] = sampler.value(each)
            except (ValueError, KeyError):
                if key in schema.get("required", ()):
                    arguments[key] = "x"
        yield operation, arguments


@pytest.mark.parametrize("name", NAMES)
def test_requests_match_the_document(name: str) -> None:
    checked = 0
    for operation, arguments in sampled(name):
        request = build_request(operation, arguments, "https://api.example.org/base")
        raw = raw_operation(document(name), operation)
        check(request, raw, operation, arguments)
        checked += 1
    assert checked >= min(9, SAMPLE)


def test_loopback_server_receives_exactly_the_requests_that_were_built() -> None:
    shared("corpora/openapi")
    sent = 0
    with api_server() as server:
        host = server.base.removeprefix("http://")
        for name in NAMES:
            for operation, arguments in list(sampled(name))[:25]:
                request = build_request(operation.replace(server=""), arguments, server.base)
                if operation.method in {"TRACE", "OPTIONS"}:
                    continue
                connection = http.client.HTTPConnection(host, timeout=10)
                target = request.url.removeprefix(server.base) or "/"
                connection.request(request.method, target, request.content, dict(request.headers))
                connection.getresponse().read()
                connection.close()
                got = server.requests[-1]
                assert (got.method, got.target, got.body) == (request.method, target, request.content or b"")  # fmt: skip
                sent += 1
    assert sent >= 200


def raw_operation(told: typing.Any, operation: typing.Any) -> dict[str, typing.Any]:
    item = told["paths"][operation.path]
    own = item[operation.method.lower()]
    parameters = {}
    for parameter in [*item.get("parameters", []), *own.get("parameters", [])]:
        if "$ref" in parameter:
            here = told
            for part in unquote(parameter["$ref"]).removeprefix("#/").split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                here = here[int(key)] if isinstance(here, list) else here[key]
            parameter = here
        parameters[(parameter["name"], parameter["in"])] = parameter
    return {"own": own, "parameters": parameters}


def check(request: typing.Any, raw: typing.Any, operation: typing.Any, arguments: typing.Any) -> None:  # fmt: skip
    """The request read back by rules written from the document alone."""
    parts = urlsplit(request.url)
    assert parts.netloc == urlsplit(operation.server or "https://api.example.org").netloc
    bare = operation.path.split("#")[0].split("?")[0]
    base = urlsplit(operation.server or "https://api.example.org/base").path.rstrip("/")
    pattern = re.sub(r"\\\{[^/]*?\\\}", "([^/]+)", re.escape(base + bare))
    found = re.fullmatch(pattern, parts.path)
    assert found, (operation.path, parts.path)
    names = re.findall(r"\{([^{}/]+)\}", bare)
    by_name = {
        (parameter.name, parameter.place): parameter.argument for parameter in operation.parameters
    }
    for name, text in zip(names, found.groups(), strict=True):
        value = arguments[by_name[(name, "path")]]
        if isinstance(value, str):
            assert unquote(text) == value
    query = parse_qsl(parts.query, keep_blank_values=True)
    for name, place in raw["parameters"]:
        if place == "query" and by_name[(name, place)] in arguments:
            check_query(query, name, arguments[by_name[(name, place)]], raw["parameters"][(name, place)])  # fmt: skip
    body = operation.body
    if body is not None and body.argument in arguments and "json" in body.media_type:
        assert json.loads(request.content) == arguments[body.argument]


def check_query(query: list[tuple[str, str]], name: str, value: typing.Any, raw: typing.Any) -> None:  # fmt: skip
    given = [text for key, text in query if key == name]
    style = raw.get("style", "form")
    if isinstance(value, str):
        assert value in given
    elif isinstance(value, list) and style == "form" and "schema" in raw and raw.get("explode", True):  # fmt: skip
        plain = [each if isinstance(each, str) else json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in value]  # fmt: skip
        assert given == plain
    elif isinstance(value, dict) and style == "deepObject" and value:
        assert any(key.startswith(f"{name}[") for key, _ in query)
