"""Positions of values in a JSON text: path → span → line and column.

For findings and for edits that leave the rest of a file as it was written. Takes text that the
strict reader has accepted; it does not judge syntax again. Columns count code points from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    Parts = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]+|\\.)*"', re.DOTALL)
_PLAIN = re.compile(r"[^\s,\]}]+")
_PATH = re.compile(r'\.([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]|\["((?:[^"\\]|\\.)*)"\]', re.DOTALL)


class TextRange(Value):
    """A range in a text; lines and columns from 1, the end excluded."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Positions:
    """Every value of one JSON text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans: dict[Parts, tuple[int, int]] = {}
        self._last: dict[Parts, tuple[int, int]] = {}
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._value(self._skip(0), ())

    def span(self, path: Parts) -> tuple[int, int] | None:
        """Start and end of the value at `path`, or None if there is none."""
        return self._spans.get(path)

    def last_member(self, path: Parts) -> tuple[int, int] | None:
        """Start (at its key) and end of an object's last member; None if the object is empty."""
        return self._last.get(path)

    def place(self, path: Parts) -> TextRange:
        """The value at `path`, or the nearest one around it that is there."""
        while path and path not in self._spans:
            path = path[:-1]
        start, end = self._spans.get(path, (0, len(self.text)))
        return self.range(start, end)

    def range(self, start: int, end: int) -> TextRange:
        """Offsets with their lines and columns."""
        line, end_line = bisect_right(self._lines, start), bisect_right(self._lines, end)
        return TextRange(
            start=start,
            end=end,
            line=line,
            column=start - self._lines[line - 1] + 1,
            end_line=end_line,
            end_column=end - self._lines[end_line - 1] + 1,
        )

    def _skip(self, index: int) -> int:
        match = _SPACE.match(self.text, index)
        return match.end() if match else index

    def _value(self, index: int, path: Parts) -> int:
        first = self.text[index : index + 1]
        if first == "{":
            end = self._object(index + 1, path)
        elif first == "[":
            end = self._array(index + 1, path)
        else:
            match = (_STRING if first == '"' else _PLAIN).match(self.text, index)
            end = match.end() if match else index + 1
        self._spans[path] = (index, end)
        return end

    def _object(self, index: int, path: Parts) -> int:
        import json

        index = self._skip(index)
        while self.text[index : index + 1] == '"':
            match = _STRING.match(self.text, index)
            if match is None:
                break
            key = json.loads(match.group())
            after = self._skip(self._skip(match.end()) + 1)
            end = self._value(after, (*path, key))
            self._last[path] = (index, end)
            index = self._next(end)
        return index + 1

    def _array(self, index: int, path: Parts) -> int:
        index = self._skip(index)
        number = 0
        while self.text[index : index + 1] not in ("]", ""):
            index = self._next(self._value(index, (*path, number)))
            number += 1
        return index + 1

    def _next(self, index: int) -> int:
        index = self._skip(index)
        return self._skip(index + 1) if self.text[index : index + 1] == "," else index


def parse_path(text: str) -> Parts:
    """The inverse of `render_path`: `$.commands["pr create"].options[0]` → parts."""
    parts: list[str | int] = []
    for match in _PATH.finditer(text, 1):
        name, number, quoted = match.groups()
        if number is not None:
            parts.append(int(number))
        elif name is not None:
            parts.append(name)
        else:
            parts.append(re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
    return tuple(parts)
