"""The shapes of ATIP metadata: every field of 0.6 and every extra of 0.1 (A35). Data.

Patterns and sets are those of the public 0.6 schema; where RESOLUTIONS is wider, the finding has
its own code and `check.py` sets its severity per mode.
"""

from __future__ import annotations

from atip.model.shapes.shape import (
    ANYTHING,
    Either,
    Field,
    Flags,
    Integer,
    Items,
    Shape,
    Table,
    Text,
)

TRUST_SOURCES = ("native", "vendor", "org", "community", "user", "inferred")
"""Origins of a document (§3.2.2)."""
VERSION = Text(pattern=r"^0\.[1-6]$", code="format.protocol-version")
DESCRIPTION = Field(str, "description", required=True, code="format.missing-description")
URL = Text(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:\S*$", code="format.url")
TYPE = Text(
    choices=("string", "integer", "number", "boolean", "file", "directory", "url", "enum", "array"),
    code="format.type-name",
)
ENUM = Items(Either({str: str, int: int, float: float, bool: bool}))
FLAG = Text(pattern=r"^-", code="format.flag")
ENV_VAR = Text(pattern=r"^[A-Z_][A-Z0-9_]*$", code="format.env-var")
NOTE = Either({bool: bool, str: str})

FEATURES = {
    # feature: protocol version that introduced it (§3.2.1)
    "partial-discovery": "0.3",
    "interactive-effects": "0.3",
    "trust-v1": "0.4",
    "patterns-v1": "0.4",
    "trust-integrity": "0.5",
    "trust-provenance": "0.5",
    "content-addressable": "0.6",
}
TIME = Text(
    pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})$",
    code="format.time",
)

PROTOCOL = Shape(
    "protocol",
    "protocol version and features (§3.2.1)",
    {
        "version": Field(VERSION, "protocol version, major.minor", required=True),
        "features": Field(
            Items(Text(choices=tuple(FEATURES), code="format.feature")), "optional features used"
        ),
        "minAgentVersion": Field(VERSION, "oldest agent that may read this"),
    },
)

FILESYSTEM = Shape(
    "filesystem effects",
    "what is read, written and removed",
    {
        "read": Field(bool, "reads files"),
        "write": Field(bool, "writes or creates files"),
        "delete": Field(bool, "deletes files"),
        "paths": Field(Items(str), "paths that may be affected"),
    },
)
INTERACTIVE = Shape(
    "interactive effects",
    "what is expected of the user",
    {
        "stdin": Field(
            Text(choices=("none", "optional", "required", "password")), "standard input"
        ),
        "prompts": Field(bool, "may ask for confirmation"),
        "tty": Field(bool, "needs a terminal"),
    },
)
COST = Shape(
    "cost",
    "money",
    {
        "estimate": Field(
            Text(choices=("free", "low", "medium", "high"), code="format.cost"),
            "order of magnitude",
        ),
        "billable": Field(bool, "may incur charges"),
    },
)
DURATION = Shape(
    "duration",
    "time",
    {
        "typical": Field(
            Text(pattern=r"^[0-9]+-[0-9]+[smh]$", code="format.duration"), "expected time"
        ),
        "timeout": Field(
            Text(pattern=r"^[0-9]+[smh]$", code="format.duration"), "recommended limit"
        ),
    },
)
EFFECTS = Shape(
    "effects",
    "side effects (§3.6); an absent fact is unknown",
    {
        "filesystem": Field(FILESYSTEM, FILESYSTEM.doc),
        "network": Field(bool, "makes network requests"),
        "subprocess": Field(bool, "starts other programs"),
        "idempotent": Field(bool, "safe to repeat"),
        "reversible": Field(bool, "can be undone"),
        "destructive": Field(bool, "permanently destroys data"),
        "creates": Field(Items(str), "kinds of resources created"),
        "modifies": Field(Items(str), "kinds of resources changed"),
        "deletes": Field(Items(str), "kinds of resources deleted"),
        "interactive": Field(INTERACTIVE, INTERACTIVE.doc),
        "cost": Field(COST, COST.doc),
        "duration": Field(DURATION, DURATION.doc),
    },
)

