"""CMP templates with pipes, lists and redirections → one shell line in which every value is a quoted word (C7). Pure.

Only for tools that the user named in `cmpShell`. The template is cut into simple commands; each is filled like any
other template, by the same rules and with what is known of its own program, and is then written with every word
quoted. A shell that reads the line finds the operators of the template and the words of the values, nothing else.
Expansions, background jobs, subshells and here-documents are always refused.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from atip.calls.templates.cmp import check_program, checked_values, fill_words
from atip.calls.templates.cmp_words import TemplateToken, read_template, refused
from atip.calls.templates.template import BRACES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.calls.templates.cmp import CmpIntent
    from atip.model.tool import Tool

    Lookup = Callable[[str], Tool | None]
    Rename = Callable[[str], str]

_BETWEEN = frozenset(["|", "||", "&&", ";"])
_INTO = frozenset([">", ">>", "<", ">&", "<&"])
_COPIES = (">&", "<&")


def needs_shell(command: str) -> bool:
    """Whether a template uses operators of a shell.

    Raises:
        FormatError: `cmp.template`.
    """
    return any(token.is_operator for token in read_template(command))


def build_line(
    intent: CmpIntent,
    arguments: Mapping[str, object],
    *,
    lookup: Lookup = lambda program: None,
    rename: Rename = lambda program: program,
) -> str:
    """The shell line of an intent with values.

    Args:
        lookup: what is known of a program; decides what its words may be.
        rename: the word to start a program by, such as the path of one in the tool's own folder.

    Raises:
        FormatError: `cmp.template`, or `call.invalid` with every problem of the values.
    """
    values = checked_values(intent, arguments)
    parts: list[str] = []
    for segment, operator in _segments(read_template(intent.command)):
        parts.append(_simple(segment, values, lookup, rename))
        if operator:
            parts.append(operator)
    return " ".join(parts)


def _segments(tokens: Sequence[TemplateToken]) -> list[tuple[list[TemplateToken], str]]:
    """Simple commands, each with the operator that follows it."""
    segments: list[tuple[list[TemplateToken], str]] = []
    current: list[TemplateToken] = []
    for token in tokens:
        if token.is_operator and token.text in _BETWEEN:
            segments.append((current, token.text))
            current = []
        else:
            current.append(token)
    if current or not segments or segments[-1][1] != ";":
        segments.append((current, ""))
    return segments


def _simple(
    tokens: Sequence[TemplateToken], values: Mapping[str, object], lookup: Lookup, rename: Rename
) -> str:
    words, redirections = _divide(tokens)
    if not words:
        raise refused("has an operator without a command")
    check_program(words[0])
    argv = fill_words(words, values, tool=lookup(words[0]))
    parts = [shlex.join((rename(argv[0]), *argv[1:]))]
    for operator, target in redirections:
        if operator.lstrip("0123456789") in _COPIES:
            if not (target.isdigit() and target.isascii()):
                raise refused("may copy a stream to a number only")
            parts.append(f"{operator}{target}")
            continue
        # a target is one word; `cat` stands for a program to which it is a file and nothing else
        filled = fill_words(("cat", "--", target), values)
        if len(filled) != 3:
            raise refused("has a redirection that needs exactly one file")
        parts.append(f"{operator} {shlex.quote(filled[2])}")
    return " ".join(parts)


def _divide(tokens: Sequence[TemplateToken]) -> tuple[list[str], list[tuple[str, str]]]:
    """Words, and redirections with their targets."""
    words: list[str] = []
    redirections: list[tuple[str, str]] = []
    waiting = ""
    for token in tokens:
        if token.is_operator:
            if waiting or token.text.lstrip("0123456789") not in _INTO:
                raise refused(f"uses `{token.text}`, which is not allowed even with a shell")
            waiting = token.text
        elif waiting:
            redirections.append((waiting, token.text))
            waiting = ""
        else:
            words.append(token.text)
    if waiting:
        raise refused(f"ends after `{waiting}`")
    return words, redirections


def programs_of(command: str) -> list[str]:
    """First words of the simple commands of a template.

    Raises:
        FormatError: `cmp.template`.
    """
    segments = _segments(read_template(command))
    first_words = [words[0] for words, _ in (_divide(tokens) for tokens, _ in segments) if words]
    return [word for word in first_words if not BRACES.search(word)]
