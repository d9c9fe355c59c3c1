"""Schemas of operations, complete and in one dialect: JSON Schema 2020-12 with `$defs`, nothing to look up.

API documents write schemas in three dialects and share parts by reference. `Schemas` rewrites what an operation
needs – OpenAPI 3.0's `nullable` and boolean bounds, Swagger's `file` – converting each shared part once,
and bounds how many parts one schema may bring along (large APIs refer to everything from anywhere).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.apis.openapi_refs import ReferenceProblem
from atip.model.text.identifiers import camel, slug, unique

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Api, Operation

MAX_PARTS = 400
"""Shared parts that one schema may bring; further parts accept any value."""

_CHILDREN = ("items", "not", "additionalProperties", "if", "then", "else", "contains")
_CHILD_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_CHILD_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_DROPPED = frozenset(
    {
        "examples", "nullable", "xml", "externalDocs", "discriminator", "example", "collectionFormat", "$schema",
        "id",
    }
)  # fmt: skip


_NUMBERS = (int, float)
_FORMS: dict[str, tuple[type, ...]] = {
    "type": (str, list),
    "enum": (list,),
    "required": (list, bool),
    "properties": (dict,),
    "patternProperties": (dict,),
    "items": (dict, bool),
    "allOf": (list,),
    "anyOf": (list,),
    "oneOf": (list,),
    "prefixItems": (list,),
    "not": (dict, bool),
    "additionalProperties": (dict, bool),
    "pattern": (str,),
    "format": (str,),
    "title": (str,),
    "description": (str,),
    "minimum": _NUMBERS,
    "maximum": _NUMBERS,
    "exclusiveMinimum": (int, float, bool),
    "exclusiveMaximum": (int, float, bool),
    "multipleOf": _NUMBERS,
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), (int,)
    ),
    "uniqueItems": (bool,),
    "deprecated": (bool,),
    "readOnly": (bool,),
    "writeOnly": (bool,),
}
"""Required type of a keyword's value. Public documents contain errors, and one error must not lose an operation."""


def _fits(key: str, value: object) -> bool:
    types = _FORMS.get(key)
    if types is None:
        return True
    if not isinstance(value, types) or (
        value == [] and key in {"enum", "type", "allOf", "anyOf", "oneOf"}
    ):
        return False
    return not isinstance(value, bool) or bool in types


