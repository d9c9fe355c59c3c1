"""A tool that uses every field of ATIP, to measure what a conversion loses. Data only."""

from __future__ import annotations

from typing import Any

_EFFECTS: dict[str, Any] = {
    "filesystem": {"read": True, "write": True, "delete": True, "paths": ["./out"]},
    "network": True,
    "subprocess": False,
    "idempotent": False,
    "reversible": False,
    "destructive": True,
    "creates": ["file"],
    "modifies": ["index"],
    "deletes": ["cache"],
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
    "cost": {"estimate": "low", "billable": True},
    "duration": {"typical": "1-5s", "timeout": "60s"},
}
_OPTIONS: list[dict[str, Any]] = [
    {
        "name": "format",
        "flags": ["-f", "--format"],
        "type": "enum",
        "enum": ["json", "text"],
        "default": "text",
        "description": "Output format",
        "envVar": "BOAT_FORMAT",
    },
    {
        "name": "limit",
        "flags": ["--limit"],
        "type": "integer",
        "description": "Maximum number",
        "required": True,
    },
    {
        "name": "tag",
        "flags": ["--tag"],
        "type": "string",
        "description": "Tags to set",
        "variadic": True,
        "pattern": "^[a-z]+$",
    },
    {
        "name": "force",
        "flags": ["--force"],
        "type": "boolean",
        "description": "Replace existing files",
        "exclusive": ["limit"],
        "x-atip": {"effects": {"destructive": True}},
    },
    {
        "name": "old",
        "flags": ["--old"],
        "type": "boolean",
        "description": "No longer used",
        "deprecated": "use --force",
        "hidden": True,
    },
]
SAMPLE: dict[str, Any] = {
    "atip": {"version": "0.6"},
    "name": "boat",
    "version": "1.2.0",
    "description": "Load and sail",
    "homepage": "https://boat.example",
    "license": "MIT",
    "trust": {"source": "native", "verified": True},
    "globalOptions": [
        {
            "name": "verbose",
            "flags": ["-v", "--verbose"],
            "type": "boolean",
            "description": "Print more details",
        }
    ],
    "authentication": {
        "required": False,
        "methods": [{"type": "token", "envVar": "BOAT_TOKEN", "setupCommand": "boat login"}],
    },
    "patterns": [
        {
            "name": "load-all",
            "description": "Load everything",
            "steps": [{"command": "boat load {what}"}],
            "variables": {"what": {"type": "string"}},
        }
    ],
    "commands": {
        "load": {
            "description": "Load a crate",
            "aliases": ["l"],
            "arguments": [
                {"name": "crate", "type": "file", "description": "What to load", "variadic": True}
            ],
            "options": _OPTIONS,
            "effects": _EFFECTS,
            "examples": ["boat load crate.txt --limit 3"],
        },
        "cargo": {
            "description": "What is aboard",
            "commands": {
                "list": {
                    "description": "List the cargo",
                    "arguments": [
                        {
                            "name": "deck",
                            "type": "enum",
                            "enum": ["upper", "lower"],
                            "description": "Which deck",
                            "required": False,
                            "default": "upper",
                        }
                    ],
                    "effects": {
                        "filesystem": {"read": True, "write": False, "delete": False},
                        "network": False,
                        "destructive": False,
                        "idempotent": True,
                    },
                    "hidden": True,
                    "deprecated": True,
                }
            },
        },
    },
}
