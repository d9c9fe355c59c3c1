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
    """Tool → script for `bash-completion/completions/TOOL`."""
    found = list(levels(tool))
    function = function_name(tool)
    text = f"""# bash completion for {program_name(tool)}
{function}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path= word
  local -a opts=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{_steps(found)}
    esac
  done
  case "$path $prev" in
{_values(found)}
  *)
    case "$path" in
{_words(found)}
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


def _steps(found: list[Level]) -> str:
    lines = []
    for level in found:
        names = [name for name, _ in level.below]
        known = [(name, name) for name in names] + list(level.aliases)
        lines += [f"    '{_path(level)} {a}') path='{_path(level)} {n}' ;;" for a, n in known]
    return "\n".join(lines) or "    *) ;;"


def _values(found: list[Level]) -> str:
    """After an option that wants a value: its choices, else files."""
    lines = []
    for level in found:
        for option in level.options:
            if option.takes_value:
                arms = "|".join(f"'{_path(level)} {flag}'" for flag in plain_flags(option))
                lines.append(f"  {arms}) opts=({_listed(choices(option))}) ;;")
    return "\n".join(lines)


def _words(found: list[Level]) -> str:
    lines = []
    for level in found:
        flags = [flag for option in level.options for flag in plain_flags(option)]
        values = [word for argument in level.arguments for word in choices(argument)]
        listed = _listed([*(name for name, _ in level.below), *values, *flags])
        lines.append(f"    '{_path(level)}') opts=({listed}) ;;")
    return "\n".join(lines)


def _listed(words: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"'{word}'" for word in words)
