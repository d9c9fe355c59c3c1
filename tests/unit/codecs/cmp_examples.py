"""CMP documents for tests: our own tools, and those that the text of the specification holds."""

from __future__ import annotations

import copy
import json
import re

from tests.shared import shared

MANIFEST = {
    "domain": "notes",
    "name": "jot",
    "summary": "Notes in plain files: write, find, drop",
    "version": "1.2.0",
    "binary": "jot-cli",
    "requires": ["files"],
    "tags": ["markdown"],
}
CAPABILITY = {
    "intents": [
        {
            "patterns": ["list notes", "show my notes", "re:^which notes"],
            "command": "jot-cli list --json",
            "returns": {"type": "array", "items": {"type": "string"}},
            "destructive": False,
        },
        {
            "patterns": ["write a note", "add note", "remember this"],
            "command": 'jot-cli add --title "{title}" {text}',
            "params": {
                "title": {"type": "string", "description": "One line"},
                "text": {"type": "string", "required": True},
            },
            "idempotent": False,
        },
        {
            "patterns": ["drop notes", "throw notes away"],
            "command": "jot-cli drop --ids {ids}",
            "params": {"ids": {"type": "array<string>", "required": True}},
            "confirm": True,
            "destructive": True,
        },
        {
            "patterns": ["bring notes back", "undo drop"],
            "command": "jot-cli restore --last {count}",
            "params": {"count": {"type": "integer", "default": 1}},
        },
    ]
}


def jot(**manifest) -> dict:
    """The documents of one tool; `manifest` replaces fields."""
    made = {"manifest": {**MANIFEST, **manifest}, "capability": CAPABILITY}
    return copy.deepcopy(
        {**made, "manifest": {k: v for k, v in made["manifest"].items() if v is not None}}
    )


def spec_blocks() -> list[dict]:
    """Every JSON object in the text of the specification."""
    text = (shared("specs") / "cmp-0.2.0.md").read_text()
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]


def spec_tools() -> list[dict]:
    """The tools that the text shows: §3.2 with §4.2, and the adapter of §7.1."""
    blocks = spec_blocks()
    manifests = [block for block in blocks if "domain" in block]
    capabilities = [block for block in blocks if "intents" in block]
    return [
        {"manifest": manifest, "capability": capability}
        for manifest, capability in zip(manifests, capabilities, strict=True)
    ]


def inboxd() -> dict:
    """Appendix A."""
    folder = shared("vectors/cmp") / "inboxd" / "cmp"
    return {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in ("manifest", "capability", "examples")
    }
