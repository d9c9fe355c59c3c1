"""Provider schema: parameters in the dialect of JSON Schema that each provider accepts, and how to undo it.

Every dialect is narrower than JSON Schema. What it cannot express is rewritten, and each change is
recorded as an `Undo` per parameter, so that the arguments of a call can be converted back:
`null` for "not given" (OpenAI strict, A32), numbers in an enum as text (Gemini), structures as JSON text
where no dialect fits. Implements ATIP 0.6 §8.2 rules 2 and 4, A31–A34.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.schema import (
    JSON_TYPES,
    enum_values,
    is_list,
    item_schema,
    json_type,
    parameter_schema,
)
from atip.codecs.providers.safety import PARAMETER_LIMIT, clean_text, flags_of, is_clean, suffix
from atip.model.tool import Option
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.calls.functions import Item

    Part = tuple[dict[str, Any], str, bool]
    """Schema, how to undo it (`""`, `json`, `number`), whether the parameter is required."""

_HINTS = {"file": "(file path)", "directory": "(directory path)", "url": "(URL)"}
_DROPPED = frozenset(
    {
        "$schema", "$id", "$comment", "title", "default", "examples", "format", "pattern",
        "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "minItems", "maxItems", "uniqueItems", "deprecated", "readOnly", "writeOnly",
        "minProperties", "maxProperties",
    }
)  # fmt: skip
"""Keywords that a dialect may lack without changing the shape; calls are checked against the full schema."""
_MAX_DEPTH = 4
_MAX_CHOICES = 250
_MAX_CHOICE_TEXT = 15_000
"""A longer list of choices is not sent; calls are still checked against it, with a suggestion."""


class SchemaDialect(Value):
    """Features of one provider's schema dialect."""

    name: str
    nullable: bool = False
    """Optional parameters are listed as required and may be `null`."""
    type_lists: bool = True
    """`"type": ["string", "null"]` is allowed."""
    text_enums_only: bool = False
    """Only strings may have an enum, and none may be empty."""
    closed: bool = True
    """Objects say `additionalProperties: false`."""
    plain_keys: bool = False
    """Keys of properties have no dash."""
    full: bool = False
    """Any JSON Schema: nothing is narrowed."""
    max_description: int = 16_000
    max_functions: int | None = None


OPENAI = SchemaDialect(name="openai", max_description=1024, max_functions=128)
OPENAI_STRICT = OPENAI.replace(nullable=True)
ANTHROPIC = SchemaDialect(name="anthropic", closed=False, full=True)
GEMINI = SchemaDialect(
    name="gemini",
    type_lists=False,
    text_enums_only=True,
    closed=False,
    plain_keys=True,
    max_functions=128,
)
MCP = SchemaDialect(name="mcp", full=True)


