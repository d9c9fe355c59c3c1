"""Wire form of each value: wire name, attribute, conversion. Data for `decode` and `encode`.

Order is the order in which fields are written.
"""

from __future__ import annotations

from atip.model import effects, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PLAIN = "plain"
STRINGS = "tuple"
"""A JSON array kept as a tuple."""
ONE = "one"
MANY = "many"
MAP = "map"

Row = tuple[str, str, str, "Any"]

WIRE: dict[type, tuple[Row, ...]] = {
    effects.Filesystem: (
        ("read", "read", PLAIN, None),
        ("write", "write", PLAIN, None),
        ("delete", "delete", PLAIN, None),
        ("paths", "paths", STRINGS, None),
    ),
    effects.Interactive: (
        ("stdin", "stdin", PLAIN, None),
        ("prompts", "prompts", PLAIN, None),
        ("tty", "tty", PLAIN, None),
    ),
    effects.Cost: (("estimate", "estimate", PLAIN, None), ("billable", "billable", PLAIN, None)),
    effects.Duration: (("typical", "typical", PLAIN, None), ("timeout", "timeout", PLAIN, None)),
    effects.Effects: (
        ("filesystem", "filesystem", ONE, effects.Filesystem),
        ("network", "network", PLAIN, None),
        ("subprocess", "subprocess", PLAIN, None),
        ("idempotent", "idempotent", PLAIN, None),
        ("reversible", "reversible", PLAIN, None),
        ("destructive", "destructive", PLAIN, None),
        ("creates", "creates", STRINGS, None),
        ("modifies", "modifies", STRINGS, None),
        ("deletes", "deletes", STRINGS, None),
        ("interactive", "interactive", ONE, effects.Interactive),
        ("cost", "cost", ONE, effects.Cost),
        ("duration", "duration", ONE, effects.Duration),
    ),
    tool.Argument: (
        ("name", "name", PLAIN, None),
        ("type", "type", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("required", "required", PLAIN, None),
        ("default", "default", PLAIN, None),
        ("variadic", "variadic", PLAIN, None),
        ("enum", "enum", STRINGS, None),
        ("pattern", "pattern", PLAIN, None),
        ("schema", "schema", PLAIN, None),
    ),
    tool.Option: (
        ("name", "name", PLAIN, None),
        ("flags", "flags", STRINGS, None),
        ("type", "type", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("required", "required", PLAIN, None),
        ("default", "default", PLAIN, None),
        ("enum", "enum", STRINGS, None),
        ("envVar", "env_var", PLAIN, None),
        ("variadic", "variadic", PLAIN, None),
        ("pattern", "pattern", PLAIN, None),
        ("exclusive", "exclusive", STRINGS, None),
        ("schema", "schema", PLAIN, None),
        ("deprecated", "deprecated", PLAIN, None),
        ("hidden", "hidden", PLAIN, None),
    ),
    tool.AuthenticationMethod: (
        ("type", "type", PLAIN, None),
        ("envVar", "env_var", PLAIN, None),
        ("setupCommand", "setup_command", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("configPath", "config_path", PLAIN, None),
        ("scopes", "scopes", STRINGS, None),
    ),
    tool.Authentication: (
        ("required", "required", PLAIN, None),
        ("methods", "methods", MANY, tool.AuthenticationMethod),
        ("checkCommand", "check_command", PLAIN, None),
        ("scopes", "scopes", STRINGS, None),
    ),
    tool.PatternStep: (
        ("command", "command", PLAIN, None),
        ("description", "description", PLAIN, None),
    ),
    tool.Variable: (
        ("type", "type", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("default", "default", PLAIN, None),
        ("required", "required", PLAIN, None),
        ("enum", "enum", STRINGS, None),
    ),
    tool.Pattern: (
        ("name", "name", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("steps", "steps", MANY, tool.PatternStep),
        ("variables", "variables", MAP, tool.Variable),
        ("tags", "tags", STRINGS, None),
        ("executable", "executable", PLAIN, None),
    ),
    tool.Signature: (
        ("type", "type", PLAIN, None),
        ("identity", "identity", PLAIN, None),
        ("issuer", "issuer", PLAIN, None),
        ("bundle", "bundle", PLAIN, None),
    ),
    tool.Integrity: (
        ("checksum", "checksum", PLAIN, None),
        ("signature", "signature", ONE, tool.Signature),
    ),
    tool.ShimIntegrity: (
        ("signature", "signature", ONE, tool.Signature),
        ("lastVerified", "last_verified", PLAIN, None),
    ),
    tool.Provenance: (
        ("url", "url", PLAIN, None),
        ("format", "format", PLAIN, None),
        ("slsaLevel", "slsa_level", PLAIN, None),
        ("builder", "builder", PLAIN, None),
    ),
    tool.Trust: (
        ("source", "source", PLAIN, None),
        ("verified", "verified", PLAIN, None),
        ("integrity", "integrity", ONE, tool.Integrity),
        ("shimIntegrity", "shim_integrity", ONE, tool.ShimIntegrity),
        ("signature", "signature", ONE, tool.Signature),
        ("provenance", "provenance", ONE, tool.Provenance),
    ),
    tool.Binary: (
        ("hash", "hash", PLAIN, None),
        ("name", "name", PLAIN, None),
        ("version", "version", PLAIN, None),
        ("platform", "platform", PLAIN, None),
    ),
    tool.Protocol: (
        ("version", "version", PLAIN, None),
        ("features", "features", STRINGS, None),
        ("minAgentVersion", "min_agent_version", PLAIN, None),
    ),
    tool.Filter: (("commands", "commands", STRINGS, None), ("depth", "depth", PLAIN, None)),
    tool.Omission: (
        ("reason", "reason", PLAIN, None),
        ("safetyAssumption", "safety_assumption", PLAIN, None),
    ),
    tool.Command: (
        ("title", "title", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("usage", "usage", PLAIN, None),
        ("aliases", "aliases", STRINGS, None),
        ("arguments", "arguments", MANY, tool.Argument),
        ("options", "options", MANY, tool.Option),
        ("commands", "commands", MAP, tool.Command),
        ("effects", "effects", ONE, effects.Effects),
        ("authentication", "authentication", ONE, tool.Authentication),
        ("examples", "examples", STRINGS, None),
        ("deprecated", "deprecated", PLAIN, None),
        ("hidden", "hidden", PLAIN, None),
    ),
    tool.Tool: (
        ("atip", "protocol", ONE, tool.Protocol),
        ("name", "name", PLAIN, None),
        ("version", "version", PLAIN, None),
        ("title", "title", PLAIN, None),
        ("description", "description", PLAIN, None),
        ("homepage", "homepage", PLAIN, None),
        ("license", "license", PLAIN, None),
        ("binary", "binary", ONE, tool.Binary),
        ("trust", "trust", ONE, tool.Trust),
        ("partial", "partial", PLAIN, None),
        ("filter", "filter", ONE, tool.Filter),
        ("totalCommands", "total_commands", PLAIN, None),
        ("includedCommands", "included_commands", PLAIN, None),
        ("omitted", "omitted", ONE, tool.Omission),
        ("arguments", "arguments", MANY, tool.Argument),
        ("options", "options", MANY, tool.Option),
        ("globalOptions", "global_options", MANY, tool.Option),
        ("commands", "commands", MAP, tool.Command),
        ("effects", "effects", ONE, effects.Effects),
        ("authentication", "authentication", ONE, tool.Authentication),
        ("patterns", "patterns", MANY, tool.Pattern),
        ("examples", "examples", STRINGS, None),
    ),
}
