"""The shape of an ATM manifest, `.agent-ready.json` (ATM 1.0.0-draft §6–§11). Data.

`x-` fields are allowed everywhere (T1), also where the public schema closes an object.
"""

from __future__ import annotations

from atip.model.shapes.metadata import TIME, URL
from atip.model.shapes.shape import ANYTHING, Either, Field, Integer, Items, Shape, Table, Text

_SEMVER = r"^[0-9]+\.[0-9]+\.[0-9]+(-[a-zA-Z0-9.]+)?$"
_UNKNOWN = "format.atm-unknown-field"
"""Closed by the public schema, but a consumer ignores what it does not know (§15.2)."""
AUTH_TYPE = Text(
    choices=("none", "bearer", "apiKey", "basic", "oauth2", "custom"), code="format.atm-auth"
)
SENTENCE = Text(pattern=r"^[\s\S]{1,500}$", code="format.atm-description")
NUMBER = Either({int: int, float: float})
SAVINGS = Text(pattern=r"^[0-9]+\.?[0-9]*%$")

_NAMES = Field(Items(str), "names of the sources of this kind")
SOURCES = Shape(
    "sources",
    "which APIs are in the manifest (§7.9)",
    {
        "mcp": _NAMES,
        "openapi": _NAMES,
        "graphql": _NAMES,
        "database": _NAMES,
        "custom": _NAMES,
        "total": Field(Integer(1), "how many sources", required=True),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
TOOLS = Shape(
    "tools",
    "how many tools (§7.10)",
    {
        "total": Field(Integer(1), "over all sources", required=True),
        "bySource": Field(Table(Integer(0)), "source → how many", required=True),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
PATHS = Shape(
    "paths",
    "where the generated code is (§7.11)",
    {
        "runtime": Field(str, "runtime module", required=True),
        "wrappers": Field(str, "folder of the wrappers", required=True),
        "config": Field(str, "configuration file", required=True),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
SOURCE_AUTH = Shape(
    "source authentication",
    "what one source needs (§9.3); never a credential",
    {
        "types": Field(Items(AUTH_TYPE), "supported types"),
        "default": Field(AUTH_TYPE, "recommended type"),
        "required": Field(bool, "whether it must be given"),
        "instructions": Field(str, "how to obtain it"),
    },
)
AUTH = Shape(
    "authentication",
    "what the sources need (§9.2)",
    {
        "required": Field(bool, "whether any source needs it"),
        "sources": Field(Table(SOURCE_AUTH), "by source"),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
TOKEN_REDUCTION = Shape(
    "token reduction",
    "what an agent reads, against the raw documents (§10.1)",
    {
        "traditional": Field(Integer(0), "tokens of the raw documents"),
        "codeMode": Field(Integer(0), "tokens that must be read instead"),
        "reduction": Field(NUMBER, "share that is saved, 0 to 1"),
        "savings": Field(SAVINGS, "the same as a percentage"),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
TOOL_METADATA = Shape(
    "tool metadata",
    "more about one tool (§8.3)",
    {
        "category": Field(str, "group"),
        "requiresAuth": Field(bool, "whether it needs authentication"),
        "rateLimit": Field(str, "how often it may be called"),
        "deprecated": Field(bool, "whether it should no longer be used"),
        "deprecatedMessage": Field(str, "what to use instead"),
        "httpMethod": Field(
            Text(choices=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")), "method"
        ),
        "httpPath": Field(str, "path template"),
    },
)
TOOL_DEFINITION = Shape(
    "tool definition",
    "one tool in full (§8.2)",
    {
        "name": Field(
            Text(pattern=r"^[a-z_][a-z0-9_]{0,127}$", code="format.atm-tool-name"),
            "snake_case identifier",
            required=True,
        ),
        "description": Field(SENTENCE, "what it does", required=True),
        "inputSchema": Field(Table(ANYTHING), "JSON Schema of its parameters", required=True),
        "outputSchema": Field(Table(ANYTHING), "JSON Schema of its answer"),
        "metadata": Field(TOOL_METADATA),
    },
    closed=True,
    unknown_code=_UNKNOWN,
)
METADATA = Shape(
    "metadata",
    "where it comes from (§10.2)",
    {
        "generatedBy": Field(str, "generator and version"),
        "checksum": Field(
            Text(pattern=r"^sha256:[a-f0-9]{64}$", code="format.atm-checksum"),
            "digest of the canonical manifest without `generated` and itself (T9)",
        ),
        "homepage": Field(URL, "documentation"),
        "license": Field(str, "licence of the manifest"),
    },
)
MANIFEST = Shape(
    "agent tool manifest",
    "`.agent-ready.json` (ATM §6)",
    {
        "$schema": Field(str, "for editors; ignored"),
        "specVersion": Field(
            Text(pattern=_SEMVER, code="format.atm-version"), "ATM version", required=True
        ),
        "codeMode": Field(bool, "always true", required=True),
        "name": Field(
            Text(pattern=r"^[a-z][a-z0-9-]{0,63}$", code="format.atm-name"), "name", required=True
        ),
        "description": Field(SENTENCE, "what the collection does", required=True),
        "version": Field(
            Text(pattern=_SEMVER, code="format.atm-version"), "generator version", required=True
        ),
        "generated": Field(TIME, "when it was generated", required=True),
        "language": Field(str, "language of the wrappers, `typescript` if absent"),
        "sources": Field(SOURCES, required=True),
        "tools": Field(TOOLS, required=True),
        "paths": Field(PATHS, required=True),
        "capabilities": Field(Items(str, minimum=1), "what it supports (§7.12)", required=True),
        "auth": Field(AUTH),
        "tokenReduction": Field(TOKEN_REDUCTION),
        "toolDefinitions": Field(Table(Items(TOOL_DEFINITION)), "tools in full, by source (§8.1)"),
        "metadata": Field(METADATA),
    },
)