class PropertyBuilder:
    """Builds properties for one dialect; equal options of many commands are built once."""

    __slots__ = ("_parts", "brief", "choices", "dialect")

    def __init__(self, dialect: SchemaDialect, *, brief: int = 0) -> None:
        self.dialect = dialect
        self.brief = brief
        """0: whole descriptions; N: at most N characters; negative: none."""
        self._parts: dict[int, Part] = {}
        self.choices: dict[object, tuple[dict[str, Any], str]] = {}

    def property_of(self, item: Item) -> Part:
        """The property of one parameter. The caller keeps `item` alive."""
        cached = self._parts.get(id(item))
        if cached is None:
            cached = self._parts[id(item)] = self._make(item)
        return cached

    def _make(self, item: Item) -> Part:
        undo = ""
        kind = item.type
        if item.schema is not None:
            schema, undo = self._from_document(item)
        elif item.variadic or kind == "array":
            schema, undo = self._make_typed(item)
        elif item.enum:
            shared, undo = self._choices(item)
            schema = {**shared}
        else:
            schema = {"type": JSON_TYPES.get(kind, "string")}
        text = item.description
        if self.brief or item.extra or kind in _HINTS or len(text) > PARAMETER_LIMIT:
            text = self._text(item)
        elif not (text.isascii() and text.isprintable()):
            text = clean_text(text)
        if text:
            schema["description"] = text
        required = item.is_required
        if self.dialect.nullable and not required:
            schema = nullable(schema)
        return schema, undo, required

    def _choices(self, item: Item) -> tuple[dict[str, Any], str]:
        """Cached `_one` for choices, which many commands share."""
        key = (item.type, item.enum)
        try:
            cached = self.choices.get(key)
        except TypeError:  # a choice that is itself a list
            return self._make_single(item)
        if cached is None:
            cached = self.choices[key] = self._make_single(item)
        return cached

    def _text(self, item: Item) -> str:
        text = clean_text(item.description)
        brief = self.brief
        if brief < 0:
            text = ""
        elif brief and len(text) > brief:
            text = text[: brief - 1].rstrip() + "…"
        elif len(text) > PARAMETER_LIMIT:
            text = text[: PARAMETER_LIMIT - 1] + "…"
        hint = _HINTS.get(item.type)
        if hint and not item.schema:
            text = f"{text} {hint}".lstrip()
        if item.extra and isinstance(item, Option) and "effects" in item.own:
            flags = _flag_effects(item)
            text = f"{text} {flags}".strip()
        return text

    def _make_typed(self, item: Item) -> tuple[dict[str, Any], str]:
        undo = ""
        if is_list(item):
            one, undo = self._make_single(item)
            return {"type": "array", "items": one}, undo
        return self._make_single(item)

    def _make_single(self, item: Item) -> tuple[dict[str, Any], str]:
        if item.type == "array":
            narrowed = narrow(item_schema(item), self.dialect)
            return (narrowed, "") if narrowed is not None else ({"type": "string"}, "json")
        kind = json_type(item)
        if not item.enum:
            return {"type": kind}, ""
        values = list(dict.fromkeys(v for v in enum_values(item) if _is_sendable(v)))
        if len(values) > _MAX_CHOICES or sum(len(str(v)) for v in values) > _MAX_CHOICE_TEXT:
            return {"type": kind}, ""
        if self.dialect.text_enums_only:
            texts = [str(value) for value in values if value != ""]
            undo = "number" if kind != "string" else ""
            return ({"type": "string", "enum": texts} if texts else {"type": "string"}), undo
        return ({"type": kind, "enum": values} if values else {"type": kind}), ""

    def _from_document(self, item: Item) -> tuple[dict[str, Any], str]:
        full_schema = parameter_schema(item)
        if self.dialect.full:
            cleaned = _clean(full_schema)
            if isinstance(cleaned, dict):
                return cleaned, ""
        narrowed = narrow(full_schema, self.dialect)
        if narrowed is not None:
            return narrowed, "strip" if self.dialect.nullable else ""
        return {"type": "string"}, "json"


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that also accepts `null`; `null` joins the enum (A32)."""
    kind = schema.get("type")
    widened = {**schema, "type": [kind, "null"]}
    if "enum" in widened:
        widened["enum"] = [*widened["enum"], None]
    return widened


def narrow(schema: object, dialect: SchemaDialect, depth: int = 0) -> dict[str, Any] | None:
    """Narrow a JSON Schema to a dialect; None if the dialect cannot express its shape."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    allowed = {"type", "enum", "const", "description", "properties", "required", "items"}
    allowed.add("additionalProperties")
    if any(key not in allowed and key not in _DROPPED for key in schema):
        return None
    kind = schema.get("type")
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if kind is None and choices and all(isinstance(value, str) for value in choices):
        kind = "string"
    narrowed: dict[str, Any] | None = None
    if kind in ("string", "integer", "number", "boolean"):
        narrowed = _narrow_scalar(kind, choices, dialect)
    elif kind == "array" and choices is None:
        items = narrow(schema.get("items", {"type": "string"}), dialect, depth + 1)
        narrowed = {"type": "array", "items": items} if items is not None else None
    elif kind == "object" and choices is None:
        narrowed = _narrow_object(schema, dialect, depth)
    if narrowed is not None and isinstance(schema.get("description"), str):
        narrowed["description"] = clean_text(schema["description"])[:PARAMETER_LIMIT]
    return narrowed


def _narrow_scalar(kind: str, choices: Any, dialect: SchemaDialect) -> dict[str, Any] | None:
    if choices is None:
        return {"type": kind}
    values = list(dict.fromkeys(choices)) if isinstance(choices, list) else []
    if not 0 < len(values) <= _MAX_CHOICES or not all(map(_is_sendable, values)):
        return None
    if kind != "string" and dialect.text_enums_only:
        return None
    if kind == "string" and not all(isinstance(value, str) for value in values):
        return None
    if dialect.text_enums_only and "" in values:
        return None
    return {"type": kind, "enum": values}


def _narrow_object(
    schema: Mapping[str, Any], dialect: SchemaDialect, depth: int
) -> dict[str, Any] | None:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties or schema.get("additionalProperties"):
        return None
    required = schema.get("required", [])
    narrowed_properties: dict[str, Any] = {}
    for key, value in properties.items():
        child = narrow(value, dialect, depth + 1)
        if child is None or not key.isidentifier() or not key.isascii() or len(key) > 64:
            return None
        narrowed_properties[key] = (
            nullable(child) if dialect.nullable and key not in required else child
        )
    required_keys = (
        list(narrowed_properties)
        if dialect.nullable
        else [key for key in narrowed_properties if key in required]
    )
    narrowed: dict[str, Any] = {
        "type": "object",
        "properties": narrowed_properties,
        "required": required_keys,
    }
    if dialect.closed:
        narrowed["additionalProperties"] = False
    return narrowed


def _clean(value: object, depth: int = 0) -> object:
    """Clean a schema for providers that accept any: removes invisible characters; None if it has references."""
    if isinstance(value, str):
        return clean_text(value)[:PARAMETER_LIMIT]
    if depth > 24:
        return None
    if isinstance(value, dict):
        if "$ref" in value or "$dynamicRef" in value:
            return None
        cleaned = {key: _clean(child, depth + 1) for key, child in value.items() if is_clean(key)}
        return (
            None if any(v is None and value[k] is not None for k, v in cleaned.items()) else cleaned
        )
    if isinstance(value, (list, tuple)):
        items = [_clean(child, depth + 1) for child in value]
        has_loss = any(i is None and v is not None for i, v in zip(items, value, strict=True))
        return None if has_loss else items
    return value


def _is_sendable(value: object) -> bool:
    return not isinstance(value, str) or (is_clean(value) and len(value) <= 500)


def _flag_effects(option: Option) -> str:
    from atip.calls.effects.facts import facts_of

    return suffix(flags_of((facts_of(option.own["effects"]),)))
