"""The root command: what the bare tool does when no subcommand is named (A11).

ATIP writes it as a command with an empty name. Inside, its options and positionals sit at the tool
itself, where parsing and inference look for them. `lift` and `lower` go from one form to the other.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, join
from atip.model.tool import Command, Tool

ROOT = ""


def lift(tool: Tool) -> Tool:
    """The written form → the working form: no command with an empty name."""
    root = (tool.commands or {}).get(ROOT)
    if root is None:
        return tool
    siblings = {name: command for name, command in (tool.commands or {}).items() if name != ROOT}
    return tool.replace(
        commands=siblings or None,
        options=(*(tool.options or ()), *(root.options or ())) or None,
        arguments=tool.arguments or root.arguments,
        effects=join(root.effects, tool.effects),
        examples=tool.examples or root.examples,
        extra={**root.extra, **tool.extra},
    )


def lower(tool: Tool) -> Tool:
    """The working form → the written form. A tool without commands is its own root command."""
    if tool.commands and not (tool.options or tool.arguments):
        return tool
    if ROOT in (tool.commands or {}):
        return tool
    alone = not tool.commands
    root = Command(
        description=tool.description,
        options=tool.options,
        arguments=tool.arguments,
        effects=tool.effects if alone else UNKNOWN,
        examples=tool.examples if alone else None,
    )
    return tool.replace(
        commands={ROOT: root, **(tool.commands or {})},
        options=None,
        arguments=None,
        effects=UNKNOWN if alone else tool.effects,
        examples=None if alone else tool.examples,
    )
