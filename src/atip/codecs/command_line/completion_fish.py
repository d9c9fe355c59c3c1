"""Completion scripts for fish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.command_line.completion import (
    choices,
    levels,
    losses,
    one_line,
    plain_flags,
    program_name,
)
from atip.codecs.interface import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.codecs.command_line.completion import Level
    from atip.model.tool import Option, Tool


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a script for `fish/completions/TOOL.fish`."""
    name = program_name(tool)
    lines = [f"# fish completion for {name}"]
    for level in levels(tool):
        lines += _lines(name, level)
    return Encoded(data="\n".join(lines) + "\n", losses=losses(tool))


def _lines(name: str, level: Level) -> Iterator[str]:
    after_command = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in level.path)
    condition = after_command or "__fish_use_subcommand"
    for subcommand, description in level.below:
        yield f"complete -c {name} -f -n '{condition}' -a '{subcommand}' -d {_quote(description)}"
    where = f"-n '{after_command}' " if after_command else ""
    for option in level.options:
        description = _quote(one_line(option.description))
        yield f"complete -c {name} {where}{_spell(option)} -d {description}"
    for argument in level.arguments:
        words = choices(argument)
        if words and after_command:
            yield f"complete -c {name} -f -n '{after_command}' -a '{' '.join(words)}'"


def _spell(option: Option) -> str:
    parts = []
    for flag in plain_flags(option):
        if flag.startswith("--"):
            parts.append(f"-l {flag[2:]}")
        else:
            parts.append(f"-s {flag[1:]}" if len(flag) == 2 else f"-o {flag[1:]}")
    if option.takes_value:
        words = choices(option)
        parts.append(f"-x -a '{' '.join(words)}'" if words else "-r")
    return " ".join(parts)


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
