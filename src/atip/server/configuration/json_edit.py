"""JSON edit: put one value into the text of a JSON document, comments and everything else left as they are.

Finds the place with a small reader that knows strings, comments and brackets, and changes no other byte. Judges
nothing: the caller parses the text before and after. Pure.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_SCALAR = re.compile(r"[^\s,\]}/]+")


class ObjectSpan:
    """Offsets of an object's members in a text, and of the place for a new one."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.members: dict[str, tuple[int, int]] = {}
        """Key → start and end of its value; of a repeated key the last, which readers take."""
        self.keys: dict[str, int] = {}
        """Key → offset of the key itself."""
        self.end = 0
        self.after_last = start + 1
        self.has_comma = True
        """Whether a new member may follow without a comma before it."""
        self.first_key = -1
        self._read()

    def _read(self) -> None:
        at = self.start + 1
        while True:
            at = skip(self.text, at)
            if self.text[at : at + 1] == "}":
                self.end = at
                return
            key = match_at(_STRING, self.text, at)
            start = at
            if self.first_key < 0:
                self.first_key = at
            at = skip(self.text, at + len(key))
            if self.text[at : at + 1] != ":":
                raise damaged(at)
            begin = skip(self.text, at + 1)
            end = value_end(self.text, begin)
            self.members[json.loads(key)] = (begin, end)
            self.keys[json.loads(key)] = start
            self.after_last, self.has_comma = end, False
            at = skip(self.text, end)
            if self.text[at : at + 1] == ",":
                self.after_last, self.has_comma = at + 1, True
                at += 1


def put_value(text: str, keys: Sequence[str], value: object) -> str:
    """The text with `value` at the path `keys`; objects on the way are made where they are missing.

    Raises:
        FormatError: `config.not-an-object`, `config.damaged`.
    """
    if not text.strip():
        text = "{}\n"
    start = skip(text, 1 if text.startswith("\ufeff") else 0)
    for depth, key in enumerate(keys):
        if text[start : start + 1] != "{":
            raise FormatError("config.not-an-object", "the parent of the entry is not an object")
        place = ObjectSpan(text, start)
        if key not in place.members:
            for missing in reversed(keys[depth + 1 :]):
                value = {missing: value}
            return _add(text, place, key, value, depth)
        start, end = place.members[key]
    unit = indent_unit(text)
    return text[:start] + rendered(value, unit, len(keys)) + text[end:]


def _add(text: str, place: ObjectSpan, key: str, value: object, depth: int) -> str:
    unit = indent_unit(text)
    indent = unit * (depth + 1)
    if place.first_key >= 0:
        line = text.rfind("\n", 0, place.first_key) + 1
        before = text[line : place.first_key]
        indent = before if before.strip() == "" and line else indent
    member = f"{json.dumps(key, ensure_ascii=False)}: {rendered(value, unit, depth + 1)}"
    comma = "" if place.has_comma else ","
    tail = text[place.after_last :]
    # A comment behind the last member stays on its line.
    rest = re.match(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\n)", tail)
    comment = rest.group() if rest is not None else ""
    closing = tail[len(comment) :]
    if "\n" not in text[place.after_last + len(comment) : place.end]:
        closing = "\n" + unit * depth + closing.lstrip()
    return f"{text[: place.after_last]}{comma}{comment}\n{indent}{member}{closing}"


def rendered(value: object, unit: str, depth: int) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=unit)
    return text.replace("\n", "\n" + unit * depth)


def indent_unit(text: str) -> str:
    """One step of indentation as this file has it."""
    match = re.search(r"\{[^\S\n]*\n([ \t]+)\S", text)
    return match.group(1) if match is not None else "  "


def skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at


def match_at(pattern: re.Pattern[str], text: str, at: int) -> str:
    match = pattern.match(text, at)
    if match is None:
        raise damaged(at)
    return match.group()


def value_end(text: str, at: int) -> int:
    """The end of the value that begins here."""
    depth = 0
    while True:
        character = text[at : at + 1]
        if not character:
            raise damaged(at)
        if character == '"':
            at += len(match_at(_STRING, text, at))
        elif character in "{[":
            depth, at = depth + 1, at + 1
        elif character in "}]":
            depth, at = depth - 1, at + 1
        elif character in ",:" and depth:
            at += 1
        else:
            at += len(match_at(_SCALAR, text, at))
        if depth <= 0:
            return at
        at = skip(text, at)


def damaged(at: int) -> FormatError:
    return FormatError("config.damaged", f"the file cannot be read at character {at}")
