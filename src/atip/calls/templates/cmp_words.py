"""The words of a CMP command template, as a POSIX shell would cut them, without any shell. Pure.

Quotes and backslashes belong to the template: they are resolved before any value exists (C5), so that a value
can never close a quote or begin a word. Shell syntax is of two kinds: *operators*
(`|`, `&&`, `;`, `>`), which a user may allow per tool, and *expansions* (`$x`, `$(…)`, backticks), which
are always refused, because a shell would expand a value again.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.model.value import Value

MAX_TEMPLATE = 4_000
_OPERATORS = "|&;<>()"
_LONGEST = ("<<<", "&>>", "||", "&&", ";;", ">>", "<<", ">&", "<&", "<>", ">|", "&>", "|&")
_ESCAPED_IN_DOUBLE = '$`"\\'


class TemplateToken(Value):
    """A word, or an operator."""

    text: str
    is_operator: bool = False
    is_quoted: bool = False
    """Some of it stood in quotes or behind a backslash: never an operator or a number of a stream."""


def read_template(command: str) -> list[TemplateToken]:
    """Words and operators, in order.

    Raises:
        FormatError: `cmp.template` when it is empty, too long, unbalanced, or uses an expansion.
    """
    if not command.strip():
        raise refused("is empty")
    if len(command) > MAX_TEMPLATE:
        raise refused(f"has more than {MAX_TEMPLATE} characters")
    # SECURITY: a line break would be a second command, a NUL the end of a word.
    if any(character in command for character in "\n\r\0"):
        raise refused("has a line break or a NUL")
    return _Reader(command).read()


def refused(reason: str, hint: str = "") -> FormatError:
    """The error for a template that cannot be used."""
    hint = hint or "wrap what needs a shell in a script and name the script"
    return FormatError("cmp.template", f"the command template {reason}", hint=hint)


class _Reader:
    def __init__(self, command: str) -> None:
        self.command = command
        self.at = 0
        self.tokens: list[TemplateToken] = []
        self.word: list[str] = []
        self.has_word = False
        self.is_quoted = False

    def read(self) -> list[TemplateToken]:
        while self.at < len(self.command):
            character = self.command[self.at]
            if character in " \t":
                self._end()
                self.at += 1
            elif character in "'\"":
                self._quote(character)
            elif character in _OPERATORS:
                self._operator()
            elif character == "\\":
                self._add(self._after_backslash(), quoted=True)
            else:
                self._refuse_expansion(character)
                self._add(character)
                self.at += 1
        self._end()
        return self.tokens

    def _quote(self, quote: str) -> None:
        self._add("", quoted=True)
        self.at += 1
        while self.at < len(self.command):
            character = self.command[self.at]
            if character == quote:
                self.at += 1
                return
            if quote == '"' and character == "\\":
                following = self.command[self.at + 1 : self.at + 2]
                if following and following in _ESCAPED_IN_DOUBLE:
                    self._add(following)
                    self.at += 2
                    continue
            if quote == '"':
                self._refuse_expansion(character)
            self._add(character)
            self.at += 1
        raise refused("has a quote that is not closed")

    def _after_backslash(self) -> str:
        if self.at + 1 >= len(self.command):
            raise refused("ends in a backslash")
        self.at += 2
        return self.command[self.at - 1]

    def _operator(self) -> None:
        rest = self.command[self.at :]
        text = next((one for one in _LONGEST if rest.startswith(one)), rest[0])
        self.at += len(text)
        number = "".join(self.word)
        if text[0] in "<>" and number.isdigit() and not self.is_quoted:
            # `2>`: the number belongs to the operator
            text = number + text
            self.word, self.has_word = [], False
        self._end()
        self.tokens.append(TemplateToken(text=text, is_operator=True))

    def _refuse_expansion(self, character: str) -> None:
        # SECURITY: what a shell expands would be read again with the values in it.
        if character in "$`":
            raise refused("uses `$` or a backtick, which would be expanded by a shell")

    def _add(self, text: str, *, quoted: bool = False) -> None:
        self.word.append(text)
        self.has_word = True
        self.is_quoted = self.is_quoted or quoted

    def _end(self) -> None:
        if self.has_word:
            self.tokens.append(TemplateToken(text="".join(self.word), is_quoted=self.is_quoted))
        self.word, self.has_word, self.is_quoted = [], False, False
