"""Two descriptions of one tool → one: union of facts, the better source wins where both speak. Pure.

Options are the same when they share a flag. Nothing is taken away: a command or a flag that only the
lesser source knows is kept. Effects are joined, danger wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.effects import join
from atip.model.tool import MISSING, Argument, Command, Option, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNKNOWN_VERSION = "unknown"


def merge_tools(better: Tool, other: Tool) -> Tool:
    """Both sources of one tool together."""
    has_commands = bool(better.commands or other.commands)
    mine = (*(better.options or ()), *(better.global_options or ()))
    theirs = (*(other.options or ()), *(other.global_options or ()))
    options = merge_options(mine, theirs) or None
    has_description = better.description not in ("", better.name)
    return better.replace(
        version=better.version if better.version not in ("", UNKNOWN_VERSION) else other.version,
        description=better.description
        if has_description
        else other.description or better.description,
        homepage=better.homepage or other.homepage,
        commands=merge_commands(better.commands, other.commands),
        arguments=better.arguments
        if has_commands
        else merge_arguments(better.arguments, other.arguments),
        options=None if has_commands else options,
        global_options=options if has_commands else None,
        effects=join(better.effects, other.effects),
        examples=better.examples or other.examples,
        extra={**other.extra, **better.extra},
    )


def merge_commands(
    better: Mapping[str, Command] | None, other: Mapping[str, Command] | None
) -> Mapping[str, Command] | None:
    """The union of two trees."""
    if not better or not other:
        return better or other
    merged = dict(better)
    aliases = {alias: name for name, command in better.items() for alias in command.aliases or ()}
    for name, command in other.items():
        target = name if name in merged else aliases.get(name)
        if target is None:
            merged[name] = command
        else:
            merged[target] = merge_command(merged[target], command)
    return merged


def merge_command(better: Command, other: Command) -> Command:
    """Two descriptions of one command."""
    return better.replace(
        description=better.description or other.description,
        commands=merge_commands(better.commands, other.commands),
        arguments=merge_arguments(better.arguments, other.arguments),
        options=merge_options(better.options or (), other.options or ()) or None,
        effects=join(better.effects, other.effects),
        examples=better.examples or other.examples,
        aliases=better.aliases or other.aliases,
        usage=better.usage or other.usage,
        extra={**other.extra, **better.extra},
    )


def merge_arguments(
    better: tuple[Argument, ...] | None, other: tuple[Argument, ...] | None
) -> tuple[Argument, ...] | None:
    """Two lists of one command's positionals, place by place where they are as long as each other.

    A positional is required if both say so, and may be repeated if one says so: help texts shorten.
    """
    if not better or not other or len(better) != len(other):
        return better or other
    return tuple(_merge_argument(one, two) for one, two in zip(better, other, strict=True))


def _merge_argument(better: Argument, other: Argument) -> Argument:
    is_optional = better.required is False or other.required is False
    return better.replace(
        required=False if is_optional else better.required,
        variadic=better.variadic or other.variadic,
        enum=better.enum or other.enum,
        description=better.description or other.description,
    )


def merge_options(better: Iterable[Option], other: Iterable[Option]) -> tuple[Option, ...]:
    """The union by flags, in the better source's order."""
    merged: list[Option] = []
    place: dict[str, int] = {}
    for option in (*better, *other):
        index = next((place[flag] for flag in option.flags if flag in place), None)
        if index is None:
            index = len(merged)
            merged.append(option)
        else:
            merged[index] = _merge_option(merged[index], option)
        place.update(dict.fromkeys(merged[index].flags, index))
    return tuple(merged)


def _merge_values(
    better: tuple[object, ...] | None, other: tuple[object, ...] | None
) -> tuple[object, ...] | None:
    """A list that another source has whole and longer is the shorter one of an older or terser text."""
    if not better or not other:
        return better or other
    return other if set(better) < set(other) else better


def _merge_option(better: Option, other: Option) -> Option:
    flags = (*better.flags, *(flag for flag in other.flags if flag not in better.flags))
    # A completion script that names a flag without a word about it does not deny it a value; and a source that lists the values of
    # a flag knows that it takes one.
    silent = better.type == "boolean" and (not better.description or bool(other.enum))
    return better.replace(
        flags=flags,
        type=other.type
        if other.type != "boolean" and (silent or better.type == "string")
        else better.type,
        description=better.description or other.description,
        enum=_merge_values(better.enum, other.enum),
        default=better.default if better.default is not MISSING else other.default,
        env_var=better.env_var or other.env_var,
        variadic=better.variadic or other.variadic,
        extra={**other.extra, **better.extra},
    )
