"""Completion scripts for bash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.command_line.completion import (
    choices,
    function_name,
    levels,
    losses,
    plain_flags,
    program_name,
)
from atip.codecs.interface import Encoded

if TYPE_CHECKING:
    from atip.codecs.command_line.completion import Level
    from atip.model.tool import Tool


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a script for `bash-completion/completions/TOOL`."""
    all_levels = list(levels(tool))
    function = function_name(tool)
    text = f"""# bash completion for {program_name(tool)}
{function}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path= word
  local -a opts=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{_command_arms(all_levels)}
    esac
  done
  case "$path $prev" in
{_value_arms(all_levels)}
  *)
    case "$path" in
{_word_arms(all_levels)}
    esac ;;
  esac
  COMPREPLY=()
  # no compgen -W: it would expand the words
  for word in "${{opts[@]}}"; do [[ $word == "$cur"* ]] && COMPREPLY+=("$word"); done
}}
complete -o default -F {function} {program_name(tool)}
"""
    return Encoded(data=text, losses=losses(tool))


def _path(level: Level) -> str:
    return "".join(f" {part}" for part in level.path)


def _command_arms(all_levels: list[Level]) -> str:
    lines = []
    for level in all_levels:
        names = [name for name, _ in level.below]
        targets = [(name, name) for name in names] + list(level.aliases)
        lines += [f"    '{_path(level)} {a}') path='{_path(level)} {n}' ;;" for a, n in targets]
    return "\n".join(lines) or "    *) ;;"


def _value_arms(all_levels: list[Level]) -> str:
    """Case arms after an option that takes a value: its choices, else files."""
    lines = []
    for level in all_levels:
        for option in level.options:
            if option.takes_value:
                arms = "|".join(f"'{_path(level)} {flag}'" for flag in plain_flags(option))
                lines.append(f"  {arms}) opts=({_word_list(choices(option))}) ;;")
    return "\n".join(lines)


def _word_arms(all_levels: list[Level]) -> str:
    lines = []
    for level in all_levels:
        flags = [flag for option in level.options for flag in plain_flags(option)]
        values = [word for argument in level.arguments for word in choices(argument)]
        words = _word_list([*(name for name, _ in level.below), *values, *flags])
        lines.append(f"    '{_path(level)}') opts=({words}) ;;")
    return "\n".join(lines)


def _word_list(words: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"'{word}'" for word in words)
