"""Choice lists: values that an author writes into an explanation, in forms that mean nothing else.

For parsers that do not print choices themselves (optparse), or whose authors replaced what they print.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = r"[a-z][\w.+-]{0,30}"
_BRACKETS = re.compile(rf"\[({_WORD}(?:, ?(?:or )?{_WORD}){{1,30}})\]")
_LETTERS = re.compile(r"\((\w)\)[a-z]{2,20}")
_BETWEEN_LETTERS = re.compile(r",? (?:(?:or|and) )?|/|, ?")
_MEANINGS = re.compile(r"(?:^|[.;:,] ?|\s)[\"'`]([\w.+-]{1,40})[\"'`] ?(?:-{1,2}|\u2013|=|:) ")
_SENTENCES = re.compile(r"(?:^|[.;] )[\"'`]([\w.+-]{1,40})[\"'`](?= (?:\([^()]{1,30}\) )?[a-z]{2})")
_BARS = re.compile(
    r"(?<![\w|<\[{(./-])([a-z][\w-]{0,30}(?:\|[a-z][\w-]{0,30}){1,20})(?![\w|>\]})=/])"
)
_AMONG = re.compile(
    r"\b(?:among|choose from|choices are|one of|any of|from)(?: the following)?:? "
    rf"({_WORD}(?: \(default\))?(?:,? or {_WORD}(?: \(default\))?|, {_WORD}(?: \(default\))?){{1,30}})(?=[.;)]|$)"
)
_COLUMNS = re.compile(
    rf"(?:: |[\[(])({_WORD}(?:(?: ?\| ?|, (?:or )?|,? or ){_WORD}){{1,12}})(?=[\])]|\.?$)"
)
_CLAUSE = re.compile(rf"[a-z][\w ()-]{{1,40}}: ({_WORD}(?:, {_WORD}){{1,12}})")
_EXAMPLE = re.compile(r"\b(?:[Ee]xamples?:|[Ee]\.g\.|[Ff]or example|[Ff]or instance)")
_OPEN_END = re.compile(
    r",? ?(?:or|and) (?:an?|any|the|your|some|custom|other|path|name|number|integer)\b|,? ?(?:etc|\.\.\.|\u2026)"
    r"|[)\]] ?(?:and|plus|followed by) "
)
"""A list that goes on with a kind of value is not a list of all values."""


def without_examples(text: str) -> str:
    """An explanation up to its first example: what stands in a call is one value of many."""
    example = _EXAMPLE.search(text)
    return text[: example.start()] if example is not None else text


def is_open_end(text: str, end: int) -> bool:
    """Whether a list that ends here goes on with a kind of value: `…, or a custom set of characters`."""
    return _OPEN_END.match(text, end) is not None


def listed_in_brackets(text: str, default: str | None) -> tuple[str, ...] | None:
    """`mechanism to use [auto, import]`, the only such list: part of a sentence, or with the default among its words.

    Behind the end of a sentence a list may also name the commands that the option belongs to.
    """
    lists = [one for one in _BRACKETS.finditer(text) if not one[1].startswith("default")]
    if len(lists) != 1:
        return None
    words = re.split(r", ?(?:or )?", lists[0][1])
    is_apart = text[: lists[0].start()].rstrip()[-1:] in ("", ".", ";", ")")
    return None if is_apart and default not in words else _values(words)


def listed_by_letters(text: str) -> tuple[str, ...] | None:
    """`(s)witch, (i)gnore, (w)ipe`: the letter is what one types."""
    letters: list[str] = []
    end = -1
    for match in _LETTERS.finditer(text):
        if end >= 0 and not _BETWEEN_LETTERS.fullmatch(text[end : match.start()]):
            return None
        letters.append(match.group(1))
        end = match.end()
    return _values(letters) if len(letters) > 2 else None


def listed_with_meanings(text: str) -> tuple[str, ...] | None:
    """`"eager" - upgrade all; "only-if-needed" - upgrade …`, or sentences that start with a quoted value."""
    for pattern in (_MEANINGS, _SENTENCES):
        words = pattern.findall(text)
        if len(words) > 1:
            return _values(words)
    return None


def listed_by_bars(text: str) -> tuple[str, ...] | None:
    """`Send failed|all info`: the only group of words between bars."""
    groups = _BARS.findall(text)
    return _values(groups[0].split("|")) if len(groups) == 1 else None


def listed_in_clauses(text: str) -> tuple[str, ...] | None:
    """`access time (-u): atime, access; change time (-c): ctime, status`: values by what they mean."""
    clauses = [_CLAUSE.fullmatch(clause.strip()) for clause in text.split(";")]
    lists = [clause[1] for clause in clauses if clause is not None]
    if len(lists) < 2:
        return None
    return _values([word for one in lists for word in one.split(", ")])


def listed_behind(placeholder: str, text: str) -> tuple[str, ...] | None:
    """`completion script for SHELL (bash, zsh or fish)`: values behind the placeholder's own name."""
    name = placeholder.strip("<>[]=")
    if not name.isupper() or len(name) < 3 or not name.isalpha() or name not in text:
        return None
    match = re.search(rf"\b{name} ?\(({_WORD}(?:, {_WORD}){{0,30}},? (?:or|and) {_WORD})\)", text)
    return _values(re.split(r",? (?:or |and )?", match[1])) if match else None


def listed_columns(flags: Sequence[str], text: str) -> tuple[str, ...] | None:
    """What `--sort` accepts: `order of the rows: name | size | date`. Elsewhere these words are kinds of values."""
    if not any(re.search(r"sort|order", flag) for flag in flags):
        return None
    lists = _COLUMNS.findall(text[:700])
    return _values(re.split(r" ?\| ?|, (?:or )?|,? or ", lists[0])) if len(lists) == 1 else None


def mentioned_values(flag: str, text: str) -> tuple[str, ...] | None:
    """`--reflink[=always] …, --reflink=auto …, --reflink=never`: values that a text shows with the flag, if it shows several."""
    words = re.findall(rf"(?<![\w-]){re.escape(flag)}\[?=([a-z][\w-]{{0,30}})(?![\w.:/=-])", text)
    return _values(words) if len(set(words)) > 2 else None


def listed_among(text: str) -> tuple[str, ...] | None:
    """`output format among: columns (default), freeze, or json`."""
    match = _AMONG.search(text)
    if match is None:
        return None
    return _values(re.split(r", (?:or )?| or ", match[1].replace(" (default)", "")))


def _values(words: list[str]) -> tuple[str, ...] | None:
    values = tuple(dict.fromkeys(word.strip(" .") for word in words if word.strip(" .")))
    return values if len(values) > 1 and "etc" not in values else None
