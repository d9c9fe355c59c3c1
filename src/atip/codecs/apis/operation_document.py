"""Operations on disk: one line of JSON for the Api, one for each operation, one for each shared schema.

What `api sync` writes beside the wrappers and `api call` reads: an operation with its schemas, found by a search for its
name, so that nothing needs the original document, however large. The key comes first in every line.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from atip.model.operation import Api, AuthScheme, Body, Operation, Parameter
from atip.model.reading.decode import decode_effects
from atip.model.reading.encode import encode_effects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.codecs.apis.operation_schema import Schemas
    from atip.model.value import Value

FORMAT = 1
_PLAIN = (
    *(
        "name", "original", "summary", "description", "output_media_type", "method", "path", "server",
    ),
    *("statement", "category", "deprecated"),
)  # fmt: skip


_REFERENCE = re.compile(rb'"#/\$defs/([^"]+)"')


def encode_api(api: Api, schemas: Schemas) -> bytes:
    """Encode the whole file."""
    references: list[str] = []
    lines = [line_of(encode_header(api))]
    lines += [
        line_of(encode_operation(operation, schemas, references)) for operation in api.operations
    ]
    shared = schemas.parts(references)
    lines += [line_of({"part": name, "schema": schema}) for name, schema in shared.items()]
    return b"".join(lines)


def encode_operation(
    operation: Operation, schemas: Schemas, references: list[str]
) -> dict[str, Any]:
    """Encode one operation with everything that a call needs, except shared schemas; adds these to `references`."""
    document = {key: getattr(operation, key) for key in _PLAIN if getattr(operation, key)}
    if operation.parameters:
        document["parameters"] = [
            _encode(parameter, skip="schema") for parameter in operation.parameters
        ]
    if operation.body is not None:
        document["body"] = _encode(operation.body, skip="schema")
    if operation.security:
        document["security"] = [list(requirement) for requirement in operation.security]
    effects = encode_effects(operation.effects)
    if effects:
        document["effects"] = effects
    if operation.extra:
        document["extra"] = dict(operation.extra)
    document["inputSchema"] = schemas.open_input(operation, references)
    if operation.output is not None:
        document["outputSchema"] = schemas.open_output(operation, references)
    return document


def read_line(data: bytes, name: str) -> dict[str, Any] | None:
    """One operation of a file, its schemas completed with the parts they reach."""
    line = find_line(data, name)
    if line is None:
        return None
    document: dict[str, Any] = json.loads(line)
    for key in ("inputSchema", "outputSchema"):
        if key in document and isinstance(document[key], dict):
            shared = reached_parts(data, json.dumps(document[key], ensure_ascii=False).encode())
            if shared:
                document[key]["$defs"] = shared
    return document


def reached_parts(data: bytes, text: bytes, limit: int = 400) -> dict[str, Any]:
    """Shared schemas that a text refers to, directly and indirectly; parts beyond the limit accept any value."""
    parts: dict[str, Any] = {}
    queue = list(dict.fromkeys(_REFERENCE.findall(text)))
    for name in queue:
        key = name.decode()
        if key in parts:
            continue
        line = None if len(parts) >= limit else find_line(data, key, "part")
        parts[key] = True if line is None else json.loads(line)["schema"]
        if line is not None:
            queue += [
                reference
                for reference in _REFERENCE.findall(line)
                if reference.decode() not in parts
            ]
    return parts


def decode_operation(document: Mapping[str, Any]) -> Operation:
    """The operation of a line. Parameters get their schema back from the input schema."""
    schema = document["inputSchema"]
    properties, shared = schema.get("properties", {}), schema.get("$defs")

    def schema_of(argument: str) -> Mapping[str, Any]:
        property_schema = properties.get(argument, {})
        return (
            {**property_schema, "$defs": shared}
            if shared and "$ref" in json.dumps(property_schema)
            else property_schema
        )

    body = document.get("body")
    return Operation(
        **{key: document[key] for key in _PLAIN if key in document},
        parameters=tuple(
            Parameter(**parameter, schema=schema_of(parameter["argument"]))
            for parameter in document.get("parameters", ())
        ),
        body=None
        if body is None
        else Body(
            **{**body, "other_media_types": tuple(body.get("other_media_types", ()))},
            schema=schema_of(body["argument"]),
        ),
        security=tuple(tuple(requirement) for requirement in document.get("security", ())),
        effects=decode_effects(document.get("effects", {})),
        output=document.get("outputSchema"),
        extra=document.get("extra", {}),
    )


def encode_header(api: Api) -> dict[str, Any]:
    """The Api without its operations."""
    return {
        "api": api.name,
        "format": FORMAT,
        "kind": api.kind,
        "title": api.title,
        "description": api.description,
        "version": api.version,
        "servers": list(api.servers),
        "schemes": [_encode(scheme) for scheme in api.schemes],
    }


def decode_header(document: Mapping[str, Any], operations: Iterable[Operation] = ()) -> Api:
    """An Api from its line; schemas of operations read from disk are complete already."""
    schemes = tuple(
        AuthScheme(**{**scheme, "scopes": tuple(scheme.get("scopes", ()))})
        for scheme in document.get("schemes", ())
    )
    return Api(
        name=document["api"],
        kind=document["kind"],
        title=document.get("title", ""),
        description=document.get("description", ""),
        version=document.get("version", ""),
        servers=tuple(document.get("servers", ())),
        schemes=schemes,
        operations=tuple(operations),
    )


def line_of(document: Mapping[str, Any]) -> bytes:
    """A line of the file."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def find_line(data: bytes, name: str, key: str = "name") -> bytes | None:
    """The line of one operation, or of one shared part, without reading the others."""
    prefix = f'\n{{"{key}":{json.dumps(name, ensure_ascii=False)}'
    start = data.find(prefix.encode())
    if start < 0:
        return None
    end = data.find(b"\n", start + 1)
    return data[start + 1 : end if end >= 0 else len(data)]


def _encode(value: Value, skip: str = "") -> dict[str, Any]:
    """Fields that differ from their defaults; tuples as lists."""
    cls: Any = type(value)
    encoded = {}
    for field in cls._fields:
        item = getattr(value, field)
        if field == skip or (field in cls._defaults and item == cls._defaults[field]):
            continue
        encoded[field] = list(item) if isinstance(item, tuple) else item
    return encoded