_PARAMETER = {
    "name": Field(str, "machine-readable name", required=True),
    "type": Field(TYPE, "type of §3.7", required=True, code="format.missing-type"),
    "description": DESCRIPTION,
    "required": Field(bool, "must be given"),
    "default": Field(ANYTHING, "value when not given"),
    "variadic": Field(bool, "accepts several values"),
    "enum": Field(ENUM, "allowed values"),
    "pattern": Field(str, "regular expression for the value (0.1)"),
    "schema": Field(Table(ANYTHING), "JSON Schema of the value (0.1)"),
}
ARGUMENT = Shape("argument", "a positional argument (§3.4)", _PARAMETER)
OPTION = Shape(
    "option",
    "a flag or an option with a value (§3.5)",
    {
        **_PARAMETER,
        "flags": Field(Flags(FLAG, minimum=1), "spellings", required=True),
        "envVar": Field(ENV_VAR, "environment variable that sets it"),
        "exclusive": Field(Items(str), "options that exclude this one (0.1)"),
        "deprecated": Field(NOTE, "should no longer be used"),
        "hidden": Field(bool, "not shown by default"),
    },
)

METHOD = Shape(
    "authentication method",
    "one way to log in (§3.8)",
    {
        "type": Field(
            Text(
                choices=("token", "oauth", "api-key", "password", "certificate"),
                code="format.auth-type",
            ),
            "kind of credential",
            required=True,
        ),
        "envVar": Field(str, "environment variable that holds it"),
        "description": Field(str, "description"),
        "setupCommand": Field(str, "command that sets it up"),
        "configPath": Field(str, "file that holds it (0.1)"),
        "scopes": Field(Items(str), "permissions needed (0.1)"),
    },
)
AUTHENTICATION = Shape(
    "authentication",
    "whether and how a login is needed (§3.8)",
    {
        "required": Field(bool, "nothing works without it"),
        "methods": Field(Items(METHOD), "ways to log in"),
        "checkCommand": Field(str, "command that checks the login"),
        "scopes": Field(Items(str), "permissions needed (0.1)"),
    },
)

STEP = Shape(
    "step",
    "one step of a pattern",
    {
        "command": Field(str, "command line with `{variables}`", required=True),
        "description": Field(str, "what it is for"),
    },
)
VARIABLE = Shape(
    "variable",
    "a template variable of a pattern",
    {
        "type": Field(str, "type of the value", required=True, code="format.missing-type"),
        "description": DESCRIPTION,
        "default": Field(ANYTHING, "value when not given"),
        "required": Field(bool, "must be given"),
        "enum": Field(ENUM, "allowed values"),
    },
)
PATTERN = Shape(
    "pattern",
    "a common use of tools (§3.9)",
    {
        "name": Field(str, "identifier", required=True),
        "description": DESCRIPTION,
        "steps": Field(Items(STEP), "commands in order", required=True),
        "variables": Field(Table(VARIABLE), "template variables"),
        "tags": Field(Items(str), "categories"),
        "executable": Field(bool, "an agent may run it after all checks"),
    },
)

SIGNATURE = Shape(
    "signature",
    "a claim about a signature; verified, never trusted",
    {
        "type": Field(Text(choices=("cosign", "gpg", "minisign")), "kind of signature"),
        "identity": Field(str, "signer"),
        "issuer": Field(URL, "issuer of the identity"),
        "bundle": Field(URL, "location of the bundle"),
    },
)
TRUST = Shape(
    "trust",
    "what the document claims about itself (§3.2.2)",
    {
        "source": Field(Text(choices=TRUST_SOURCES), "origin of the metadata"),
        "verified": Field(bool, "checked against the tool's behaviour"),
        "integrity": Field(
            Shape(
                "integrity",
                "about the binary",
                {
                    "checksum": Field(
                        Text(pattern=r"^[a-z0-9]+:[a-fA-F0-9]+$", code="format.checksum"),
                        "digest, `algorithm:hex`",
                    ),
                    "signature": Field(SIGNATURE, "signature of the binary"),
                },
            )
        ),
        "shimIntegrity": Field(
            Shape(
                "shim integrity",
                "about the shim itself",
                {
                    "signature": Field(SIGNATURE, "signature of the shim"),
                    "lastVerified": Field(TIME, "when it was last checked"),
                },
            )
        ),
        "signature": Field(SIGNATURE, "older place of `shimIntegrity.signature` (A5)"),
        "provenance": Field(
            Shape(
                "provenance",
                "where the binary was built, as claimed",
                {
                    "url": Field(URL, "attestation document"),
                    "format": Field(
                        Text(choices=("slsa-provenance-v1", "in-toto"), code="format.provenance"),
                        "format of the attestation",
                    ),
                    "slsaLevel": Field(Integer(0, 4), "claimed SLSA level"),
                    "builder": Field(str, "builder"),
                },
            )
        ),
    },
)
BINARY = Shape(
    "binary",
    "the executable that a shim describes (§4.5)",
    {
        "hash": Field(
            Text(pattern=r"^sha256:[a-fA-F0-9]{64}$", code="format.hash"),
            "`sha256:` and 64 hex digits",
            required=True,
        ),
        "name": Field(str, "name of the tool"),
        "version": Field(str, "version of the tool"),
        "platform": Field(
            Text(pattern=r"^(linux|darwin|windows)-(amd64|arm64|arm|386)$", code="format.platform"),
            "platform, such as `linux-amd64`",
        ),
    },
)

