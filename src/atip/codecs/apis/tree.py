"""An Api as a Tool: operations become commands, so that search, compile, policy and guard work on APIs as on CLIs.

The tree stays flat, because an operation's name is its identity everywhere else too (manifest, wrappers, `api call`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.apis.operation_schema import schemas_of
from atip.model.tool import (
    MISSING,
    Authentication,
    AuthenticationMethod,
    Command,
    Option,
    Protocol,
    Tool,
    Trust,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Api, Operation

_TYPES = frozenset({"string", "integer", "number", "boolean", "array"})
_METHODS = {"bearer": "token", "apiKey": "api-key", "oauth2": "oauth", "basic": "credentials"}
MAX_DESCRIPTION = 400


def tool_of(api: Api) -> Tool:
    """The tool that offers every operation of `api` as a command."""
    schemas = schemas_of(api)
    commands = {
        operation.name: command_of(operation, schemas.input_of(operation))
        for operation in api.operations
    }
    needs_login = any(
        operation.security and () not in operation.security for operation in api.operations
    )
    methods = tuple(
        AuthenticationMethod(
            type=_METHODS.get(scheme.type, scheme.type), description=scheme.description or None
        )
        for scheme in api.schemes
        if scheme.type != "none"
    )
    return Tool(
        name=api.name,
        version=api.version or "0",
        description=_line(api.description or api.title or f"{api.kind} API {api.name}"),
        protocol=Protocol(version="0.6"),
        trust=Trust(source="inferred"),
        commands=commands,
        authentication=Authentication(required=needs_login, methods=methods) if methods else None,
        extra={"x-atip": {"api": {"kind": api.kind, "source": api.name}}},
    )


def command_of(operation: Operation, schema: Mapping[str, Any]) -> Command:
    """One operation as a command whose options are its arguments."""
    required = frozenset(schema.get("required", ()))
    parts = schema.get("$defs")
    options = tuple(
        _option(name, property_schema, name in required, parts)
        for name, property_schema in schema["properties"].items()
    )
    return Command(
        description=_line(operation.summary or operation.description or operation.original),
        options=options or None,
        effects=operation.effects,
        deprecated=True if operation.deprecated else None,
    )


def _option(name: str, schema: Any, required: bool, parts: Mapping[str, Any] | None) -> Option:
    schema = schema if isinstance(schema, dict) else {}
    kind = schema.get("type")
    choices = schema.get("enum")
    self_contained = (
        {**schema, "$defs": _needed_parts(schema, parts)} if parts and _refers(schema) else schema
    )
    return Option(
        name=name,
        flags=(f"--{name.replace('_', '-')}",),
        type=kind if isinstance(kind, str) and kind in _TYPES else "string",
        description=_line(str(schema.get("description") or "")),
        required=True if required else None,
        default=schema.get("default", MISSING),
        enum=tuple(choices) if isinstance(choices, list) and choices else None,
        schema=self_contained or None,
    )


def _refers(node: object) -> bool:
    if isinstance(node, dict):
        return "$ref" in node or any(_refers(child) for child in node.values())
    return isinstance(node, list) and any(_refers(child) for child in node)


def _needed_parts(schema: object, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The shared parts that one parameter reaches."""
    reached: dict[str, Any] = {}
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            reference = node.get("$ref")
            name = reference.rsplit("/", 1)[-1] if isinstance(reference, str) else ""
            if name in parts and name not in reached:
                reached[name] = parts[name]
                stack.append(parts[name])
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return reached


def _line(text: str) -> str:
    """The first sentence or so of a text, on one line."""
    line = " ".join(text.split())
    if len(line) <= MAX_DESCRIPTION:
        return line
    return line[: MAX_DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
