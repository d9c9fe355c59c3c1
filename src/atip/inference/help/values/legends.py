"""Legends: values that a text explains under the name of an option's placeholder, or under the option itself.

GNU programs write `--interactive[=WHEN]  prompt according to WHEN: never, once (-I), or always (-i)`, others put the list
below the options: `The MODE argument of --cached can be: always, never, or default.`
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.page import Line

MAX_TEXT = 3_000
MAX_ROWS = 40
_VALUE = re.compile(r"[a-z0-9][\w.+-]{0,30}")
_NOTE = re.compile(r" \([^()]{1,60}\)| -\w(?=,|$)")
_ROW = re.compile(r"([a-z0-9][\w+.-]{0,30}(?:, [a-z0-9][\w+.-]{0,30}){0,4})\s{2,}\S")
_QUOTED = re.compile(r"'([a-z0-9][\w.+-]{0,30})'")
_CAN_BE = re.compile(r"\b(?:can|may|must) be(?: (?:either|one of))?:? ([^.;:]{3,200})(?:[.;]|$)")


def choices_of_legend(raw: str, text: str) -> tuple[str, ...] | None:
    """The values behind `WHEN:` or `FMT=` in the explanation of an option with the placeholder `WHEN`."""
    name = raw.strip("[]<>=")
    if not name.isupper() or len(name) < 3:
        return None
    text = " ".join(text[:MAX_TEXT].split())
    found = re.search(rf"\b{re.escape(name)}: ([^.;:]{{3,400}})", text)
    if found:
        return read_list(found[1])
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


def legends_below(lines: Sequence[Line], flags: Sequence[str], raw: str) -> tuple[str, ...] | None:
    """Values that lines outside of the definitions list for an option: in a sentence, or as rows below one."""
    name = raw.strip("[]<>=")
    for place, line in enumerate(lines):
        text = " ".join(line.text.split())
        before = " ".join(lines[place - 1].text.split()) if place and not line.after_blank else ""
        speaks = any(
            re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", f"{before} {text}")
            for flag in flags
        )
        is_about = name.isupper() and len(name) > 2 and text.startswith(f"{name} ")
        if not speaks and not is_about:
            continue
        found = _CAN_BE.search(text) if speaks else None
        values = read_list(found[1]) if found else None
        if values is None and text.endswith(":"):
            values = _rows(lines[place + 1 : place + 1 + MAX_ROWS])
        if values is not None:
            return values
    return None


def legend_under(title: str, lines: Sequence[Line], raw: str) -> tuple[str, ...] | None:
    """Values in the rows of a section that is about a placeholder: `MODE determines behavior …:`."""
    name = raw.strip("[]<>=")
    return _rows(lines) if len(name) > 2 and title.startswith(f"{name} ") else None


def _rows(lines: Sequence[Line]) -> tuple[str, ...] | None:
    values: list[str] = []
    indent = lines[0].indent if lines else 0
    for place, line in enumerate(lines):
        match = _ROW.match(line.text) if line.indent == indent else None
        if match is None or (place and line.after_blank):
            break
        values += match[1].split(", ")
    return tuple(dict.fromkeys(values)) if len(values) > 1 else None
