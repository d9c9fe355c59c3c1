"""OpenAPI 3.0, 3.1 and Swagger 2 documents as operations."""

from __future__ import annotations

import typing

import pytest

from atip.codecs.apis.openapi import decode_api, dialect_of
from atip.codecs.apis.operation_schema import schemas_of
from atip.errors import FormatError


def document(paths: dict[str, typing.Any], **more: typing.Any) -> dict[str, typing.Any]:
    return {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths, **more}


def only(paths: dict[str, typing.Any], **more: typing.Any) -> typing.Any:
    api = decode_api(document(paths, **more), name="t")
    assert len(api.operations) == 1
    return api.operations[0]


@pytest.mark.parametrize(
    ("told", "dialect"),
    [
        ({"swagger": "2.0"}, "swagger-2.0"),
        ({"openapi": "3.0.1"}, "openapi-3.0"),
        ({"openapi": "3.1.0"}, "openapi-3.1"),
        ({"openapi": "3.2.0"}, "openapi-3.1"),
        ({"asyncapi": "2.0"}, ""),
        ([], ""),
    ],
)
def test_dialect_is_told_by_the_version_field(told: object, dialect: str) -> None:
    assert dialect_of(told) == dialect


def test_something_else_is_refused_with_a_code() -> None:
    with pytest.raises(FormatError) as caught:
        decode_api({"hello": 1}, name="t")
    assert caught.value.code == "api.not-openapi"


@pytest.mark.proves("ATM-A-02")
def test_operation_is_named_by_its_id_or_by_method_and_path() -> None:
    api = decode_api(
        document({"/users/{id}": {"get": {"operationId": "getUser"}, "delete": {}}}), name="t"
    )
    assert [(operation.name, operation.original) for operation in api.operations] == [
        ("get_user", "getUser"),
        ("delete_users_id", "delete_/users/{id}"),
    ]


def test_equal_names_are_told_apart() -> None:
    api = decode_api(
        document(
            {
                "/a": {"get": {"operationId": "do-it"}, "post": {"operationId": "doIt"}},
                "/b": {"get": {"operationId": "do_it"}},
            }
        ),
        name="t",
    )
    assert [operation.name for operation in api.operations] == ["do_it", "do_it_post", "do_it_get"]


def test_parameters_of_the_operation_replace_those_of_the_path() -> None:
    operation = only(
        {
            "/a": {
                "parameters": [
                    {"name": "x", "in": "query", "schema": {"type": "string"}},
                    {"name": "y", "in": "query", "schema": {"type": "string"}},
                ],
                "get": {
                    "parameters": [
                        {
                            "name": "x",
                            "in": "query",
                            "required": True,
                            "schema": {"type": "integer"},
                        }
                    ]
                },
            }
        }
    )
    assert [
        (parameter.name, parameter.required, parameter.schema) for parameter in operation.parameters
    ] == [
        ("x", True, {"type": "integer"}),
        ("y", False, {"type": "string"}),
    ]


def test_one_name_in_two_places_becomes_two_arguments() -> None:
    operation = only(
        {
            "/a/{id}": {
                "get": {
                    "parameters": [
                        {"name": "id", "in": "path", "schema": {}},
                        {"name": "id", "in": "query", "schema": {}},
                    ]
                }
            }
        }
    )
    assert [(parameter.argument, parameter.place) for parameter in operation.parameters] == [
        ("id", "path"),
        ("id_query", "query"),
    ]


def test_path_parameter_that_nobody_declared_is_added() -> None:
    operation = only({"/a/{key}": {"get": {}}})
    assert [
        (parameter.name, parameter.place, parameter.required) for parameter in operation.parameters
    ] == [("key", "path", True)]


@pytest.mark.parametrize(
    ("place", "style", "explode"),
    [("path", "simple", False), ("query", "form", True), ("header", "simple", False), ("cookie", "form", True)],
)  # fmt: skip
def test_styles_default_by_place(place: str, style: str, explode: bool) -> None:
    operation = only(
        {"/a/{x}": {"get": {"parameters": [{"name": "x", "in": place, "schema": {}}]}}}
    )
    found = next(parameter for parameter in operation.parameters if parameter.place == place)
    assert (found.style, found.explode) == (style, explode)


def test_headers_that_the_request_decides_are_no_parameters() -> None:
    operation = only(
        {"/a": {"get": {"parameters": [{"name": "Authorization", "in": "header", "schema": {}}]}}}
    )
    assert operation.parameters == ()


def test_references_are_followed_and_circles_end() -> None:
    api = decode_api(
        document(
            {
                "/a": {
                    "get": {
                        "parameters": [{"$ref": "#/components/parameters/P"}],
                        "requestBody": {"$ref": "#/components/requestBodies/Loop"},
                    }
                }
            },
            components={
                "parameters": {"P": {"name": "p", "in": "query", "schema": {"type": "string"}}},
                "requestBodies": {"Loop": {"$ref": "#/components/requestBodies/Loop"}},
            },
        ),
        name="t",
    )
    assert [parameter.name for parameter in api.operations[0].parameters] == ["p"]
    assert api.operations[0].body is None
    assert api.lost == ("get /a: a `$ref` refers to itself",)


