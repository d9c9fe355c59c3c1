"""Strict meta-schemas, one per provider: what a tool of a request may look like, closed everywhere."""

from __future__ import annotations

NAME = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"}


def _object(properties, required, **more):
    return {
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": False, **more,
    }  # fmt: skip


def _parameters(node, keys, *, closed, extra=None):
    return _object(
        {
            "type": {"const": "object"},
            "properties": {
                "type": "object",
                "propertyNames": {"pattern": keys},
                "additionalProperties": node,
            },
            "required": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            **({"additionalProperties": {"const": False}} if closed else {}),
            **(extra or {}),
        },
        ["type", "properties", "required", *(["additionalProperties"] if closed else [])],
    )


SCALAR = ["string", "integer", "number", "boolean", "array", "object"]
STRICT_NODE = {
    "$ref": "#/$defs/node",
}
DEFS = {
    "strict": {
        "node": {
            "type": "object",
            "properties": {
                "type": {
                    "anyOf": [
                        {"enum": SCALAR},
                        {
                            "type": "array",
                            "prefixItems": [{"enum": SCALAR}, {"const": "null"}],
                            "minItems": 2,
                            "maxItems": 2,
                        },
                    ]
                },
                "description": {"type": "string"},
                "enum": {"type": "array", "minItems": 1, "uniqueItems": True},
                "items": STRICT_NODE,
                "properties": {"type": "object", "additionalProperties": STRICT_NODE},
                "required": {"type": "array"},
                "additionalProperties": {"const": False},
            },
            "required": ["type"],
            "additionalProperties": False,
        }
    },
    "gemini": {
        "node": {
            "type": "object",
            "properties": {
                "type": {"enum": SCALAR},
                "description": {"type": "string"},
                "enum": {
                    "type": "array",
                    "minItems": 1,
                    "uniqueItems": True,
                    "items": {"type": "string", "minLength": 1},
                },
                "items": STRICT_NODE,
                "properties": {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": STRICT_NODE,
                },
                "required": {"type": "array"},
            },
            "required": ["type"],
            "if": {"required": ["enum"]},
            "then": {"properties": {"type": {"const": "string"}}},
            "additionalProperties": False,
        }
    },
    "any": {"node": {"type": "object", "$ref": "https://json-schema.org/draft/2020-12/schema"}},
}
DASHED = "^[A-Za-z0-9_-]{1,64}$"
PLAIN = "^[A-Za-z_][A-Za-z0-9_]{0,63}$"
SHORT = {"type": "string", "maxLength": 1024}


def meta_schema(provider: str, strict: bool = False) -> dict:
    """The meta-schema of one declaration."""
    if provider == "openai":
        node = "strict" if strict else "any"
        function = _object(
            {
                "name": NAME,
                "description": SHORT,
                "parameters": _parameters(STRICT_NODE, DASHED, closed=True),
                **({"strict": {"const": True}} if strict else {}),
            },
            ["name", "description", "parameters", *(["strict"] if strict else [])],
        )
        made = _object({"type": {"const": "function"}, "function": function}, ["type", "function"])
    elif provider == "anthropic":
        node = "any"
        schema = _parameters(STRICT_NODE, DASHED, closed=False)
        made = _object(
            {"name": NAME, "description": {"type": "string"}, "input_schema": schema},
            ["name", "description", "input_schema"],
        )
    elif provider == "gemini":
        node = "gemini"
        schema = _parameters(STRICT_NODE, PLAIN, closed=False)
        schema["properties"]["properties"]["minProperties"] = 1
        made = _object(
            {"name": NAME, "description": {"type": "string"}, "parameters": schema},
            ["name", "description"],
        )
    else:
        node = "any"
        hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        made = _object(
            {
                "name": NAME,
                "description": {"type": "string"},
                "inputSchema": _parameters(STRICT_NODE, DASHED, closed=True),
                "annotations": _object({h: {"type": "boolean"} for h in hints}, list(hints)),
            },
            ["name", "description", "inputSchema", "annotations"],
        )
    return {**made, "$defs": DEFS[node]}