class Schemas:
    """The schemas of one Api, each shared part converted once."""

    def __init__(
        self, definitions: Mapping[str, Any], dialect: str, names: Mapping[str, str] | None = None
    ) -> None:
        """
        Args:
            names: names that shared parts had before, so that a part read later keeps its name.
        """
        self._definitions = definitions
        self._old = dialect in {"swagger-2.0", "openapi-3.0"}
        self._names: dict[str, str] = dict(names or {})
        self._taken: set[str] = set(self._names.values())
        self._parts: dict[str, tuple[Any, tuple[str, ...]]] = {}

    @property
    def names(self) -> Mapping[str, str]:
        """Reference → name, of every shared part met so far."""
        return self._names

    def complete(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """`schema` with every reference resolved by its own `$defs`."""
        references: list[str] = []
        converted: dict[str, Any] = self._convert(schema, references)
        if not references:
            return converted
        return {**converted, "$defs": self._reach(references)}

    def open_output(self, operation: Operation, references: list[str]) -> Any:
        """The schema of the answer without its shared parts; what it refers to is added to `references`."""
        return None if operation.output is None else self._convert(operation.output, references)

    def parts(self, references: list[str]) -> dict[str, Any]:
        """Every shared part that `references` reach, without a limit: for a file that holds each part once."""
        return self._reach(references, limit=None)

    def input_of(self, operation: Operation) -> dict[str, Any]:
        """Input schema: an object with a property for each parameter and one for the body."""
        references: list[str] = []
        schema = self.open_input(operation, references)
        if references:
            schema["$defs"] = self._reach(references)
        return schema

    def open_input(self, operation: Operation, references: list[str]) -> dict[str, Any]:
        """The input schema without its shared parts; what it refers to is added to `references`."""
        properties: dict[str, Any] = {}
        required = []
        for parameter in operation.parameters:
            properties[parameter.argument] = self._describe(
                parameter.schema, parameter.description, references
            )
            if parameter.required:
                required.append(parameter.argument)
        if operation.body is not None:
            body = operation.body
            properties[body.argument] = self._describe(body.schema, body.description, references)
            if body.required:
                required.append(body.argument)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def _describe(self, schema: Mapping[str, Any], description: str, references: list[str]) -> Any:
        converted = self._convert(schema, references)
        if description and isinstance(converted, dict) and "description" not in converted:
            return {**converted, "description": description}
        return converted

    def _reach(self, references: list[str], limit: int | None = MAX_PARTS) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        queue = list(dict.fromkeys(references))
        for reference in queue:
            name = self._names[reference]
            if limit is not None and len(parts) >= limit:
                parts[name] = True
                continue
            part, inner_references = self._part(reference)
            parts[name] = part
            queue.extend(inner for inner in inner_references if self._names[inner] not in parts)
        return parts

    def _part(self, reference: str) -> tuple[Any, tuple[str, ...]]:
        entry = self._parts.get(reference)
        if entry is None:
            references: list[str] = []
            try:
                converted = self._convert(self._definitions[reference], references)
            except (ReferenceProblem, KeyError):
                converted = True
            entry = self._parts[reference] = (converted, tuple(dict.fromkeys(references)))
        return entry

    def _name(self, reference: str) -> str:
        name = self._names.get(reference)
        if name is None:
            last = camel(slug(reference.rsplit("/", 1)[-1], "Part", frozenset()))
            name = self._names[reference] = unique(last, self._taken)
        return name

    def _convert(self, schema: Any, references: list[str]) -> Any:
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = self._name(reference)
            references.append(reference)
            converted: dict[str, Any] = {"$ref": f"#/$defs/{name}"}
            if isinstance(schema.get("description"), str):
                converted["description"] = schema["description"]
            return converted
        converted = {
            key: value
            for key, value in schema.items()
            if key not in _DROPPED and not key.startswith("x-") and _fits(key, value)
        }
        for key in _CHILDREN:
            if isinstance(converted.get(key), dict):
                converted[key] = self._convert(converted[key], references)
        for key in _CHILD_LISTS:
            if isinstance(converted.get(key), list):
                converted[key] = [self._convert(item, references) for item in converted[key]]
        for key in _CHILD_MAPS:
            if isinstance(converted.get(key), dict):
                converted[key] = {
                    name: self._convert(item, references) for name, item in converted[key].items()
                }
        return _modern(converted, schema) if self._old else converted


def _modern(converted: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Rewrite keywords of OpenAPI 3.0 and Swagger 2 to 2020-12."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = converted.get(exclusive)
        if isinstance(flag, bool):
            del converted[exclusive]
            if flag and bound in converted:
                converted[exclusive] = converted.pop(bound)
    if converted.get("type") == "file":
        converted["type"] = "string"
    if isinstance(converted.get("required"), bool):
        del converted["required"]
    if schema.get("nullable") is True or schema.get("x-nullable") is True:
        return _or_null(converted)
    return converted


def _or_null(converted: dict[str, Any]) -> dict[str, Any]:
    kind = converted.get("type")
    if isinstance(kind, str):
        converted["type"] = [kind, "null"]
        if isinstance(converted.get("enum"), list) and None not in converted["enum"]:
            converted["enum"] = [*converted["enum"], None]
        return converted
    if any(key in converted for key in ("allOf", "anyOf", "oneOf", "enum")):
        description = converted.pop("description", None)
        wrapped: dict[str, Any] = {"anyOf": [converted, {"type": "null"}]}
        if description:
            wrapped["description"] = description
        return wrapped
    return converted


def schemas_of(api: Api) -> Schemas:
    """The schemas of an Api; one object serves all its operations."""
    return Schemas(api.definitions, api.dialect)
