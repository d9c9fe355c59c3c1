"""Schema: the JSON Schema of a parameter and of a function, in the words of ATIP §3.7.

The full form, with formats, defaults and patterns: what MCP takes as it is and what the providers'
narrower dialects are made from (`codecs/providers/schema.py`). Implements ATIP 0.6 §3.7, A33, A34, A35.
"""

from __future__ import annotations

from atip.model.tool import MISSING, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from atip.calls.functions import Function
    from atip.model.tool import Argument

    Item = Argument | Option

FORMATS = {"file": "file-path", "directory": "directory-path", "url": "uri"}
JSON_TYPES = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "file": "string",
    "directory": "string",
    "url": "string",
    "enum": "string",
    "array": "array",
}


def is_list(item: Item) -> bool:
    """Whether the value is an array: variadic, or of type array without a schema that says otherwise."""
    if item.variadic:
        return True
    if item.type != "array":
        return False
    return item.schema is None or item.schema.get("type", "array") == "array"


def json_type(item: Item) -> str:
    """JSON type of one value of the parameter. An enum of numbers is typed by its values (A33)."""
    kind = JSON_TYPES.get(item.type, "string")
    if item.enum and kind == "string":
        return enum_type(item.enum)
    return kind


def enum_type(values: Sequence[object]) -> str:
    """`integer`, `number` or `string`; a mixture is `string`, its members in their JSON spelling."""
    if all(type(value) is int for value in values):
        return "integer"
    if all(type(value) in (int, float) for value in values):
        return "number"
    return "string"


def enum_values(item: Item) -> list[Any]:
    """Choices as a caller writes them; a mixture of types becomes text."""
    values = list(item.enum or ())
    if json_type(item) == "string":
        return [value if isinstance(value, str) else _spell(value) for value in values]
    return values


def parameter_schema(item: Item) -> dict[str, Any]:
    """JSON Schema of one parameter. A `schema` of the document wins; other fields complete it."""
    if item.schema is not None:
        schema: dict[str, Any] = dict(item.schema)
        if item.variadic and schema.get("type") != "array":
            schema = {"type": "array", "items": schema}
    elif is_list(item):
        schema = {"type": "array", "items": item_schema(item)}
    else:
        schema = item_schema(item)
    if item.description and "description" not in schema:
        schema["description"] = item.description
    if item.default is not MISSING and item.default is not None and "default" not in schema:
        schema["default"] = item.default
    if isinstance(item, Option) and item.deprecated:
        schema["deprecated"] = True
    return schema


def item_schema(item: Item) -> dict[str, Any]:
    """JSON Schema of one value; for a list, of one of its items (strings by default, A34)."""
    if item.type == "array":
        items = item.extra.get("items")
        if isinstance(items, dict):
            return dict(items)
        return {"type": "string", "enum": enum_values(item)} if item.enum else {"type": "string"}
    schema: dict[str, Any] = {"type": json_type(item)}
    if item.type in FORMATS:
        schema["format"] = FORMATS[item.type]
    if item.enum:
        schema["enum"] = enum_values(item)
    if item.pattern:
        schema["pattern"] = item.pattern
    return schema


def function_schema(function: Function) -> dict[str, Any]:
    """JSON Schema of the arguments object."""
    properties = {key: parameter_schema(item) for key, item in function.parameters.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key, item in function.parameters.items() if item.is_required],
        "additionalProperties": False,
    }


def _spell(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)
