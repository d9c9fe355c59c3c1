"""Shapes → JSON Schema 2020-12. The schemas we publish are generated here, never written by hand."""

from __future__ import annotations

from typing import Any

from atip.model.reading.documents import SHAPES
from atip.model.shapes.shape import Anything, Either, Integer, Items, Shape, Table, Text

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://atip.dev/schema/"
_PLAIN = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
}


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one kind of document; `0.6` and `0.1` are metadata of that protocol (§12.1)."""
    if name == "0.6":
        return {**schema_of("metadata"), "$id": f"{BASE}0.6.json"}
    if name == "0.1":
        schema = schema_of("metadata")
        schema["$id"] = f"{BASE}0.1.json"
        schema["title"] = "tool (ATIP 0.1)"
        schema["properties"]["atip"] = {"const": "0.1"}
        return schema
    shape = SHAPES[name]
    definitions: dict[str, Any] = {}
    body = _record(shape, definitions)
    if name == "shim":
        body["required"] = ["atip", "binary"]
    return {
        "$schema": DIALECT,
        "$id": f"{BASE}{name}.json",
        "title": shape.name,
        "description": shape.doc,
        **body,
        "$defs": definitions,
    }


def names() -> tuple[str, ...]:
    """Everything `atip schema` can print."""
    return ("0.6", "0.1", *SHAPES)


def _record(shape: Shape, definitions: dict[str, Any]) -> dict[str, Any]:
    properties = {}
    for key, field in shape.fields.items():
        inner = _kind(field.kind, definitions)
        if field.doc and "$ref" not in inner:
            inner["description"] = field.doc
        properties[key] = inner
    body: dict[str, Any] = {"type": "object", "properties": properties}
    required = [key for key, field in shape.fields.items() if field.required]
    if required:
        body["required"] = required
    if shape.closed:
        body["additionalProperties"] = False
        body["patternProperties"] = {"^(x-|_|\\$)": {}}
    return body


def _kind(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kind, type):
        return {} if kind is type(None) else {"type": _PLAIN[kind]}
    if isinstance(kind, Shape):
        slug = kind.name.replace(" ", "-")
        if slug not in definitions:
            definitions[slug] = {}
            definitions[slug] = {"description": kind.doc, **_record(kind, definitions)}
        return {"$ref": f"#/$defs/{slug}"}
    if isinstance(kind, Text):
        return _text(kind)
    if isinstance(kind, Integer):
        return _integer(kind)
    if isinstance(kind, Items):
        schema: dict[str, Any] = {"type": "array", "items": _kind(kind.kind, definitions)}
        return {**schema, "minItems": kind.minimum} if kind.minimum else schema
    if isinstance(kind, Table):
        return {"type": "object", "additionalProperties": _kind(kind.kind, definitions)}
    if isinstance(kind, Either):
        return {
            "anyOf": [
                _branch(json_type, inner, definitions) for json_type, inner in kind.by_type.items()
            ]
        }
    assert isinstance(kind, Anything)
    return {}


def _branch(json_type: type, inner: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if json_type is type(None):
        return {"type": "null"}
    schema = _kind(inner, definitions)
    return schema if schema else {"type": _PLAIN[json_type]}


def _text(kind: Text) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if kind.choices is not None:
        schema["enum"] = list(kind.choices)
    if kind.pattern is not None:
        schema["pattern"] = kind.pattern
    if kind.max_length is not None:
        schema["maxLength"] = kind.max_length
    return schema


def _integer(kind: Integer) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    if kind.minimum is not None:
        schema["minimum"] = kind.minimum
    if kind.maximum is not None:
        schema["maximum"] = kind.maximum
    return schema
