"""One program in a manual page of several: what the page says of this very program. Pure.

The NAME line of such a page often describes the group (`pl, plmerge, plparse - property list tools`); its list of
programs or a sentence further down says what each does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.manual.roff import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CHARS = 400_000
MAX_ROWS = 4_000
MAX_WORDS = 300
_GROUP = re.compile(
    r"(?!(?:run|execute|start|stop|launch|list|show|print|display|find|manage|control|compile|build|install|debug|test|trace|convert|edit)s?\b)"
    r"(?:(?:an?|the|some|various|set of|collection of) )?(?:[\w/.+-]+ ){0,4}(?:tools|utilities|programs|commands|scripts|suite|toolkit|toolset|toolbox"
    r"|collection|family|framework|converters|filters|helpers|games|package)(?=\.?\Z| (?:for|to|of|from|that|which|in)\b)",
    re.I,
)
_SKIPPED = re.compile(
    r"(?:name|synopsis|authors?|see also|bugs|history|copyright|examples?|files|credits|licen[cs]e|acknowledge?ments?|reporting bugs)\Z",
    re.I,
)


def is_about_group(purpose: str) -> bool:
    """Whether a purpose is that of a group: `property list tools`, `tools for communicating with devices`."""
    return _GROUP.match(purpose) is not None


def find_own_purpose(text: str, name: str) -> Iterator[str]:
    """Candidates for the purpose of one program below the SYNOPSIS of a page, best first. Each has still to be checked."""
    rows = list(_body(text))
    yield from _listed(rows, name)
    yield from _stated(rows, name)


def _body(text: str) -> Iterator[str]:
    """Rows of the sections that describe programs, with their indentation."""
    is_skipped = True
    for row, _ in render(text[:MAX_CHARS])[:MAX_ROWS]:
        if row and not row[0].isspace():
            is_skipped = _SKIPPED.match(row.strip()) is not None
        if not is_skipped:
            yield row


def _listed(rows: Sequence[str], name: str) -> Iterator[str]:
    """The text below the row of a program in a list of programs."""
    own = re.compile(rf"{re.escape(name)}(?:\(\d\w*\))?(?:[ \t]*\Z|[ \t]+[-\[<(\w])")
    for place, row in enumerate(rows[:-1]):
        below = rows[place + 1]
        if own.match(row.strip()) and below.strip() and _indent(below) > _indent(row):
            words = []
            for line in rows[place + 1 :]:
                if not line.strip() or _indent(line) < _indent(below):
                    break
                words.append(line.strip())
            yield " ".join(words)[:MAX_WORDS]


def _stated(rows: Sequence[str], name: str) -> Iterator[str]:
    """`Program NAME creates a file …` → `creates a file …`; `NAME is a filter …` → `a filter …`."""
    sentence = re.compile(
        rf"(?:\A|[.!] +)(?:The )?(?:[Pp]rogram |[Cc]ommand |[Uu]tility )?[`'\"]?{re.escape(name)}[`'\"]? (?:program |command |utility |tool )?"
        rf"(?:is (?=an? (?!member |part ))|(?!is |was |has |does |uses )(?=[A-Za-z][a-z]+s \w))([^.]{{10,{MAX_WORDS}}})"
    )
    for row in rows:
        if name in row and (found := sentence.search(row.strip())):
            yield found[1]


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())
