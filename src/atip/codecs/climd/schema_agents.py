"""The public schema of AGENT-CLI.md (AIP-45): CLI.md's blocks for programs that hold a conversation. Data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.climd import schema as cli
from atip.codecs.climd.schema import FLAG, PATH_OR_BLOCK, TEXT, TEXTS, at_least, closed, words
from atip.codecs.climd.schema_documents import TEXT_MAP, WHOLE, list_of

if TYPE_CHECKING:
    Schema = dict[str, Any]


def _needs(field: str, value: str, needed: str) -> Schema:
    return {
        "if": {"properties": {field: {"const": value}}, "required": [field]},
        "then": {"required": [needed]},
    }


def _resumes(block: str, field: str, value: str) -> Schema:
    """A promise to resume needs the capability."""
    return {
        "if": {
            "type": "object",
            "properties": {
                block: {
                    "type": "object",
                    "properties": {field: {"const": value}},
                    "required": [field],
                }
            },
            "required": [block],
        },
        "then": {
            "type": "object",
            "properties": {
                "capabilities": {
                    "type": "object",
                    "properties": {"resumable": {"const": True}},
                    "required": ["resumable"],
                }
            },
            "required": ["capabilities"],
        },
    }


_STRATEGY = words("none", "pinned-session", "transcript", "native-resume")
_SCOPE = {"enum": ["conversation", "operator", "user", "guild", "workspace"]}
AGENT_CLI: Schema = {
    **closed(
        {
            "name": cli.NAME,
            "id": cli.BUNDLE_ID,
            "description": cli.DESCRIPTION,
            "version": cli.SEMVER,
            "bin": cli.BIN,
            "bin_args": TEXTS,
            "install": cli.INSTALL_LIST,
            "version_check": cli.VERSION_CHECK,
            "setup": cli.SETUP_LIST,
            "auth": cli.AUTH,
            "sandbox": PATH_OR_BLOCK,
            "runner": PATH_OR_BLOCK,
            "protocol": words("acp", "mcp", "proprietary"),
            "acp": TEXT,
            "mcp": closed(
                {
                    "command": TEXT,
                    "args": TEXTS,
                    "transport": words("stdio", "http", "sse"),
                    "url": TEXT,
                },
                "transport",
            ),
            "adapter": {"type": "string", "pattern": r"^@?[a-z0-9][a-z0-9\-./]*$"},
            "session": closed(
                {
                    "mode": words("ephemeral", "persistent", "resumable"),
                    "idle_timeout_ms": at_least(1000),
                    "max_turns": at_least(1),
                    "context_carryover": FLAG,
                }
            ),
            "models": closed({"default": TEXT, "allowed": TEXTS, "env": TEXT_MAP}),
            "capabilities": closed(
                dict.fromkeys(
                    (
                        *("streaming", "tool_calls", "sub_agents", "file_io"),
                        *("multimodal", "resumable", "bidirectional"),
                    ),
                    FLAG,
                )
            ),
            "modes": list_of(
                closed(
                    {
                        "id": cli.STEP_ID,
                        "description": TEXT,
                        "bin_args_append": TEXTS,
                        "env": TEXT_MAP,
                    },
                    "id",
                )
            ),
            "options": list_of(
                {
                    **closed(
                        {
                            "id": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_]{0,63}$"},
                            "type": words("boolean", "integer", "string", "enum"),
                            "description": TEXT,
                            "enum": list_of(TEXT, minItems=1),
                            "default": {},
                            "min": WHOLE,
                            "max": WHOLE,
                            "bin_args_template": TEXTS,
                            "bin_args_append_when_true": TEXTS,
                            "env": TEXT_MAP,
                        },
                        "id",
                        "type",
                    ),
                    **_needs("type", "enum", "enum"),
                }
            ),
            "continuation": closed(
                {
                    "default": _STRATEGY,
                    "supported": list_of(_STRATEGY, minItems=1, uniqueItems=True),
                    "pinned_session": closed(
                        {
                            "idle_timeout_ms": at_least(1000),
                            "key_scope": list_of(_SCOPE, minItems=1, uniqueItems=True),
                        }
                    ),
                },
                "default",
                "supported",
            ),
            "requires": cli.REQUIRES,
            "examples": list_of(
                closed({"goal": TEXT, "prompt": TEXT, "note": TEXT}, "goal", "prompt")
            ),
            "tags": cli.TAGS,
            "metadata": cli.OBJECT,
        },
        *("name", "id", "description", "version", "bin"),
        *("install", "version_check", "sandbox", "protocol"),
    ),
    "allOf": [
        _needs("protocol", "acp", "acp"),
        _needs("protocol", "mcp", "mcp"),
        _needs("protocol", "proprietary", "adapter"),
        _resumes("session", "mode", "resumable"),
        _resumes("continuation", "default", "native-resume"),
    ],
    "$defs": {"install": cli.ENTRIES, "setup": cli.STEPS},
}
