"""Type tree: a JSON Schema as types that any typed language can express.

One tree for Python and TypeScript. Bounded in depth and in the number of records, because an agent reads the
result: anything deeper is "any". Names are slugs; a text of the document is never part of a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.text.identifiers import ARGUMENTS, camel, slug, unique
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 6
MAX_RECORDS = 60
MAX_LITERALS = 40
FIELDS = ARGUMENTS | frozenset({"str", "int", "float", "bool", "list", "dict", "bytes", "type"})
"""Names that a field may not have, because annotations use them."""


class Kind(Value):
    """A type. `kind`: any string integer number boolean null list map record literal union."""

    kind: str
    items: tuple[Kind, ...] = ()
    """Of a list or map its element, of a union its members."""
    record: str = ""
    values: tuple[object, ...] = ()
    """Of a literal."""


class RecordField(Value):
    """One field of a record."""

    name: str
    wire: str
    kind: Kind
    required: bool
    description: str = ""


class Record(Value):
    """An object with known fields."""

    name: str
    fields: tuple[RecordField, ...] = ()
    description: str = ""


ANY = Kind(kind="any")
_SCALARS = {name: Kind(kind=name) for name in ("string", "integer", "number", "boolean", "null")}


class TypeTree:
    """Reads schemas; collects the records they need, in the order in which they are met."""

    def __init__(
        self, parts: Mapping[str, Any], *, used_names: set[str], max_depth: int = MAX_DEPTH
    ) -> None:
        self.records: list[Record] = []
        self._parts = parts
        self._used_names = used_names
        self._max_depth = max_depth
        self._by_reference: dict[str, Kind] = {}
        self._count = 0

    def read(self, schema: Any, name: str, depth: int = 0) -> Kind:
        """The type of `schema`; `name`: the name of a record created for it."""
        if not isinstance(schema, dict) or depth > self._max_depth:
            return ANY
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._read_shared(reference, depth)
        for key in ("oneOf", "anyOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                members = [
                    self.read(member, f"{name}_{index + 1}", depth + 1)
                    for index, member in enumerate(schema[key])
                ]
                return union(members)
        if isinstance(schema.get("allOf"), list) and schema["allOf"]:
            return self._read_all_of(schema, name, depth)
        if "const" in schema:
            return _literal([schema["const"]])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return _literal(schema["enum"])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return union([self._read_typed(schema, str(kind), name, depth) for kind in kinds])
        return self._read_typed(schema, kinds if isinstance(kinds, str) else "", name, depth)

    def _read_typed(self, schema: Mapping[str, Any], kind: str, name: str, depth: int) -> Kind:
        if kind in _SCALARS:
            return _SCALARS[kind]
        if kind == "array" or (not kind and "items" in schema):
            return Kind(
                kind="list", items=(self.read(schema.get("items"), f"{name}_item", depth + 1),)
            )
        if isinstance(schema.get("properties"), dict) and schema["properties"]:
            return self._record(schema, schema["properties"], name, depth)
        if kind == "object":
            beyond = schema.get("additionalProperties")
            inner = self.read(beyond, f"{name}_value", depth + 1) if beyond else ANY
            return Kind(kind="map", items=(inner,))
        return ANY

    def _read_shared(self, reference: str, depth: int) -> Kind:
        cached = self._by_reference.get(reference)
        if cached is not None:
            return cached
        part = self._parts.get(reference.rsplit("/", 1)[-1])
        if part is None:
            return ANY
        # A part that contains itself meets its own name while it is being read.
        name = unique(
            camel(slug(reference.rsplit("/", 1)[-1], "part", frozenset())), self._used_names
        )
        self._by_reference[reference] = Kind(kind="record", record=name)
        kind = self._read_part(part, name, depth)
        if kind.record != name:
            self._by_reference[reference] = kind
            self._used_names.discard(name)
        return kind

    def _read_part(self, part: Any, name: str, depth: int) -> Kind:
        if isinstance(part, dict) and "$ref" not in part:
            fields = _merge(part, self._parts)
            if fields is not None and self._count < MAX_RECORDS and depth < self._max_depth:
                return self._write(name, fields[0], fields[1], part, depth)
        # Only records have names: a cycle through other parts ends as "any".
        return self.read(part, name, depth + 1)

    def _read_all_of(self, schema: Mapping[str, Any], name: str, depth: int) -> Kind:
        fields = _merge(schema, self._parts)
        if fields is None:
            return (
                self.read(schema["allOf"][0], name, depth + 1) if len(schema["allOf"]) == 1 else ANY
            )
        return self._record({**schema, "required": fields[1]}, fields[0], name, depth)

    def _record(
        self, schema: Mapping[str, Any], properties: Mapping[str, Any], name: str, depth: int
    ) -> Kind:
        if self._count >= MAX_RECORDS or depth >= self._max_depth:
            return Kind(kind="map", items=(ANY,))
        record_name = unique(camel(slug(name, "record", frozenset())), self._used_names)
        return self._write(record_name, properties, schema.get("required") or (), schema, depth)

    def _write(
        self, name: str, properties: Mapping[str, Any], required: Any, schema: Any, depth: int
    ) -> Kind:
        self._count += 1
        place = len(self.records)
        used_names: set[str] = set()
        fields = [
            RecordField(
                name=unique(slug(str(wire), "field", FIELDS), used_names),
                wire=str(wire),
                kind=self.read(property_schema, f"{name}_{wire}", depth + 1),
                required=wire in required,
                description=_description(property_schema),
            )
            for wire, property_schema in properties.items()
        ]
        record = Record(name=name, fields=tuple(fields), description=_description(schema))
        self.records.insert(place, record)
        return Kind(kind="record", record=name)


def union(members: list[Kind]) -> Kind:
    """The union of some types, each once; with "any" in it everything is allowed."""
    alternatives: list[Kind] = []
    for member in members:
        for item in member.items if member.kind == "union" else (member,):
            if item not in alternatives:
                alternatives.append(item)
    if any(alternative.kind == "any" for alternative in alternatives) or not alternatives:
        return ANY
    return (
        alternatives[0] if len(alternatives) == 1 else Kind(kind="union", items=tuple(alternatives))
    )


def _literal(values: list[Any]) -> Kind:
    literals = [value for value in values if value is None or isinstance(value, (str, int, bool))]
    if len(literals) < len(values) or len(values) > MAX_LITERALS:
        return union([_kind_of(value) for value in values])
    return Kind(kind="literal", values=tuple(dict.fromkeys(literals)))


def _kind_of(value: object) -> Kind:
    if value is None:
        return _SCALARS["null"]
    if isinstance(value, bool):
        return _SCALARS["boolean"]
    if isinstance(value, str):
        return _SCALARS["string"]
    return _SCALARS["number"] if isinstance(value, (int, float)) else ANY


def _merge(
    schema: Mapping[str, Any], parts: Mapping[str, Any], depth: int = 0
) -> tuple[dict[str, Any], list[str]] | None:
    """Properties and required names of an object, with those of all its `allOf`; None if it is not an object."""
    own_properties = schema.get("properties")
    properties = dict(own_properties) if isinstance(own_properties, dict) else {}
    required = list(schema.get("required") or ())
    for part in schema.get("allOf") or ():
        inner = part
        if isinstance(part, dict) and isinstance(part.get("$ref"), str):
            inner = parts.get(part["$ref"].rsplit("/", 1)[-1])
        if not isinstance(inner, dict) or depth > 8:
            return None
        inner_merged = _merge(inner, parts, depth + 1)
        if inner_merged is not None:
            properties = {**inner_merged[0], **properties}
            required += inner_merged[1]
    return (properties, required) if properties else None


def _description(schema: object) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""
