"""The public schema of CLI.md, as tables in JSON Schema terms. Data.

Used for the verdict by schema alone (`mode="schema"`); rules beyond the schema are in
`check.py`. Variants that a field selects (`method`, `kind`) have tables of their own, so that a
finding names the wrong field instead of "matches none". Implements AIP-29 "Frontmatter"; P1, P7, P23.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 80}
DESCRIPTION: Schema = {"type": "string", "minLength": 1, "maxLength": 2000}
BUNDLE_ID: Schema = {"type": "string", "pattern": r"^[a-z0-9][a-z0-9\-]{1,63}$"}
SEMVER: Schema = {"type": "string", "pattern": r"^\d+\.\d+\.\d+(?:[-+][\w.\-]+)?$"}
BIN: Schema = {"type": "string", "pattern": r"^[A-Za-z0-9._\-/]+$"}
TAGS: Schema = {
    "type": "array",
    "items": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9\-]{0,63}$"},
    "uniqueItems": True,
}
DURATION: Schema = {"type": "string", "pattern": r"^P(?:T)?\S+$"}
SHA256: Schema = {"type": "string", "pattern": "^[a-f0-9]{64}$"}
SLUG: Schema = {"type": "string", "minLength": 2, "maxLength": 80}
STEP_ID: Schema = {"type": "string", "pattern": r"^[a-z0-9][a-z0-9\-]{0,63}$"}
PATH_OR_BLOCK: Schema = {"oneOf": [TEXT, OBJECT]}


def closed(properties: Schema, *required: str) -> Schema:
    """Schema of an object with these fields and no others."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def words(*choices: str) -> Schema:
    return {"type": "string", "enum": list(choices)}


def at_least(minimum: int) -> Schema:
    return {"type": "integer", "minimum": minimum}


def _method(method: str, *required: str, **others: Schema) -> Schema:
    fields: Schema = {"method": {"const": method}, **dict.fromkeys(required, TEXT), **others}
    return closed({**fields, "experimental": FLAG}, "method", *required)


PACKAGE_METHODS = ("brew", "apt", "dnf", "pacman", "choco", "scoop", "cargo", "go")
INSTALL: dict[str, Schema] = {
    **{method: _method(method, "package") for method in PACKAGE_METHODS},
    "npm": _method("npm", "package", **{"global": FLAG}),
    "pip": _method("pip", "package", user=FLAG),
    "curl": _method("curl", "url", verify_sha256=SHA256),
    "download": _method("download", "url", "extract_bin", verify_sha256=SHA256),
    "vendored": _method("vendored", "path"),
}
"""The thirteen methods of v1 and what each needs."""

CHECK = closed({"cmd": TEXT, "exit_code": {"type": "integer"}}, "cmd")
SKIP_IF = closed(
    {"cmd": TEXT, "exit_code": {"type": "integer"}, "timeout_ms": at_least(100)}, "cmd"
)
PERSIST: Schema = {
    **closed({"env": TEXT, "secret_slug": SLUG, "cmd": TEXT}),
    "oneOf": [{"required": ["env"]}, {"required": ["secret_slug"]}, {"required": ["cmd"]}],
}
_NOTE: Schema = {"type": "string", "maxLength": 2000}


def _step(kind: str, *required: str, **fields: Schema) -> Schema:
    shared: Schema = {
        "id": STEP_ID,
        "kind": {"const": kind},
        "description": _NOTE,
        "skip_if": SKIP_IF,
    }
    return closed({**shared, **fields}, "id", "kind", *required)


SETUP: dict[str, Schema] = {
    "cmd": _step(
        "cmd", "cmd", cmd=TEXT, timeout_ms=at_least(100), interactive=FLAG, persist=PERSIST
    ),
    "prompt": _step(
        "prompt",
        "prompt",
        prompt=TEXT,
        type=words("text", "select", "boolean", "secret"),
        default=TEXT,
        options={
            "oneOf": [
                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
                closed({"cmd": TEXT, "timeout_ms": at_least(100)}, "cmd"),
            ]
        },
        persist=PERSIST,
    ),
    "oauth": _step("oauth", "secret_slug", secret_slug=SLUG),
    "external": _step(
        "external",
        "url",
        url=TEXT,
        callback=closed({"param": TEXT, "timeout_ms": at_least(1000)}),
        persist=PERSIST,
    ),
}
"""Step kinds of `setup`."""

