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
"""Shared parts that one schema may bring; what lies beyond is left open (any value)."""

_CHILDREN = ("items", "not", "additionalProperties", "if", "then", "else", "contains")
_CHILD_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_CHILD_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_DROPPED = frozenset(
    {
        "examples",
        "nullable",
        "xml",
        "externalDocs",
        "discriminator",
        "example",
        "collectionFormat",
        "$schema",
        "id",
    }
)


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
"""What a keyword's value must be. Public documents get it wrong, and one wrong word must not cost an operation."""


def _fits(key: str, value: object) -> bool:
    wanted = _FORMS.get(key)
    if wanted is None:
        return True
    if not isinstance(value, wanted) or (
        value == [] and key in {"enum", "type", "allOf", "anyOf", "oneOf"}
    ):
        return False
    return not isinstance(value, bool) or bool in wanted


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
        """`schema` with every reference answered by its own `$defs`."""
        wanted: list[str] = []
        made: dict[str, Any] = self._convert(schema, wanted)
        if not wanted:
            return made
        return {**made, "$defs": self._reach(wanted)}

    def open_output(self, operation: Operation, wanted: list[str]) -> Any:
        """The schema of the answer without its shared parts; what it refers to is added to `wanted`."""
        return None if operation.output is None else self._convert(operation.output, wanted)

    def parts(self, wanted: list[str]) -> dict[str, Any]:
        """Every shared part that `wanted` reaches, without a limit: for a file that holds each once."""
        return self._reach(wanted, limit=None)

    def input_of(self, operation: Operation) -> dict[str, Any]:
        """What a caller gives: one object with a property for each parameter and one for the body."""
        wanted: list[str] = []
        made = self.open_input(operation, wanted)
        if wanted:
            made["$defs"] = self._reach(wanted)
        return made

    def open_input(self, operation: Operation, wanted: list[str]) -> dict[str, Any]:
        """The same without its shared parts."""
        properties: dict[str, Any] = {}
        required = []
        for each in operation.parameters:
            properties[each.argument] = self._described(each.schema, each.description, wanted)
            if each.required:
                required.append(each.argument)
        if operation.body is not None:
            body = operation.body
            properties[body.argument] = self._described(body.schema, body.description, wanted)
            if body.required:
                required.append(body.argument)
        made: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            made["required"] = required
        made["additionalProperties"] = False
        return made

    def _described(self, schema: Mapping[str, Any], told: str, wanted: list[str]) -> Any:
        made = self._convert(schema, wanted)
        if told and isinstance(made, dict) and "description" not in made:
            return {**made, "description": told}
        return made

    def _reach(self, wanted: list[str], limit: int | None = MAX_PARTS) -> dict[str, Any]:
        found: dict[str, Any] = {}
        queue = list(dict.fromkeys(wanted))
        for reference in queue:
            name = self._names[reference]
            if limit is not None and len(found) >= limit:
                found[name] = True
                continue
            part, further = self._part(reference)
            found[name] = part
            queue.extend(each for each in further if self._names[each] not in found)
        return found

    def _part(self, reference: str) -> tuple[Any, tuple[str, ...]]:
        known = self._parts.get(reference)
        if known is None:
            wanted: list[str] = []
            try:
                made = self._convert(self._definitions[reference], wanted)
            except (ReferenceProblem, KeyError):
                made = True
            known = self._parts[reference] = (made, tuple(dict.fromkeys(wanted)))
        return known

    def _name(self, reference: str) -> str:
        name = self._names.get(reference)
        if name is None:
            last = camel(slug(reference.rsplit("/", 1)[-1], "Part", frozenset()))
            name = self._names[reference] = unique(last, self._taken)
        return name

    def _convert(self, schema: Any, wanted: list[str]) -> Any:
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = self._name(reference)
            wanted.append(reference)
            made: dict[str, Any] = {"$ref": f"#/$defs/{name}"}
            if isinstance(schema.get("description"), str):
                made["description"] = schema["description"]
            return made
        made = {
            key: value
            for key, value in schema.items()
            if key not in _DROPPED and not key.startswith("x-") and _fits(key, value)
        }
        for key in _CHILDREN:
            if isinstance(made.get(key), dict):
                made[key] = self._convert(made[key], wanted)
        for key in _CHILD_LISTS:
            if isinstance(made.get(key), list):
                made[key] = [self._convert(each, wanted) for each in made[key]]
        for key in _CHILD_MAPS:
            if isinstance(made.get(key), dict):
                made[key] = {name: self._convert(each, wanted) for name, each in made[key].items()}
        return _modern(made, schema) if self._old else made


def _modern(made: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """OpenAPI 3.0 and Swagger 2 words in the words of 2020-12."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = made.get(exclusive)
        if isinstance(flag, bool):
            del made[exclusive]
            if flag and bound in made:
                made[exclusive] = made.pop(bound)
    if made.get("type") == "file":
        made["type"] = "string"
    if isinstance(made.get("required"), bool):
        del made["required"]
    if schema.get("nullable") is True or schema.get("x-nullable") is True:
        return _or_null(made)
    return made


def _or_null(made: dict[str, Any]) -> dict[str, Any]:
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    if any(key in made for key in ("allOf", "anyOf", "oneOf", "enum")):
        told = made.pop("description", None)
        wrapped: dict[str, Any] = {"anyOf": [made, {"type": "null"}]}
        if told:
            wrapped["description"] = told
        return wrapped
    return made


def schemas_of(api: Api) -> Schemas:
    """The schemas of an Api, ready to be asked for one operation after the other."""
    return Schemas(api.definitions, api.dialect)
