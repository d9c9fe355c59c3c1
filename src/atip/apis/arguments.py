"""Arguments of a call, from a wrapper or a command line, as plain values of the input schema.

Validated before anything is sent (ATM §16.2); errors have a path and a suggestion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from atip.errors import UsageError
from atip.model.shapes.json_schema import SchemaError, compile_schema, schema_problems
from atip.model.shapes.shape import closest

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NODES = 200_000
"""An input schema includes its shared parts, so it may be larger than one of a command line."""


class Unset:
    """The type of UNSET: "not given", which is not the same as null."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()


def to_wire(value: Any) -> Any:
    """Dataclasses of generated wrappers as dictionaries with the names of the wire; UNSET left out."""
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        pairs = ((field, getattr(value, name)) for name, field in fields.items())
        return {
            item.metadata.get("name", item.name): to_wire(field_value)
            for item, field_value in pairs
            if field_value is not UNSET
        }
    if isinstance(value, dict):
        return {key: to_wire(item) for key, item in value.items() if item is not UNSET}
    if isinstance(value, (list, tuple)):
        return [to_wire(item) for item in value]
    return value


def to_schema_types(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Convert texts of a command line to the types of the schema; `:=` values are already typed."""
    properties = schema.get("properties", {})
    return {key: _to_type(properties.get(key), value) for key, value in arguments.items()}


def _to_type(schema: Any, value: Any) -> Any:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    types = {kinds} if isinstance(kinds, str) else set(kinds or ())
    if isinstance(value, list):
        inner = schema.get("items") if isinstance(schema, dict) else None
        return [_to_type(inner, item) for item in value]
    if not isinstance(value, str) or "string" in types:
        return value
    if "array" in types:
        inner = schema.get("items")
        return [_to_type(inner, value)]
    if types & {"integer", "number", "boolean", "null"}:
        import json

        try:
            parsed = json.loads(value)
        except ValueError:
            return value
        return parsed if not isinstance(parsed, (dict, list)) else value
    return value


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """
    Raises:
        UsageError: `api.unknown-argument`, `api.invalid-argument` with everything that is wrong.
    """
    properties = schema.get("properties", {})
    for name in arguments:
        if name not in properties:
            close = closest(name, properties)
            raise UsageError(
                "api.unknown-argument",
                f"unknown argument `{name}`",
                hint=f"did you mean `{close}`?" if close else "arguments: " + ", ".join(properties),
            )
    problems = schema_problems(_checker(schema), dict(arguments))
    if problems:
        problem_list = [{"path": list(path), "message": message} for path, message in problems]
        first = ".".join(map(str, problems[0][0]))
        raise UsageError(
            "api.invalid-argument",
            f"`{first}`: {problems[0][1]}" if first else problems[0][1],
            details={"problems": problem_list},
        )


def output_problems(schema: Mapping[str, Any] | None, data: Any) -> list[dict[str, Any]]:
    """Differences between an answer and its schema. Reported, never fatal: servers change before their descriptions."""
    if not schema or data is None:
        return []
    problems = schema_problems(_checker(schema), data)
    return [{"path": list(path), "message": message} for path, message in problems]


def _checker(schema: Mapping[str, Any]) -> Any:
    """A compiled schema; patterns that the linear-time engine refuses (look-around) are left to the server."""
    try:
        return compile_schema(schema, max_nodes=MAX_NODES)
    except SchemaError as error:
        if error.code != "schema.invalid":
            raise
    return compile_schema(_without_patterns(schema), max_nodes=MAX_NODES)


def _without_patterns(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: _without_patterns(value)
            for key, value in node.items()
            if not (key == "pattern" and isinstance(value, str))
        }
    return [_without_patterns(item) for item in node] if isinstance(node, list) else node
