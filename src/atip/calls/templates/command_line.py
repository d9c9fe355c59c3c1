"""Command strings of manifests (`version_check.cmd`, `login.cmd`, `skip_if.cmd`) → argv, without a shell.

Split by POSIX rules before anything is put in; what only a shell could do is refused; `$NAME` is replaced for
variables that the manifest declares, `${value}`, `${input.x}` and `${secrets.x}` by values of earlier steps, each
inside its word. Implements AIP-29 `cmd` fields; RESOLUTIONS P12.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from atip.calls.values import why_unusable
from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_COMMAND = 4_000
_PLACE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_./-]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command string, places not yet filled.

    Raises:
        FormatError: `command.empty`, `command.syntax`, `command.shell`.
    """
    if not text.strip() or len(text) > MAX_COMMAND:
        raise FormatError("command.empty", f"a command must have 1 to {MAX_COMMAND} characters")
    # SECURITY: substitutions, lists and pipes would run more than the command that was reviewed.
    if "`" in text or "$(" in text or "\0" in text or "\n" in text.strip():
        raise _shell(text)
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>()")
        lexer.commenters = ""
        lexer.whitespace_split = True
        marked = list(lexer)
        words = shlex.split(text)
    except ValueError as error:
        raise FormatError("command.syntax", f"`{text[:60]}` cannot be split: {error}") from error
    if any(word and set(word) <= set("|&;<>()") for word in marked):
        raise _shell(text)
    if not words[0] or words[0].startswith("-") or "=" in words[0] or "$" in words[0]:
        raise FormatError("command.syntax", f"`{text[:60]}` must begin with a program")
    return tuple(words)


def fill_command(words: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
    """Put values into the places of a split command.

    A word that is one place and nothing else must not become an option.

    Raises:
        FormatError: `command.undeclared`, `command.value`.
    """
    filled: list[str] = []
    ended = False
    for word in words:
        filled_word = _PLACE.sub(lambda match: _value(match, values), word)
        ended = ended or word == "--"
        if filled_word != word and not ended and filled_word[:1] == "-" and word[:1] != "-":
            # SECURITY: text from a user or a server is a value, never an option.
            raise FormatError("command.value", f"a value for `{words[0]}` begins with a dash")
        reason = why_unusable(filled_word)
        if reason:
            raise FormatError("command.value", f"a value for `{words[0]}` cannot be used: {reason}")
        filled.append(filled_word)
    return tuple(filled)


def _value(match: re.Match[str], values: Mapping[str, str]) -> str:
    name = match.group(1) or match.group(2)
    if name not in values:
        raise FormatError(
            "command.undeclared",
            f"`${name}` has no value",
            hint="declare it in `sandbox.env.pass`, or ask for it in an earlier setup step",
        )
    return values[name]


def _shell(text: str) -> FormatError:
    return FormatError(
        "command.shell",
        f"`{text[:60]}` needs a shell, and commands run without one",
        hint="name one program with its arguments; put pipelines into a script",
    )
