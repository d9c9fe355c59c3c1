"""A real GraphQL schema, read in place: every document is valid and runs against an executor of that schema."""

from __future__ import annotations

import functools
import gzip
import json
import pathlib
import typing

import pytest

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.interface import ApiAccess
from atip.apis.loading import load_api
from atip.apis.sync.syncing import sync
from atip.codecs.apis.operation_schema import schemas_of
from tests.packages import package
from tests.shared import shared
from tests.simulators.api_server import Recorded, Reply, api_server
from tests.simulators.samples import Sampler

RUN = [pytest.param(60, id="60"), pytest.param(278, id="all", marks=pytest.mark.soak)]
"""Operations that are called over HTTP."""


@functools.cache
def sdl() -> str:
    package("graphql")
    return gzip.decompress((shared("corpora/graphql") / "github-schema.graphql.gz").read_bytes()).decode()  # fmt: skip


@functools.cache
def schema() -> typing.Any:
    return package("graphql").build_schema(sdl(), assume_valid=True)


def test_every_document_is_valid() -> None:
    text = sdl()
    graphql = package("graphql")
    api = load_api(text, name="github")
    executable = [operation for operation in api.operations if operation.method != "SUBSCRIPTION"]
    assert len(executable) == 278
    wrong = [
        each.name
        for each in executable
        if graphql.validate(schema(), graphql.parse(each.statement), max_errors=1)
    ]
    assert wrong == []


def made_up(_source: object, info: typing.Any, **_arguments: object) -> typing.Any:
    """A value for any field, from its type alone."""
    graphql = package("graphql")
    kind = graphql.get_nullable_type(info.return_type)
    if graphql.is_list_type(kind):
        return []
    if graphql.is_enum_type(kind):
        return next(iter(kind.values))
    if graphql.is_scalar_type(kind):
        return {"Int": 1, "Float": 1.5, "Boolean": True}.get(kind.name, "text")
    return {}


@pytest.mark.parametrize("wanted", RUN)
def test_documents_run_against_an_executor_on_loopback(tmp_path: pathlib.Path, wanted: int) -> None:
    text = sdl()
    package("httpcore2")
    graphql = package("graphql")
    (tmp_path / "github.graphql").write_text(text)

    def answer(request: Recorded) -> Reply:
        output = json.loads(request.body)
        done = graphql.graphql_sync(
            schema(),
            output["query"],
            variable_values=output["variables"],
            field_resolver=made_up,
            type_resolver=lambda _value, info, kind: info.schema.get_possible_types(kind)[0].name,
        )
        return Reply(body=done.formatted)

    with api_server() as server:
        server.answer = answer
        source = {"type": "graphql", "endpoint": f"{server.base}/graphql", "schema": "github.graphql", "private": True}  # fmt: skip
        (tmp_path / "codegen.config.json").write_text(json.dumps({"sources": {"graphql": {"github": source}}, "language": "python"}))  # fmt: skip
        sync(load_config(str(tmp_path)), ApiAccess(env={}))
        api = load_api(text, name="github")
        schemas = schemas_of(api)
        ran, failed = 0, []
        with OperationCaller(load_config(str(tmp_path)), access=ApiAccess(env={})) as caller:
            for operation in api.operations[:: len(api.operations) // wanted]:
                schema_in = schemas.input_of(operation)
                sampler = Sampler(schema_in.get("$defs", {}))
                arguments = {key: sampler.value(schema_in["properties"][key]) for key in schema_in.get("required", ())}  # fmt: skip
                ran += 1
                try:
                    assert operation.original in caller.call("github", operation.name, arguments)
                except Exception as error:
                    failed.append((operation.name, str(error)))
    assert ran >= wanted
    assert len(failed) <= ran * 0.05, failed
