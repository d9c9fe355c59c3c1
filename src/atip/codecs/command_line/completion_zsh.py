"""Completion scripts for zsh: one function per command, `_arguments` in each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.codecs.command_line.completion import (
    choices,
    function_name,
    levels,
    losses,
    one_line,
    plain_flags,
    program_name,
)
from atip.codecs.interface import Encoded

if TYPE_CHECKING:
    from atip.codecs.command_line.completion import Level
    from atip.model.tool import Argument, Option, Tool

_FILES = {"file": "_files", "directory": "_files -/"}


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a script for a folder of `fpath`, named `_TOOL`."""
    function = function_name(tool)
    parts = [f"#compdef {program_name(tool)}", ""]
    for level in levels(tool):
        parts += _function(function, level)
    parts.append(f'{function} "$@"')
    return Encoded(data="\n".join(parts) + "\n", losses=losses(tool))


def _function_name(function: str, path: tuple[str, ...]) -> str:
    # characters that a function name cannot contain are written as hex codes, so that paths stay distinct
    return "__".join([function, *(re.sub(r"[^A-Za-z0-9]", _hex_code, part) for part in path)])


def _hex_code(match: re.Match[str]) -> str:
    return f"_{ord(match[0]):x}_"


def _function(function: str, level: Level) -> list[str]:
    specs = [spec for option in level.options for spec in _option(option)]
    lines = [f"{_function_name(function, level.path)}() {{"]
    if not level.below:
        specs += [_argument(argument) for argument in level.arguments]
        return [*lines, "  _arguments -s -S \\", *_join(specs or ["'*: :_files'"]), "}", ""]
    lines += [
        "  local line state",
        "  _arguments -C \\",
        *_join([*specs, "'1: :->command'", "'*::arg:->rest'"]),
    ]
    lines += ["  case $state in", "  command)", "    local -a commands=("]
    lines += [
        f"      {_quote(f'{name}:{_escape(description)}')}" for name, description in level.below
    ]
    lines += ["    )", "    _describe command commands ;;", "  rest)", "    case $line[1] in"]
    for name, _description in level.below:
        names = "|".join([name, *(alias for alias, target in level.aliases if target == name)])
        lines.append(f"    {names}) {_function_name(function, (*level.path, name))} ;;")
    return [*lines, "    esac ;;", "  esac", "}", ""]


def _join(specs: list[str]) -> list[str]:
    return [
        f"    {spec}" + (" \\" if index < len(specs) - 1 else "")
        for index, spec in enumerate(specs)
    ]


def _option(option: Option) -> list[str]:
    description = _escape(one_line(option.description)).replace("[", "\\[").replace("]", "\\]")
    flags = plain_flags(option)
    many = "*" if option.variadic else ""
    value = f":{_escape(option.name)}:{_action(option)}" if option.takes_value else ""
    joined = "=" if option.takes_value else ""
    return [
        _quote(f"{many}{flag}{joined if flag.startswith('--') else ''}[{description}]{value}")
        for flag in flags
    ]


def _argument(argument: Argument) -> str:
    many = "*" if argument.variadic else ""
    optional = "" if argument.is_required else ":"
    return _quote(f"{many}:{optional}{_escape(argument.name)}:{_action(argument)}")


def _action(parameter: Option | Argument) -> str:
    words = choices(parameter)
    return f"({' '.join(words)})" if words else _FILES.get(parameter.type, " ")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
