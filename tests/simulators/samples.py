"""Values that fit a JSON Schema, made without looking at the code under test. Small, not exhaustive."""

from __future__ import annotations

import typing

FORMATS = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "time": "03:04:05Z",
    "uuid": "12345678-1234-5678-1234-567812345678",
    "uri": "https://example.org/a",
    "email": "a@example.org",
    "ipv4": "192.0.2.1",
}


class Sampler:
    """Makes a value for a schema whose references lie in `parts`."""

    def __init__(self, parts: typing.Mapping[str, typing.Any]) -> None:
        self._parts = parts

    def value(self, schema: typing.Any, depth: int = 0) -> typing.Any:
        """One value; raises ValueError where the schema needs more than this knows."""
        if not isinstance(schema, dict):
            return "any"
        if depth > 12:
            raise ValueError("too deep")
        if "$ref" in schema:
            return self.value(self._parts[schema["$ref"].rsplit("/", 1)[-1]], depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        if "allOf" in schema:
            return self._all(schema, depth)
        for key in ("oneOf", "anyOf"):
            if schema.get(key):
                return self.value(schema[key][0], depth + 1)
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        return self._typed(kind, schema, depth)

    def _typed(self, kind: str | None, schema: dict[str, typing.Any], depth: int) -> typing.Any:
        if kind == "object" or (kind is None and "properties" in schema):
            properties = schema.get("properties", {})
            wanted = schema.get("required") or list(properties)[:1]
            return {
                name: self.value(properties.get(name, {}), depth + 1)
                for name in wanted
                if not (isinstance(properties.get(name), dict) and properties[name].get("readOnly"))
            }
        if kind == "array":
            return [
                self.value(schema.get("items", {}), depth + 1)
                for _ in range(max(1, schema.get("minItems", 1)))
            ]
        if kind in {"integer", "number"}:
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            number = low + 1 if "exclusiveMinimum" in schema else low
            return int(number) if kind == "integer" else number
        if kind == "boolean":
            return True
        if kind == "null":
            return None
        return self._text(schema)

    def _text(self, schema: dict[str, typing.Any]) -> str:
        if "pattern" in schema:
            raise ValueError("patterns are not solved here")
        text = FORMATS.get(schema.get("format", ""), "a/b c?d&e=ü")
        if len(text) > schema.get("maxLength", 10**6):
            text = "x" * schema["maxLength"]
        return text.ljust(schema.get("minLength", 0), "x")

    def _all(self, schema: dict[str, typing.Any], depth: int) -> typing.Any:
        made: typing.Any = {}
        for each in [*schema["allOf"], {key: value for key, value in schema.items() if key != "allOf"}]:  # fmt: skip
            if set(each) <= {"description", "title"}:
                continue
            part = self.value(each, depth + 1)
            if not isinstance(part, dict):
                return part
            made |= part
        return made
