"""Manual pages (roff, `man` macros): one page per tool, commands as subsections. Text only; reading is `inference/manual/man.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.interface import Encoded
from atip.codecs.providers.safety import clean_text, safety_suffix
from atip.codecs.vocabulary import Vocabulary, find_losses, words
from atip.model.effects import join
from atip.model.root import bare_effects, lift

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option, Tool

VOCABULARY = Vocabulary(
    tool=words("version description homepage examples"),
    command=words("description aliases examples"),
    option=words("flags description enum envVar default"),
    argument=words("description required variadic"),
    types=words("string boolean"),
)


def encode(tool: Tool) -> Encoded:
    """Encode a tool as roff. Effects are written as prose, which cannot be decoded: they count as lost."""
    lifted = lift(tool)
    title = tool.name.upper()
    lines = [
        f'.TH "{_text(title)}" 1 "" "{_text(tool.name)} {_text(tool.version)}"',
        ".SH NAME",
        f"{_text(tool.name)} \\- {_line(tool.description)}",
        ".SH SYNOPSIS",
        f".B {_text(tool.name)}",
        _synopsis(lifted),
        ".SH DESCRIPTION",
        *_paragraph(tool.description, bare_effects(lifted)),
    ]
    options = [*(lifted.global_options or ()), *(lifted.options or ())]
    lines += [".SH OPTIONS", *_options(options)] if options else []
    lines += [".SH ARGUMENTS", *_arguments(lifted.arguments)] if lifted.arguments else []
    lines += _commands(lifted)
    lines += _examples(lifted.examples or ())
    lines += [".SH SEE ALSO", _line(tool.homepage)] if tool.homepage else []
    losses = find_losses(tool, VOCABULARY, "a manual page has it as prose or not at all")
    return Encoded(data="\n".join(lines) + "\n", losses=tuple(losses))


def _synopsis(tool: Tool) -> str:
    parts = ["[\\fIOPTIONS\\fR]"] if tool.options or tool.global_options else []
    parts += ["\\fICOMMAND\\fR"] if tool.commands else []
    return " ".join([*parts, *(_spell(argument) for argument in tool.arguments or ())])


def _commands(tool: Tool) -> list[str]:
    commands = [(path, command) for path, command in tool.walk() if not command.hidden]
    if not commands:
        return []
    lines = [".SH COMMANDS"]
    for path, command in commands:
        lines += _command(
            " ".join((tool.name, *path)), command, join(command.effects, tool.effects)
        )
    return lines


def _command(name: str, command: Command, effects: Effects) -> list[str]:
    words = " ".join(_spell(argument) for argument in command.arguments or ())
    lines = [f'.SS "{_text(name)}{f" {words}" if words else ""}"']
    lines += _paragraph(command.description, effects)
    if command.aliases:
        lines += [".PP", f"Aliases: {_line(', '.join(command.aliases))}"]
    lines += _options(command.options or ())
    lines += _arguments(command.arguments or ())
    for example in command.examples or ():
        lines += [
            ".PP",
            ".RS",
            ".nf",
            *(_line(line) for line in example.splitlines()),
            ".fi",
            ".RE",
        ]
    return lines


def _options(options: Iterable[Option]) -> list[str]:
    lines = []
    for option in options:
        if option.hidden:
            continue
        flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in option.flags)
        lines += [
            ".TP",
            f"{flags} \\fI{_text(option.name.upper())}\\fR" if option.takes_value else flags,
        ]
        lines.append(_line(" ".join([option.description, *_facts(option)])) or "\\&")
    return lines


def _facts(option: Option) -> list[str]:
    facts = [f"[possible values: {', '.join(map(str, option.enum))}]"] if option.enum else []
    facts += [f"[env: {option.env_var}]"] if option.env_var else []
    is_scalar = isinstance(option.default, str | int | float)
    return [*facts, f"[default: {option.default}]"] if is_scalar else facts


def _arguments(arguments: Iterable[Argument]) -> list[str]:
    lines = []
    for argument in arguments:
        lines += [".TP", _spell(argument), _line(argument.description) or "\\&"]
    return lines


def _spell(argument: Argument) -> str:
    name = f"\\fI{_text(argument.name)}\\fR" + ("..." if argument.variadic else "")
    return name if argument.is_required else f"[{name}]"


def _paragraph(text: str, effects: Effects) -> list[str]:
    lines = [_line(line) for line in clean_text(text).splitlines() if line.strip()]
    flags = safety_suffix(effects)
    return [*lines, *([".PP", _line(flags)] if flags else [])] or ["\\&"]


def _examples(examples: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for example in examples:
        lines += [".PP", ".nf", *(_line(line) for line in example.splitlines()), ".fi"]
    return [".SH EXAMPLES", *lines] if lines else []


def _text(text: str) -> str:
    """Escape a text so that it starts no macro and no escape sequence."""
    line = " ".join(clean_text(text).split())
    return line.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")


def _line(text: str | None) -> str:
    escaped = _text(text or "")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