COMMAND = Shape("command", "a command or a group of commands (§3.3)", {})
COMMAND.define(
    {
        "description": DESCRIPTION,
        "commands": Field(Table(COMMAND), "subcommands"),
        "arguments": Field(Items(ARGUMENT), "positionals"),
        "options": Field(Items(OPTION), "options"),
        "effects": Field(EFFECTS, EFFECTS.doc),
        "examples": Field(Items(str), "invocations"),
        "aliases": Field(Items(str), "other names"),
        "authentication": Field(AUTHENTICATION, "login needed for this command (0.1)"),
        "deprecated": Field(NOTE, "should no longer be used"),
        "hidden": Field(bool, "not shown by default"),
        "usage": Field(str, "usage line as the tool prints it"),
        "title": Field(str, "display name"),
    }
)
FILTER = Shape(
    "filter",
    "what a partial response was requested for (§3.1.1)",
    {
        "commands": Field(Items(str), "requested subtrees"),
        "depth": Field(Either({int: Integer(1), type(None): ANYTHING}), "requested levels"),
    },
)
OMITTED = Shape(
    "omitted",
    "why commands are missing and what to assume (§3.1.1)",
    {
        "reason": Field(
            Text(choices=("filtered", "depth-limited", "size-limited", "deprecated")), "why"
        ),
        "safetyAssumption": Field(
            Text(choices=("unknown", "known-safe", "known-unsafe", "same-as-included")),
            "how to treat what is missing",
        ),
    },
)
TOOL = Shape(
    "tool",
    "metadata of one tool (§3.2)",
    {
        "atip": Field(Either({str: VERSION, dict: PROTOCOL}), PROTOCOL.doc, required=True),
        "name": Field(
            Text(pattern=r"^[a-zA-Z0-9_-]+$", code="format.name"),
            "command name",
            required=True,
            code="format.missing-name",
        ),
        "version": Field(str, "version of the tool", required=True, code="format.missing-version"),
        "description": Field(
            Text(max_length=200, code="format.long-description"),
            "one-line description",
            required=True,
            code="format.missing-description",
        ),
        "homepage": Field(URL, "documentation"),
        "title": Field(str, "display name (0.1)"),
        "license": Field(str, "SPDX identifier (0.1)"),
        "trust": Field(TRUST, TRUST.doc),
        "binary": Field(BINARY, BINARY.doc),
        "commands": Field(Table(COMMAND), "commands"),
        "arguments": Field(Items(ARGUMENT), "positional arguments of the tool itself"),
        "options": Field(Items(OPTION), "options of the tool itself"),
        "globalOptions": Field(Items(OPTION), "options of every command"),
        "authentication": Field(AUTHENTICATION, AUTHENTICATION.doc),
        "effects": Field(EFFECTS, EFFECTS.doc),
        "patterns": Field(Items(PATTERN), "common uses"),
        "examples": Field(Items(str), "invocations"),
        "partial": Field(bool, "whether the document is partial"),
        "filter": Field(FILTER, FILTER.doc),
        "totalCommands": Field(Integer(0), "commands of the whole tool"),
        "includedCommands": Field(Integer(0), "commands in this document"),
        "omitted": Field(OMITTED, OMITTED.doc),
    },
)
