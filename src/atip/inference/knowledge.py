"""Merge curated knowledge over a tool that was inferred or read from a shim.

Structure (names, descriptions, types) stays the inferred tool's; effects, wrappers, modes and dry
runs come from knowledge, and whatever danger the tool itself declares is kept on top. Commands and
flags that only knowledge has are not shown as the tool's own: they go to the vendor block, where the
parser finds them. Native documents and user overrides are not merged (docs/architecture.md, source order).
"""

from __future__ import annotations

from atip.calls.parse import parse
from atip.inference.effects_rules import infer_command_effects, infer_flag
from atip.knowledge.reading import CURATED, LazyCommands
from atip.model.effects import UNKNOWN, raised_by
from atip.model.root import bare_effects, with_bare_effects
from atip.model.tool import Command, Option, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.model.effects import Effects

    Path = tuple[str, ...]

_FOREIGN_MAY = ("effects", "runs", "evidence", "join")
"""SECURITY: all that a foreign vendor block may say; everything else could lower effects."""


def merge_knowledge(tool: Tool, knowledge: Tool) -> Tool:
    """One tool: `tool`'s structure, `knowledge`'s effects, danger of both."""
    own = _own(tool.own, knowledge.own)
    own["curated"] = CURATED
    curated = (*(knowledge.global_options or ()), *(knowledge.options or ()))
    vetted = own.get("rest") == "harmless"
    own["also"] = _curated_only(curated, (*(tool.options or ()), *(tool.global_options or ())))
    _shelve(own, knowledge.commands, tool.commands)
    merged = tool.replace(
        description=tool.description
        if tool.description not in ("", tool.name)
        else knowledge.description or tool.name,
        homepage=tool.homepage or knowledge.homepage,
        authentication=tool.authentication or knowledge.authentication,
        patterns=tool.patterns or knowledge.patterns,
        options=_options(tool.options, curated, vetted),
        global_options=_options(tool.global_options, curated, vetted),
        commands=_commands(tool.commands, knowledge, (), vetted),
        extra={**tool.extra, "x-atip": own},
    )
    return with_bare_effects(merged, raised_by(knowledge.effects, bare_effects(tool)))


def _commands(
    commands: Mapping[str, Command] | None, knowledge: Tool, path: Path, vetted: bool
) -> Mapping[str, Command] | None:
    if commands is None:
        return None
    return {
        name: _command(command, knowledge, (*path, name), vetted)
        for name, command in commands.items()
    }


def _command(command: Command, knowledge: Tool, path: Path, vetted: bool) -> Command:
    curated = _find_curated(knowledge, path)
    if curated is None:
        return command.replace(
            effects=_by_rule(knowledge.name, path, command),
            options=_options(command.options, (), vetted),
            commands=_commands(command.commands, knowledge, path, vetted),
            extra={**command.extra, "x-atip": _own(command.own, {})},
        )
    own = _own(command.own, curated.own)
    vetted = vetted or own.get("rest") == "harmless"
    own["also"] = _curated_only(curated.options or (), command.options or ())
    _shelve(own, curated.commands, command.commands)
    return command.replace(
        description=command.description or curated.description,
        effects=raised_by(curated.effects, command.effects),
        aliases=command.aliases or curated.aliases,
        options=_options(command.options, curated.options or (), vetted),
        commands=_commands(command.commands, knowledge, path, vetted),
        extra={**command.extra, "x-atip": own},
    )


def _find_curated(knowledge: Tool, path: Path) -> Command | None:
    """The curated command at a path: by name, alias, glob or deep rule."""
    call = parse(knowledge, (knowledge.name, *path))
    if call.unknown_command or call.arguments or not call.nodes:
        return None
    return call.nodes[-1]


def _by_rule(tool: str, path: Path, command: Command) -> Effects:
    if command.effects != UNKNOWN:
        return command.effects
    return infer_command_effects(tool, path, command.description).effects


def _options(
    options: tuple[Option, ...] | None, curated: tuple[Option, ...], vetted: bool
) -> tuple[Option, ...] | None:
    if options is None:
        return None
    by_flag = {flag: option for option in curated for flag in option.flags}
    return tuple(_option(option, by_flag, vetted) for option in options)


def _option(option: Option, by_flag: Mapping[str, Option], vetted: bool) -> Option:
    curated = next((by_flag[flag] for flag in option.flags if flag in by_flag), None)
    own: dict[str, Any] = {k: v for k, v in option.own.items() if k in _FOREIGN_MAY}
    if curated is None:
        if not vetted:
            own.update(infer_flag(option.flags, option.description))
        return option.replace(extra={**option.extra, "x-atip": own}) if own else option
    own = {**own, **curated.own}
    kind = curated.type if curated.takes_value and not option.takes_value else option.type
    return option.replace(type=kind, extra={**option.extra, "x-atip": own})


def _own(foreign: Mapping[str, Any], curated: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in foreign.items() if key in _FOREIGN_MAY}
    own.update(curated)
    return own


def _curated_only(curated: tuple[Option, ...], shown: tuple[Option, ...]) -> dict[str, Any]:
    """Curated options that the tool's own description does not show, in the pack's form."""
    there = {flag for option in shown for flag in option.flags}
    options = []
    for option in curated:
        if there & set(option.flags):
            continue
        spec: dict[str, Any] = {"flags": list(option.flags), "own": dict(option.own)}
        if option.takes_value:
            spec["value"] = "optional" if option.own.get("optionalValue") else True
        options.append(spec)
    return {"options": options}


def _shelve(
    own: dict[str, Any], curated: Mapping[str, Command] | None, shown: Mapping[str, Command] | None
) -> None:
    """Curated commands that the tool's own tree lacks stay findable, but are not shown."""
    if not isinstance(curated, LazyCommands):
        return
    there = set(shown or ())
    for command in (shown or {}).values():
        there |= set(command.aliases or ())
    hidden = {name: node for name, node in curated.nodes.items() if name not in there}
    if hidden:
        own["globs"] = {**hidden, **own.get("globs", {})}