@pytest.mark.parametrize("reference", ["file:///etc/passwd", "https://example.org/x.json", "other.json#/a"])  # fmt: skip
def test_reference_outside_the_document_is_not_followed(reference: str) -> None:
    api = decode_api(document({"/a": {"get": {"parameters": [{"$ref": reference}]}}}), name="t")
    assert api.operations[0].parameters == ()
    assert "points outside" in api.lost[0]


def test_recursive_schema_is_complete_and_finite() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    api = decode_api(
        document(
            {
                "/a": {
                    "post": {
                        "requestBody": {
                            "content": {
                                "application/json": {
                                    "schema": {"$ref": "#/components/schemas/Node"}
                                }
                            }
                        }
                    }
                }
            },
            components={"schemas": {"Node": node}},
        ),
        name="t",
    )
    schema = schemas_of(api).input_of(api.operations[0])
    assert schema["$defs"] == {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    }
    assert schema["properties"]["body"] == {"$ref": "#/$defs/Node"}


def test_nullable_and_boolean_bounds_become_modern_json_schema() -> None:
    operation = document(
        {
            "/a": {
                "get": {
                    "parameters": [
                        {
                            "name": "n",
                            "in": "query",
                            "schema": {
                                "type": "integer",
                                "minimum": 1,
                                "exclusiveMinimum": True,
                                "nullable": True,
                            },
                        }
                    ]
                }
            }
        }
    )
    api = decode_api(operation, name="t")
    schema = schemas_of(api).input_of(api.operations[0])
    assert schema["properties"]["n"] == {"type": ["integer", "null"], "exclusiveMinimum": 1}


def test_json_is_preferred_among_media_types() -> None:
    operation = only(
        {
            "/a": {
                "post": {
                    "requestBody": {
                        "content": {
                            "text/xml": {},
                            "application/vnd.x+json": {},
                            "application/json": {},
                        }
                    }
                }
            }
        }
    )
    assert operation.body.media_type == "application/json"
    assert operation.body.other_media_types == ("text/xml", "application/vnd.x+json")


def test_swagger_body_form_and_collection_formats() -> None:
    api = decode_api(
        {
            "swagger": "2.0",
            "host": "api.example.org",
            "basePath": "/v1",
            "schemes": ["http", "https"],
            "consumes": ["application/json"],
            "paths": {
                "/b": {
                    "post": {
                        "parameters": [
                            {"name": "thing", "in": "body", "required": True, "schema": {"type": "object"}},
                            {"name": "ids", "in": "query", "type": "array", "collectionFormat": "pipes",
                             "items": {"type": "string"}},
                        ]
                    }
                },
                "/f": {
                    "post": {
                        "consumes": ["multipart/form-data"],
                        "parameters": [
                            {"name": "file", "in": "formData", "type": "file", "required": True},
                            {"name": "note", "in": "formData", "type": "string"},
                        ],
                    }
                },
            },
        },
        name="t",
    )  # fmt: skip
    body, form = api.operations
    assert api.servers == ("https://api.example.org/v1", "http://api.example.org/v1")
    assert (body.body.argument, body.body.required) == ("thing", True)  # type: ignore[union-attr]
    assert [
        (parameter.name, parameter.style, parameter.explode) for parameter in body.parameters
    ] == [("ids", "pipeDelimited", False)]
    assert form.body.media_type == "multipart/form-data"  # type: ignore[union-attr]
    assert form.body.schema["required"] == ["file"]  # type: ignore[union-attr]


@pytest.mark.proves("ATM-9-03", "ATM-9-07")
def test_security_schemes_are_named_as_atm_names_them() -> None:
    schemes = {
        "a": {"type": "http", "scheme": "bearer"},
        "b": {"type": "http", "scheme": "basic"},
        "c": {"type": "apiKey", "in": "query", "name": "key"},
        "d": {"type": "oauth2", "flows": {"x": {"scopes": {"read": "r"}}}},
        "e": {"type": "http", "scheme": "digest"},
    }
    api = decode_api(document({}, components={"securitySchemes": schemes}), name="t")
    assert [(scheme.name, scheme.type) for scheme in api.schemes] == [
        ("a", "bearer"), ("b", "basic"), ("c", "apiKey"), ("d", "oauth2"), ("e", "custom"),
    ]  # fmt: skip
    assert api.schemes[3].scopes == ("read",)


def test_server_variables_get_their_defaults() -> None:
    api = decode_api(
        document({}, servers=[{"url": "https://{host}/v1/", "variables": {"host": {"default": "h.example"}}}]),
        name="t",
    )  # fmt: skip
    assert api.servers == ("https://h.example/v1",)
