"""sed: addresses and commands of GNU sed, with any delimiter. Reports what writes, reads or runs; skips the rest.

Follows the manual ("sed scripts"): `\\cREGEXc` addresses, `s` and `y` with any character as delimiter, one-line and
many-line forms of `a`, `i` and `c`, labels, `w` `W` `r` `R` with a file up to the end of the line, `e`.
"""

from __future__ import annotations

import re

from atip.calls.languages.program import UNSUPPORTED, ScriptEffects, UnsupportedProgram

_PLAIN = frozenset("=dDgGhHnNpPxzF")
_NUMBERED = frozenset("lLqQ")
_FILES = frozenset("rRwW")
_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/null")
_MAX_DEPTH = 100
_BRACKET = re.compile(r"\^?\]?(?:\[:[a-z]*:\]|[^\]])*\]")
"""Behind the opening one."""


def read_sed(text: str) -> ScriptEffects:
    """The whole script; several `-e` are joined by newlines before.

    SECURITY: whether a delimiter in brackets (`s/[/]/x/`) ends an expression depends on the version of sed: both
    readings count. A reading that is not a valid script is rejected by that sed, and has no effects.
    """
    readings = [
        reader for brackets in (False, True) if (reader := _read(text, brackets)) is not None
    ]
    if not readings:
        return UNSUPPORTED
    return ScriptEffects(
        runs=any(reader.runs for reader in readings),
        reads=tuple(name for reader in readings for name in reader.reads),
        writes=tuple(name for reader in readings for name in reader.writes),
    )


def _read(text: str, brackets: bool) -> _Reader | None:
    reader = _Reader(text, brackets)
    try:
        reader.script()
    except UnsupportedProgram:
        return None
    return reader


class _Reader:
    def __init__(self, text: str, brackets: bool) -> None:
        self.text, self.size, self.at = text, len(text), 0
        self.brackets = brackets
        self.depth = 0
        self.runs = False
        self.reads: list[str] = []
        self.writes: list[str] = []

    def script(self) -> None:
        while True:
            self._skip(" \t\n;")
            if self.at >= self.size:
                break
            self._address()
            self._command()
        if self.depth:
            raise UnsupportedProgram

    # --- addresses -------------------------------------------------------------------------------

    def _address(self) -> None:
        if self._one_address():
            self._skip(" \t")
            if self._peek() == ",":
                self.at += 1
                self._skip(" \t")
                if self._peek() in ("+", "~") and self._peek():
                    self.at += 1
                    if not self._number():
                        raise UnsupportedProgram
                elif not self._one_address():
                    raise UnsupportedProgram
        self._skip(" \t")
        while self._peek() == "!":
            self.at += 1
            self._skip(" \t")

    def _one_address(self) -> bool:
        char = self._peek()
        if char == "$":
            self.at += 1
            return True
        if char in ("/", "\\") and char:
            self.at += 1
            delimiter = char if char == "/" else self._next()
            self._regex(delimiter)
            while self._peek() in ("I", "M") and self._peek():
                self.at += 1
            return True
        if not self._number():
            return False
        if self._peek() == "~":
            self.at += 1
            self._number()
        return True

    # --- commands --------------------------------------------------------------------------------

    def _command(self) -> None:
        char = self._next()
        if char in _PLAIN:
            self._end()
        elif char in _NUMBERED:
            self._skip(" \t")
            self._number()
            self._end()
        elif char == "{":
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise UnsupportedProgram
        elif char == "}":
            self.depth -= 1
            if self.depth < 0:
                raise UnsupportedProgram
            self._end()
        elif char in _FILES:
            self._file(char)
        elif char == "s":
            self._substitute()
        elif char == "y":
            delimiter = self._next()
            self._skip_delimited(delimiter)
            self._skip_delimited(delimiter)
            self._end()
        elif char in "aic":
            self._skip_inserted()
        elif char in ":btTv":
            self._label()
        elif char == "e":
            self.runs = True
            self._line()
        elif char == "#":
            self._line()
        else:
            raise UnsupportedProgram

    def _substitute(self) -> None:
        delimiter = self._next()
        self._regex(delimiter)
        self._skip_delimited(delimiter)
        while True:
            char = self._peek()
            if char in ("g", "p", "i", "I", "m", "M") and char:
                self.at += 1
            elif char.isdigit():
                self._number()
            elif char == "e":
                self.runs = True
                self.at += 1
            elif char == "w":
                self.at += 1
                self._file("w")
                return
            else:
                self._end()
                return

    def _file(self, command: str) -> None:
        self._skip(" \t")
        name = self._line()
        if not name:
            raise UnsupportedProgram
        if name not in _STREAMS:
            (self.writes if command in "wW" else self.reads).append(name)

    def _skip_inserted(self) -> None:
        """Text goes on while a line ends with a backslash."""
        while True:
            line = self._line()
            slashes = len(line) - len(line.rstrip("\\"))
            if slashes % 2 == 0 or self.at >= self.size:
                return

    def _label(self) -> None:
        self._skip(" \t")
        while self.at < self.size and self.text[self.at] not in " \t\n;":
            self.at += 1
        self._skip(" \t")

    # --- characters ------------------------------------------------------------------------------

    def _regex(self, delimiter: str) -> None:
        """A regular expression up to the delimiter."""
        if not self.brackets:
            self._skip_delimited(delimiter)
            return
        if delimiter in ("", "\n", "\\"):
            raise UnsupportedProgram
        while (char := self._next()) != delimiter:
            if char == "\\":
                self._next()
            elif char == "[":
                bracket = _BRACKET.match(self.text, self.at)
                if bracket is None:
                    raise UnsupportedProgram
                self.at = bracket.end()

    def _skip_delimited(self, delimiter: str) -> None:
        """Up to the next delimiter; a backslash takes the following character along."""
        if delimiter in ("", "\n", "\\"):
            raise UnsupportedProgram
        while True:
            char = self._next()
            if char == delimiter:
                return
            if char == "\\":
                self._next()

    def _end(self) -> None:
        """Behind a command: a separator, a closing brace, a comment, or nothing."""
        self._skip(" \t")
        if self._peek() not in ("", ";", "\n", "}", "#"):
            raise UnsupportedProgram

    def _line(self) -> str:
        stop = self.text.find("\n", self.at)
        stop = self.size if stop < 0 else stop
        line = self.text[self.at : stop]
        self.at = min(self.size, stop + 1)
        return line

    def _number(self) -> bool:
        start = self.at
        while self._peek().isdigit() and self._peek().isascii():
            self.at += 1
        return self.at > start

    def _skip(self, characters: str) -> None:
        while self.at < self.size and self.text[self.at] in characters:
            self.at += 1

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _next(self) -> str:
        if self.at >= self.size:
            raise UnsupportedProgram
        self.at += 1
        return self.text[self.at - 1]
