"""Claims of a bundle about its tools: sandbox, mutations and risk, derived from the ceiling of effects. Pure.

The template of a TOOL.md takes only the options it names, so its claims are derived from the ceiling of
these. Unknown counts as the dangerous value. Implements AIP-29 `sandbox`, AIP-14 `mutates`, `approval`, `risk_level`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.calls.effects.ceiling import claim_of, nodes_along
from atip.model.effects import UNKNOWN, union_of_steps
from atip.model.tool import Command

if TYPE_CHECKING:
    from atip.model.effects import Effects
    from atip.model.tool import Tool


def sandbox_of(tool: Tool) -> dict[str, Any]:
    """The narrowest block that the effects allow for; hosts are never guessed."""
    merged = tool.effects
    for path, command in tool.walk():
        if not command.commands:
            merged = _widest(merged, ceiling_of(tool, path, command))
    if not tool.commands:
        merged = ceiling_of(tool, (), root_command(tool))
    writes = merged.filesystem.write is not False or merged.filesystem.delete is not False
    return {
        "network": {"egress": []},
        "fs": {
            "read": ["./**"],
            "write": ["./**"] if writes else [],
            "deny": ["~/.ssh/**", "~/.gnupg/**"],
        },
        "exec": {"allow": merged.subprocess is not False, "spawn": []},
        "env": {"pass": [], "set": {}},
        "tty": {"required": False},
    }


def _widest(left: Effects, right: Effects) -> Effects:
    return right if left is UNKNOWN else union_of_steps(left, right)


def ceiling_of(tool: Tool, words: tuple[str, ...], command: Command) -> Effects:
    """Ceiling of effects of one tool: its template takes these options and no others."""
    nodes = nodes_along(tool, words)
    return claim_of(tool, nodes, command.options or (), bool(command.arguments)).ceiling


def narrowing_of(effects: Effects) -> dict[str, Any]:
    """The part of its bundle's sandbox that a command certainly does not need."""
    files = effects.filesystem
    narrowed: dict[str, Any] = {}
    if effects.network is False:
        narrowed["network"] = {"egress": []}
    if files.write is False and files.delete is False:
        narrowed["fs"] = {"write": []}
    if effects.subprocess is False:
        narrowed["exec"] = {"allow": False, "spawn": []}
    return narrowed


def mutations(effects: Effects) -> tuple[list[str], int]:
    """`mutates` and `risk_level` of AIP-14: unknown counts as the dangerous value."""
    files = effects.filesystem
    things = (*(effects.modifies or ()), *(effects.creates or ()), *(effects.deletes or ()))
    mutates = [f"external:{slug_of(thing)}" for thing in things]
    if files.write is not False or files.delete is not False:
        mutates.append("workspace:./**")
    mutates = list(dict.fromkeys(mutates))
    if effects.destructive or effects.reversible is False:
        return mutates or ["workspace:./**"], 3
    if any(target.startswith("external:") for target in mutates):
        return mutates, 2
    return mutates, 1 if mutates else 0


def root_command(tool: Tool) -> Command:
    """The bare tool as a command."""
    return Command(
        description=tool.description,
        options=tool.options,
        arguments=tool.arguments,
        effects=tool.effects,
    )


def slug_of(text: str) -> str:
    """Turn a text into an identifier for a bundle."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].rstrip("-") or "tool"