VERSION_CHECK = closed(
    {"cmd": TEXT, "parse": TEXT, "range": TEXT, "timeout_ms": at_least(100)},
    "cmd",
    "parse",
    "range",
)
AUTH = closed(
    {
        "ref": TEXT,
        "state": closed({"paths": TEXTS, "env": TEXTS}),
        "login": closed(
            {
                "cmd": TEXT,
                "interactive": FLAG,
                "requires_callback_url": FLAG,
                "completes_when": CHECK,
            },
            "cmd",
        ),
        "refresh": closed({"cmd": TEXT, "every": DURATION}, "cmd"),
        "expiry": closed({"detect": {"type": "string", "pattern": r"^exit_code:\d+$"}}),
    }
)
SANDBOX = closed(
    {
        "network": closed({"egress": TEXTS, "ingress": TEXTS}),
        "fs": closed({"read": TEXTS, "write": TEXTS, "deny": TEXTS}),
        "exec": closed({"allow": FLAG, "spawn": TEXTS}, "allow"),
        "env": closed({"pass": TEXTS, "set": {"type": "object", "additionalProperties": TEXT}}),
        "tty": closed({"required": FLAG}),
    },
    "network",
    "fs",
    "exec",
    "env",
)
STREAM = words("stdout", "stderr", "mixed")
OUTPUT = closed(
    {
        "default_format": words("text", "json", "yaml", "binary"),
        "json_flag": TEXT,
        "json_flag_args": TEXTS,
        "exit_codes": {
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": "^[a-z][a-z0-9_]+$"},
            "propertyNames": {"pattern": r"^\d+$"},
        },
        "stream": STREAM,
        "error_stream": STREAM,
    }
)
REQUIRES = closed(
    {
        "os": {"type": "array", "items": words("darwin", "linux", "windows")},
        "arch": {"type": "array", "items": words("x64", "arm64", "x86", "arm")},
        "min_disk_mb": at_least(0),
        "min_memory_mb": at_least(0),
    }
)
COMMANDS: Schema = {
    "type": "object",
    "additionalProperties": {"oneOf": [TEXT, {"$ref": "#/$defs/commands"}]},
}
ENTRIES: Schema = {"oneOf": list(INSTALL.values())}
STEPS: Schema = {"oneOf": list(SETUP.values())}
INSTALL_LIST: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/install"}}
SETUP_LIST: Schema = {"type": "array", "items": {"$ref": "#/$defs/setup"}}

CLI: Schema = {
    **closed(
        {
            "name": NAME,
            "id": BUNDLE_ID,
            "description": DESCRIPTION,
            "version": SEMVER,
            "bin": BIN,
            "bin_args": TEXTS,
            "install": INSTALL_LIST,
            "version_check": VERSION_CHECK,
            "setup": SETUP_LIST,
            "auth": AUTH,
            "runner": PATH_OR_BLOCK,
            "sandbox": SANDBOX,
            "output": OUTPUT,
            "commands": {"$ref": "#/$defs/commands"},
            "actions": {"type": "array", "items": closed({"ref": TEXT}, "ref")},
            "requires": REQUIRES,
            "examples": {
                "type": "array",
                "items": closed({"goal": TEXT, "cmd": TEXT, "note": TEXT}, "goal", "cmd"),
            },
            "tags": TAGS,
            "metadata": OBJECT,
        },
        *("name", "id", "description", "version", "bin"),
        *("install", "version_check", "sandbox", "commands"),
    ),
    "$defs": {"commands": COMMANDS, "install": ENTRIES, "setup": STEPS},
}
"""The front matter of a CLI.md. `intents` of the text is `actions` here (P1)."""
