"""Legends: values that a text explains under the name of an option's placeholder, or under the option itself.

GNU programs write `--interactive[=WHEN]  prompt according to WHEN: never, once (-I), or always (-i)`, others put the list
below the options: `The MODE argument of --cached can be: always, never, or default.`
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from atip.inference.help.values.choice_lists import mentioned_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section

MAX_TEXT = 3_000
MAX_ROWS = 40
MAX_MENTIONS = 40_000
MAX_SEARCHES = 20
_VALUE = re.compile(r"[a-z0-9][\w.+-]{0,30}")
_NOTE = re.compile(r" \([^()]{1,60}\)| -\w(?=,|$)")
_FLAG = re.compile(r"(?<![\w-])--?\w[\w-]{0,80}")
_ROW = re.compile(r"([a-z0-9][\w+.-]{0,30}(?:, [a-z0-9][\w+.-]{0,30}){0,4})\s{2,}\S")
_QUOTED = re.compile(r"'([a-z0-9][\w.+-]{0,30})'")
_CAN_BE = re.compile(r"\b(?:can|may|must) be(?: (?:either|one of))?:? ([^.;:]{3,200})(?:[.;]|$)")


def choices_of_legend(raw: str, text: str) -> tuple[str, ...] | None:
    """The values behind `WHEN:` or `FMT=` in the explanation of an option with the placeholder `WHEN`."""
    name = raw.strip("[]<>=")
    if not name.isupper() or len(name) < 3:
        return None
    text = " ".join(text[:MAX_TEXT].split())
    if f"{name}:" not in text and f"{name}=" not in text:
        return None
    match = re.search(rf"\b{re.escape(name)}: ([^.;:]{{3,400}})", text)
    if match:
        return read_list(match[1])
    quoted = re.search(rf"\b{re.escape(name)}=('[^.;]{{3,400}})", text)
    values = _QUOTED.findall(quoted[1]) if quoted else []
    return tuple(dict.fromkeys(values)) if len(values) > 1 else None


def read_list(text: str) -> tuple[str, ...] | None:
    """`never, once (-I), or always (-i)` → the words; None if it is a sentence."""
    parts = re.split(r", (?:or |and )?| or | and ", _NOTE.sub("", text.strip()))
    values = [part.strip().strip("'\"`‘’“”") for part in parts]
    if len(values) < 2 or not all(_VALUE.fullmatch(value) for value in values):
        return None
    return tuple(dict.fromkeys(values))


class Legends:
    """Values of options that a page lists outside of their definitions: by flag, by placeholder, by heading."""

    def __init__(self, sections: Iterable[tuple[Section, Sequence[Line]]]) -> None:
        """Each section comes with its lines outside of the definitions."""
        self.lines: list[Line] = []
        self._titles: dict[str, Section] = {}
        for section, loose in sections:
            self.lines += loose
            self._titles.setdefault(section.title.split(" ", 1)[0], section)
        self._index()
        self._searches = MAX_SEARCHES

    def _index(self) -> None:
        self._flags: dict[str, list[int]] = {}
        self._starts: dict[str, list[int]] = {}
        for place, line in enumerate(self.lines):
            first = line.text.split(" ", 1)[0]
            if len(first) > 2 and first.isupper():
                self._starts.setdefault(first, []).append(place)
            for flag in _FLAG.findall(line.text) if "-" in line.text else ():
                self._flags.setdefault(flag, []).append(place)

    def values(self, flags: Sequence[str], raw: str) -> tuple[str, ...] | None:
        """Values that are listed for an option: below a heading, in a sentence, or as rows below one."""
        name = raw.strip("[]<>=")
        section = self._titles.get(name) if len(name) > 2 else None
        if section is not None and " " in section.title and (rows := _rows(section.lines)):
            return rows  # `MODE determines behavior …:`
        places = {place for flag in flags for place in self._flags.get(flag, ())}
        # A sentence may go on in the next line.
        places |= {place + 1 for place in places if self._goes_on(place + 1)}
        for place in sorted(places | set(self._starts.get(name, ()))):
            text = " ".join(self.lines[place].text.split())
            match = _CAN_BE.search(text) if place in places else None
            values = read_list(match[1]) if match else None
            if values is None and text.endswith(":"):
                values = _rows(self.lines[place + 1 : place + 1 + MAX_ROWS])
            if values is not None:
                return values
        return None

    def mentioned(self, flag: str) -> tuple[str, ...] | None:
        """Values that the lines show with a flag; a page refers to them for a few options at most."""
        self._searches -= 1
        if self._searches < 0:
            return None
        return mentioned_values(flag, self._text)

    @cached_property
    def _text(self) -> str:
        return " ".join(line.text for line in self.lines)[:MAX_MENTIONS]

    def _goes_on(self, place: int) -> bool:
        return place < len(self.lines) and not self.lines[place].after_blank


def _rows(lines: Sequence[Line]) -> tuple[str, ...] | None:
    values: list[str] = []
    indent = lines[0].indent if lines else 0
    for place, line in enumerate(lines):
        match = _ROW.match(line.text) if line.indent == indent else None
        if match is None or (place and line.after_blank):
            break
        values += match[1].split(", ")
    return tuple(dict.fromkeys(values)) if len(values) > 1 else None
