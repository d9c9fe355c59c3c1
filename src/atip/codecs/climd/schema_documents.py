"""The public schemas of CLI.md's companions: TOOL, RUNNER, SECRETS, INTENT, DRIVER, AGENT-CLI. Data.

See `schema.py`. Implements AIP-14, 16, 17, 19, 28, 30 and 45 as far as their schemas go; P3, P5, P25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.climd import schema as cli
from atip.codecs.climd.schema import (
    DESCRIPTION,
    DURATION,
    FLAG,
    NAME,
    OBJECT,
    PATH_OR_BLOCK,
    SEMVER,
    TAGS,
    TEXT,
    TEXTS,
    at_least,
    closed,
    words,
)

if TYPE_CHECKING:
    Schema = dict[str, Any]

ANY: Schema = {}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
FULL: Schema = {"type": "string", "minLength": 1}
TEXT_MAP: Schema = {"type": "object", "additionalProperties": TEXT}
COST = words("trivial", "metered", "expensive")
NEEDS = closed({"network": TEXTS, "secrets": TEXTS, "tools": TEXTS})
DRIVER_KINDS = ("cli", "http", "mcp", "sdk", "builtin")
DOTTED: Schema = {"type": "string", "pattern": r"^[a-z0-9][a-z0-9.\-]{1,79}$"}


def exactly_one(schema: Schema, *names: str) -> Schema:
    return {**schema, "oneOf": [{"required": [name]} for name in names]}


def list_of(items: Schema, **bounds: object) -> Schema:
    return {"type": "array", "items": items, **bounds}


_KINDS = list_of({"enum": list(DRIVER_KINDS)}, uniqueItems=True)
TOOL: Schema = {
    **closed(
        {
            "name": NAME,
            "id": {
                "type": "string",
                "minLength": 2,
                "maxLength": 80,
                "pattern": r"^[a-z0-9][a-z0-9.\-]*[a-z0-9]$",
            },
            "description": DESCRIPTION,
            "version": SEMVER,
            "inputs": OBJECT,
            "outputs": OBJECT,
            "idempotent": FLAG,
            "mutates": list_of({"type": "string", "pattern": r"^[a-z]+:[^\s]+$"}),
            "requires": NEEDS,
            "approval": {
                "anyOf": [
                    {"enum": ["auto", "always", "on-mutate"]},
                    {"type": "string", "pattern": "^policy:[A-Za-z0-9_./-]+$"},
                ]
            },
            "risk_level": {"type": "integer", "minimum": 0, "maximum": 3},
            "cost_class": {"enum": COST["enum"]},
            "timeout_ms": at_least(1),
            "retry": closed(
                {
                    "max_attempts": {"type": "integer", "minimum": 1, "maximum": 20},
                    "backoff": {"enum": ["fixed", "exponential"]},
                    "initial_ms": at_least(0),
                },
                "max_attempts",
                "backoff",
            ),
            "default_implementation": {"type": ["string", "null"], "pattern": DOTTED["pattern"]},
            "driver_constraints": closed({"forbid": _KINDS, "require_kind": _KINDS}),
            "tags": list_of(
                {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"}, uniqueItems=True
            ),
            "examples": list_of(
                closed({"name": TEXT, "input": ANY, "output": ANY, "note": TEXT}, "name", "input")
            ),
            "metadata": OBJECT,
        },
        *("name", "id", "description", "version", "inputs", "outputs"),
    ),
    # What changes something cannot be approved by silence; absent counts as `auto` here.
    "if": {"properties": {"approval": {"const": "auto"}}},
    "then": {"properties": {"mutates": {"type": "array", "maxItems": 0}}},
}
RUNNER_BLOCK = closed(
    {
        "engine": {"enum": ["subprocess", "sandbox", "in-process"]},
        "image": FULL,
        "needs": closed(
            {
                "language": {"enum": ["node", "python", "multi"]},
                "native": list_of(FULL),
                "npm": list_of({**FULL, "pattern": "^@?[^@]+@?.*$"}),
                "pip": list_of(FULL),
            }
        ),
        "limits": closed(
            {"memory_mb": at_least(1), "timeout_ms": at_least(1), "cpu_ms": at_least(1)}
        ),
    }
)
RUNNER: Schema = OBJECT
"""The public schema has definitions only; `RUNNER_BLOCK` is what hosts check."""

_VALUES = ("value", "plaintext", "ciphertext", "secret", "data", "key", "token")
_ACCESS = exactly_one(
    closed(
        {
            "role": FULL,
            "userId": FULL,
            "cap": {"type": "string", "pattern": "^cap://"},
            "tool": FULL,
            "workflow": FULL,
        }
    ),
    *("role", "userId", "cap", "tool", "workflow"),
)
_VARIABLE: Schema = {"type": "string", "pattern": "^[A-Z_][A-Z0-9_]*$"}
_EXPOSURE: Schema = {
    "type": "object",
    "required": ["kind"],
    "oneOf": [
        closed(
            {"kind": {"const": "env"}, "name": _VARIABLE, "field": FULL}, "kind", "name", "field"
        ),
        closed(
            {
                "kind": {"const": "file"},
                "path": FULL,
                "field": FULL,
                "mode": {"type": "integer", "minimum": 0, "maximum": 0o777},
            },
            "kind",
            "path",
        ),
        closed(
            {
                "kind": {"const": "egress-substitute"},
                "placeholderName": _VARIABLE,
                "allowedByDefault": FLAG,
                "intendedProviders": list_of(FULL),
            },
            *("kind", "placeholderName", "allowedByDefault"),
        ),
    ],
}
SECRET: Schema = {
    **closed(
        {
            "slug": {
                "type": "string",
                "minLength": 2,
                "maxLength": 80,
                "pattern": "^([a-z][a-z0-9-]*[a-z0-9]/)?[a-z][a-z0-9-]*[a-z0-9]$",
            },
            "name": NAME,
            "description": DESCRIPTION,
            "kind": {"enum": ["opaque", "oauth", "keypair", "json"]},
            "backend": {"type": "string", "pattern": "^[a-z][a-z0-9-]*://"},
            "access": closed({verb: list_of(_ACCESS) for verb in ("reveal", "bind", "rotate")}),
            "audit": closed(
                {
                    "retention": {
                        "type": "string",
                        "pattern": "^(P[0-9]+[YMWD]|[0-9]+(y|m|w|d|h))$",
                    },
                    "pii": FLAG,
                    "classification": list_of(FULL),
                }
            ),
            "tags": list_of({"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}),
            "metadata": OBJECT,
            "exposures": list_of(_EXPOSURE),
        },
        *("slug", "name", "description"),
    ),
    # SECURITY: an inventory names secrets; one that holds values must never be accepted.
    "not": {"anyOf": [{"required": [name]} for name in _VALUES]},
}
SECRETS = closed({"secrets": list_of(SECRET, minItems=1)}, "secrets")

_LOCALES: Schema = {"propertyNames": {"pattern": "^[a-z]{2}(?:-[A-Z]{2})?$"}}
SPOKEN: Schema = {"oneOf": [TEXT, {**TEXT_MAP, **_LOCALES}]}
_COMPARED = closed(
    {
        "not": ANY,
        "in": {"type": "array"},
        "not_in": {"type": "array"},
        "not_empty": FLAG,
        **dict.fromkeys(("gt", "lt", "gte", "lte"), NUMBER),
    }
)
_WHEN: Schema = {"type": "object", "additionalProperties": {"oneOf": [ANY, _COMPARED]}}
_MAPPING: Schema = {
    "type": "object",
    "additionalProperties": {"oneOf": [TEXT, closed({"from": TEXT, "transform": TEXT}, "from")]},
}
_ROUTE = exactly_one(
    closed(
        {
            "tool": TEXT,
            "workflow": TEXT,
            "entry": TEXT,
            "default": FLAG,
            "when": _WHEN,
            "mapping": _MAPPING,
        }
    ),
    *("tool", "workflow", "entry"),
)
_FIELD = closed(
    {
        "name": {"type": "string", "pattern": "^[a-zA-Z_][a-zA-Z0-9_]*$"},
        "label": SPOKEN,
        "type": words(
            *("text", "textarea", "number", "toggle", "choice", "multi-choice", "file", "image"),
            *("date", "markdown", "code", "ref"),
        ),
        "placeholder": SPOKEN,
        "hint": SPOKEN,
        "required": FLAG,
        "default": ANY,
        "min": NUMBER,
        "max": NUMBER,
        "min_length": at_least(0),
        "max_length": at_least(0),
        "pattern": TEXT,
        "values": {
            "oneOf": [TEXTS, list_of(closed({"value": ANY, "label": SPOKEN}, "value", "label"))]
        },
        "accept": TEXTS,
        "language": TEXT,
        "depends_on": _WHEN,
    },
    *("name", "label", "type"),
)
_SEEDS = list_of(TEXT, minItems=1)
INTENT = closed(
    {
        "name": SPOKEN,
        "id": DOTTED,
        "label": SPOKEN,
        "description": SPOKEN,
        "version": SEMVER,
        "intent": {"oneOf": [_SEEDS, {"type": "object", "additionalProperties": _SEEDS}]},
        "surfaces": list_of(words("chat", "menu", "voice", "shortcut", "api"), uniqueItems=True),
        "inputs": list_of(_FIELD),
        "outputs": closed(
            {"type": words("text", "image", "markdown", "file", "custom"), "template": TEXT}, "type"
        ),
        "entry": TEXT,
        "implements": list_of(_ROUTE, minItems=1),
        "cost_class": COST,
        "quota_key": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9.\-]{1,127}$"},
        "requires": NEEDS,
        "auth": TEXT,
        "experiments": list_of(
            closed(
                {
                    "id": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9.\-]{1,63}$"},
                    "weight": {"type": "number", "minimum": 0, "maximum": 1},
                    "when": _WHEN,
                    "implements": list_of(_ROUTE, minItems=1),
                },
                *("id", "weight", "implements"),
            )
        ),
        "scope": words("app", "tier", "user", "guild", "workspace", "operator"),
        "disable": DOTTED,
        "preview": TEXT,
        "tags": TAGS,
        "examples": list_of(closed({"user": SPOKEN, "note": SPOKEN}, "user")),
        "metadata": OBJECT,
    },
    *("name", "id", "label", "description", "version", "intent", "surfaces", "implements"),
)

_COST_OVERRIDE = closed(
    {
        "cost_class": COST,
        "cost_units_per_call": {"type": "number", "minimum": 0},
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
    }
)
_RETRY_OVERRIDE = closed(
    {
        "max_attempts": {"type": "integer", "minimum": 1, "maximum": 10},
        "backoff": words("fixed", "exponential"),
        "initial_ms": at_least(0),
    },
    "max_attempts",
)
_HTTP = closed(
    {
        "method": words("GET", "POST", "HEAD"),
        "url": TEXT,
        "expect_status": {"type": "integer", "minimum": 100, "maximum": 599},
    },
    "method",
    "url",
)
_OVERRIDES: Schema = {
    "cost_override": _COST_OVERRIDE,
    "timeout_override_ms": at_least(100),
    "retry_override": _RETRY_OVERRIDE,
}
DRIVER: Schema = {
    "type": "object",
    "required": ["name", "id", "description", "version", "kind", "implements"],
    "properties": {
        "name": NAME,
        "id": DOTTED,
        "description": DESCRIPTION,
        "version": SEMVER,
        "kind": words(*DRIVER_KINDS),
        "implements": list_of(
            closed(
                {
                    "tool": TEXT,
                    "version": TEXT,
                    "schema_narrowing": closed({"drop_inputs": TEXTS, "drop_outputs": TEXTS}),
                    "mapping": _MAPPING,
                    **_OVERRIDES,
                    "metadata": OBJECT,
                },
                "tool",
                "version",
            ),
            minItems=1,
        ),
        "install": list_of(OBJECT),
        "version_check": cli.VERSION_CHECK,
        "auth": closed(
            {
                "ref": TEXT,
                "state": closed({"paths": TEXTS, "env": TEXTS}),
                "login": closed(
                    {
                        "cmd": TEXT,
                        "url": TEXT,
                        "interactive": FLAG,
                        "requires_callback_url": FLAG,
                        "completes_when": closed({"cmd": TEXT, "exit_code": WHOLE, "http": _HTTP}),
                    }
                ),
                "refresh": closed({"cmd": TEXT, "url": TEXT, "every": DURATION}),
                "expiry": closed({"detect": TEXT}),
            }
        ),
        "runner": PATH_OR_BLOCK,
        "network": closed({"egress": TEXTS, "ingress": TEXTS}),
        "region": TEXTS,
        "policy_tags": TAGS,
        **_OVERRIDES,
        "health_check": closed(
            {
                "method": words("ping", "exec", "http", "noop"),
                "cmd": TEXT,
                "http": _HTTP,
                "expect_exit": WHOLE,
                "every": DURATION,
                "timeout_ms": at_least(100),
            },
            "method",
        ),
        "requires": cli.REQUIRES,
        "examples": list_of(
            {
                "type": "object",
                "required": ["goal"],
                "properties": {"goal": TEXT, "note": TEXT, "cmd": TEXT},
            }
        ),
        "tags": TAGS,
        "metadata": OBJECT,
    },
}
"""Open: subtypes add fields of their own."""
