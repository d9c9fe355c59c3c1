"""Names of the clients that the guard supports. Loaded on every call of the hook, so it imports nothing."""

from __future__ import annotations

CLIENTS = ("claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode", "kimi")
GENERIC = "generic"
OTHER_NAMES = {"claude": "claude-code", "gemini": "gemini-cli"}
SPOKEN = (*CLIENTS, *OTHER_NAMES, GENERIC)
"""Values of `--for`."""


def full_name(name: str) -> str:
    """`claude` → `claude-code`."""
    return OTHER_NAMES.get(name, name)
