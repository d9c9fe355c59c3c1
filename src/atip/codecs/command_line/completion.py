"""Shared by the three completion scripts: which words are safe in a script, and what is lost.

SECURITY: a completion script is code. A name, a flag or a choice is written only if it is a plain word without
meaning to any shell; descriptions are quoted for their shell. Everything else is left out and listed as a loss.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.codecs.interface import Loss
from atip.codecs.providers.safety import clean_text, shorten
from atip.codecs.vocabulary import Vocabulary, find_losses, words
from atip.errors import UsageError
from atip.model.problems import render_path
from atip.model.root import lift
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.tool import Argument, Command, Option, Path, Tool

VOCABULARY = Vocabulary(
    tool=words("description"),
    command=words("description aliases hidden"),
    option=words("flags description enum variadic"),
    argument=words("enum"),
    own=words("inherited"),
    types=words("string boolean file directory"),
)
_PLAIN = re.compile(r"[A-Za-z0-9_@%+./,-]+\Z")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_@%+.-]*\Z")
MAX_DESCRIPTION = 100


class Level(Value):
    """One command of the tree, with what may be typed after it."""

    path: Path
    description: str
    below: tuple[tuple[str, str], ...]
    """Names of commands with their descriptions."""
    aliases: tuple[tuple[str, str], ...]
    """(alias, name) of the commands below."""
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def levels(tool: Tool) -> Iterator[Level]:
    """Yield the tool itself, then every command whose name is safe in a script."""
    lifted = lift(tool)
    everywhere = lifted.global_options or ()
    yield _level((), lifted.description, lifted.commands or {}, (*(lifted.options or ()), *everywhere),
                 lifted.arguments or ())  # fmt: skip
    for path, command in lifted.walk():
        if all(is_name(part) for part in path):
            options = (*(command.options or ()), *everywhere)
            yield _level(
                path, command.description, command.commands or {}, options, command.arguments or ()
            )


def _level(
    path: Path,
    description: str,
    commands: dict[str, Command] | object,
    options: tuple[Option, ...],
    arguments: tuple[Argument, ...],
) -> Level:
    assert isinstance(commands, dict)
    valid = {name: command for name, command in commands.items() if is_name(name)}
    return Level(
        path=path,
        description=one_line(description),
        below=tuple((n, one_line(c.description)) for n, c in valid.items() if not c.hidden),
        aliases=tuple((a, n) for n, c in valid.items() for a in c.aliases or () if is_name(a)),
        options=tuple(option for option in options if not option.hidden and plain_flags(option)),
        arguments=arguments,
    )


def program_name(tool: Tool) -> str:
    """Name of the program that a script completes.

    Raises:
        UsageError: `convert.unsafe-name` for a name with characters that a shell interprets.
    """
    if not is_name(tool.name):
        raise UsageError(
            "convert.unsafe-name",
            f"cannot write a completion script for `{tool.name[:60]}`: the name has special characters",
        )
    return tool.name


def function_name(tool: Tool) -> str:
    return "_" + re.sub(r"[^A-Za-z0-9_]", "_", program_name(tool))


def is_name(text: str) -> bool:
    return _NAME.match(text) is not None


def plain_flags(option: Option) -> tuple[str, ...]:
    return tuple(flag for flag in option.flags if _PLAIN.match(flag) and flag.startswith("-"))


def choices(parameter: Option | Argument) -> tuple[str, ...]:
    """The choices that are plain words."""
    return tuple(str(choice) for choice in parameter.enum or () if _PLAIN.match(str(choice)))


def one_line(text: str) -> str:
    return shorten(" ".join(clean_text(text).split()), MAX_DESCRIPTION)


def losses(tool: Tool) -> tuple[Loss, ...]:
    """Fields that a completion script cannot express, and words that are not safe in a script."""
    result = find_losses(tool, VOCABULARY, "a completion script cannot express it")
    for path, command in tool.walk():
        place: tuple[str | int, ...] = tuple(p for name in path for p in ("commands", name))
        if path[-1] and not is_name(path[-1]):
            result.append(Loss(path=render_path(place), message="not a plain word"))
        for index, option in enumerate(command.options or ()):
            if len(plain_flags(option)) < len(option.flags):
                at = (*place, "options", index, "flags")
                result.append(Loss(path=render_path(at), message="not a plain word"))
    return tuple(result)
