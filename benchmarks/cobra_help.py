"""What the help of a cobra program names, read by its headings. The truth of `bench_frameworks`, so it shares nothing
with the reader that is measured: it knows only sections, their indentation and the column of their descriptions."""

from __future__ import annotations

import re
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"(?:[A-Z][\w ()&/,'-]*:|[A-Z][A-Z ]+:?)\s*$")
_COMMANDS = re.compile(r"\bcommands\b", re.I)
_FLAGS = re.compile(r"\b(?:flags|options)\b", re.I)
_FLAG = re.compile(r"\s*(-[^\s,=-])?(?:,? ?(--[A-Za-z0-9](?:[\w.-]*\w)?)|(?=\s\s|\s*$|\s\w+\s\s))")
_NAME = re.compile(r"[A-Za-z0-9][\w.+@-]*$")
_LONGEST_HEADING = 5
"""Words; a sentence that ends in a colon is no heading."""


def flags_in(text: str) -> set[str]:
    """Flags that begin a line below `Flags:`, `Global Options:`, `INHERITED FLAGS`; in a page that was written by
    hand, those that begin any line."""
    lines = [line for heading, line in _lines(text) if _FLAGS.search(heading)]
    if is_handmade(text):
        lines = text.replace(":\n", "\n").splitlines()
    found = (_FLAG.match(line) for line in lines)
    return {flag for match in found if match for flag in match.groups() if flag}


def is_handmade(text: str) -> bool:
    """Whether no section holds flags: it is not cobra that wrote this."""
    return not any(_FLAGS.search(heading) and _FLAG.match(line) for heading, line in _lines(text))


def commands_in(text: str) -> set[tuple[str, ...]]:
    """Commands listed below a heading that speaks of commands; some programs list whole paths."""
    found: set[tuple[str, ...]] = set()
    by_heading: dict[str, list[str]] = {}
    for heading, line in _lines(text):
        if _COMMANDS.search(heading) and not _FLAGS.search(heading):
            by_heading.setdefault(heading, []).append(line)
    for lines in by_heading.values():
        margin = min(len(line) - len(line.lstrip()) for line in lines)
        entries = [line for line in lines if len(line) - len(line.lstrip()) == margin]
        columns = [match.end() for line in entries if (match := re.match(r"\s*\S+\s+", line))]
        column = max(set(columns), key=columns.count) if columns else 0
        for line in entries:
            names = re.split(r"\s{2,}|\t", line.strip())[0]
            if len(names) + margin + 1 > column:  # the longest name is one blank from its text
                names = names.split()[0]
            words = tuple(word.rstrip(":*,") for word in names.split())
            if len(words) <= 4 and all(map(_NAME.match, words)):
                found.add(words)
    return found


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """(heading, line) of everything below a heading, up to the next line without indentation."""
    heading = ""
    for line in text.splitlines():
        if not line.strip():
            continue
        if not line[0].isspace():
            is_short = len(line.split()) <= _LONGEST_HEADING
            heading = line.strip() if is_short and _HEADING.match(line) else ""
        elif heading:
            yield heading, line
