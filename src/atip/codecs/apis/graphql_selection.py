"""The selection set of a GraphQL document, and JSON Schemas of its inputs and of its result.

Bounded: depth of objects, fields of one object, fields in all. Cost grows with lists inside lists, so a list below a list
selects scalars only. Interfaces and unions select `__typename` and what all their members share.
"""

from __future__ import annotations

from typing import Any

from atip.model.value import Value

MAX_FIELDS = 40
MAX_TOTAL = 160
_SCALARS: dict[str, dict[str, Any]] = {
    "Int": {"type": "integer"},
    "Float": {"type": "number"},
    "Boolean": {"type": "boolean"},
    "String": {"type": "string"},
    "ID": {"type": "string"},
}


class SelectionSet(Value):
    """A selection set as text (empty for scalars), and the schema of what it yields."""

    text: str
    schema: dict[str, Any]


class Selection:
    """Builds one selection set; counts what it has selected so far."""

    def __init__(self, *, depth: int) -> None:
        self._depth = depth
        self._left = MAX_TOTAL

    def of(self, kind: Any) -> SelectionSet:
        """The selection for a field of that type."""
        return self._select(kind, 0, 0)

    def _select(self, kind: Any, level: int, lists: int) -> SelectionSet:
        import graphql

        if graphql.is_non_null_type(kind):
            inner = self._select(kind.of_type, level, lists)
            return inner.replace(schema=_without_null(inner.schema))
        if graphql.is_list_type(kind):
            inner = self._select(kind.of_type, level, lists + 1)
            return inner.replace(schema={"type": ["array", "null"], "items": inner.schema})
        if graphql.is_leaf_type(kind):
            return SelectionSet(text="", schema=_or_null(_leaf(kind)))
        return self._object(kind, level, lists)

    def _object(self, kind: Any, level: int, lists: int) -> SelectionSet:
        import graphql

        abstract = graphql.is_abstract_type(kind)
        selected = ["__typename"] if abstract else []
        properties: dict[str, Any] = {"__typename": {"type": "string"}} if abstract else {}
        for name, field in _scalars_first({} if graphql.is_union_type(kind) else kind.fields):
            if self._left <= 0 or len(selected) >= MAX_FIELDS:
                break
            if any(graphql.is_required_argument(argument) for argument in field.args.values()):
                continue
            leaf = graphql.is_leaf_type(graphql.get_named_type(field.type))
            if not leaf and (level + 1 >= self._depth or lists > 1):
                continue
            self._left -= 1
            inner = self._select(field.type, level + (0 if leaf else 1), lists)
            if not leaf and not inner.text:
                continue
            selected.append(f"{name} {inner.text}" if inner.text else name)
            properties[name] = inner.schema
        if not selected:
            # An object must select something, and every type has a name.
            selected, properties = ["__typename"], {"__typename": {"type": "string"}}
        schema = {"type": ["object", "null"], "properties": properties}
        return SelectionSet(text="{ " + " ".join(selected) + " }", schema=schema)


def _scalars_first(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    """Scalars before objects: when the number is limited, the facts of the object itself come first."""
    import graphql

    def is_object(pair: tuple[str, Any]) -> bool:
        return not graphql.is_leaf_type(graphql.get_named_type(pair[1].type))

    return sorted(fields.items(), key=is_object)


def input_schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of an input type; input objects and enums become definitions, each once."""
    import graphql

    if graphql.is_non_null_type(kind):
        return _without_null(input_schema(kind.of_type, definitions))
    if graphql.is_list_type(kind):
        return {"type": ["array", "null"], "items": input_schema(kind.of_type, definitions)}
    if graphql.is_input_object_type(kind):
        return {"anyOf": [{"$ref": _input_object(kind, definitions)}, {"type": "null"}]}
    return _or_null(_leaf(kind))


def _input_object(kind: Any, definitions: dict[str, Any]) -> str:
    import graphql

    reference = f"#/$defs/{kind.name}"
    if reference in definitions:
        return reference
    schema: dict[str, Any] = {"type": "object"}
    definitions[reference] = schema  # before its fields: an input may contain itself
    schema["properties"] = {
        name: _describe(input_schema(field.type, definitions), field.description)
        for name, field in kind.fields.items()
    }
    required = [
        name for name, field in kind.fields.items() if graphql.is_required_input_field(field)
    ]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return reference


def _leaf(kind: Any) -> dict[str, Any]:
    import graphql

    if graphql.is_enum_type(kind):
        return {"type": "string", "enum": list(kind.values)}
    # A custom scalar may be any JSON value; its name is the only hint.
    return dict(_SCALARS.get(kind.name, {"description": kind.name}))


def _describe(schema: dict[str, Any], text: str | None) -> dict[str, Any]:
    return {**schema, "description": text} if text else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    if not isinstance(kind, str):
        return schema
    widened = {**schema, "type": [kind, "null"]}
    if "enum" in widened:
        widened["enum"] = [*widened["enum"], None]
    return widened


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return dict(schema["anyOf"][0])
    kind = schema.get("type")
    if not isinstance(kind, list):
        return schema
    narrowed = {**schema, "type": kind[0]}
    if "enum" in narrowed:
        narrowed["enum"] = [value for value in narrowed["enum"] if value is not None]
    return narrowed
