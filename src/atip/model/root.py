"""The root command: the tool without a subcommand (A11).

ATIP writes it as a command with an empty name. Inside, its options and positionals sit at the tool
itself, where parsing and inference look for them. `lift` and `lower` go from one form to the other.

SECURITY: effects of the bare tool apply to nothing else. `effects` at the tool apply to every command without effects
of its own (A42): were the root command's put there, `git` alone, which prints help, would make an unknown subcommand
harmless. Beside other commands they are kept apart, in `x-atip.bare`.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, Effects, join
from atip.model.tool import Command, Tool

ROOT = ""
BARE = "bare"
"""In `x-atip` of a tool in working form: effects of the tool without a subcommand."""


def bare_effects(tool: Tool) -> Effects:
    """Effects of the tool without a subcommand."""
    stored = tool.own.get(BARE)
    return tool.effects if stored is None else join(_decode(stored), tool.effects)


def _decode(effects: object) -> Effects:
    from atip.model.reading.decode import decode_effects  # a guarded command has nothing to decode

    return decode_effects(effects)


def with_bare_effects(tool: Tool, effects: Effects) -> Tool:
    """The tool in working form with effects of its root command."""
    if not tool.commands:
        return tool.replace(effects=effects)
    own = {key: value for key, value in tool.own.items() if key != BARE}
    if effects is not UNKNOWN:
        from atip.model.reading.encode import encode_effects

        own[BARE] = encode_effects(effects)
    rest = {key: value for key, value in tool.extra.items() if key != "x-atip"}
    return tool.replace(extra={**rest, "x-atip": own} if own else rest)


def lift(tool: Tool) -> Tool:
    """The written form → the working form: no command with an empty name."""
    root = (tool.commands or {}).get(ROOT)
    if root is None:
        return tool
    siblings = {name: command for name, command in (tool.commands or {}).items() if name != ROOT}
    lifted = tool.replace(
        commands=siblings or None,
        options=(*(tool.options or ()), *(root.options or ())) or None,
        arguments=tool.arguments or root.arguments,
        examples=tool.examples or root.examples,
        extra={**root.extra, **tool.extra},
    )
    return with_bare_effects(lifted, root.effects if siblings else join(root.effects, tool.effects))


def lower(tool: Tool) -> Tool:
    """The working form → the written form. A tool without commands is its own root command."""
    bare = tool.own.get(BARE)
    if tool.commands and not (tool.options or tool.arguments or bare):
        return tool
    if ROOT in (tool.commands or {}):
        return tool
    alone = not tool.commands
    tool = with_bare_effects(tool, UNKNOWN) if bare else tool
    root = Command(
        description=tool.description,
        options=tool.options,
        arguments=tool.arguments,
        effects=tool.effects if alone else _decode(bare),
        examples=tool.examples if alone else None,
    )
    return tool.replace(
        commands={ROOT: root, **(tool.commands or {})},
        options=None,
        arguments=None,
        effects=UNKNOWN if alone else tool.effects,
        examples=None if alone else tool.examples,
    )
