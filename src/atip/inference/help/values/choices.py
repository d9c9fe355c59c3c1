"""Choices: the values an option accepts, from its placeholder or its explanation.

A list of words in running text is not a list of choices; what counts depends on whether the
framework prints choices in a form of its own. Every search is bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.prose import default_of
from atip.inference.help.values.choice_lists import (
    is_open_end,
    listed_among,
    listed_by_bars,
    listed_by_letters,
    listed_in_brackets,
    listed_in_clauses,
    listed_with_meanings,
    without_examples,
)
from atip.inference.help.values.stated_values import stated_values, values_with_meanings

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_PROSE = 3_000

_POSSIBLE = re.compile(
    r"[\[(](?:possible|allowed|valid|available|accepted|supported)? ?(?:values|choices|options)"
    r"(?: are)?[:=] ?([^\[\]()]{1,2500})[\])]",
    re.I,
)
_OPTIONS = re.compile(r"<options: ([^<>]{1,2500})>")
_CHOICES = re.compile(
    r"[\[(](?:default: [^\[\](),]{1,60}, )?choices:? ([^\[\]()]{1,2500})[\])]", re.I
)
_VALID = re.compile(r"\bValid options: ([^.()\[\]]{1,2500})\.(?= \(|$)")
_BULLET = re.compile(r"[-*•] ([^\s:]{1,60})(?::|$)")
_BRACES = re.compile(r"\{([^{}\s]{1,300}|[^{}]{1,300})\}")
_ONE_OF = re.compile(
    r"(?:must be |can be |either |is |are |values? |formats? |to )?\bone of(?: the following)?:? ?"
    r"[(\[{'\"`]?([^.;)\]}\n]{3,300})",
    re.I,
)
_TYPE_WORDS = frozenset((
    "file", "files", "filename", "path", "paths", "dir", "dirs", "directory",
    "directories", "folder", "glob", "globs", "pattern", "patterns", "regex", "regexp",
    "name", "names", "number", "num", "int", "integer", "float", "string", "str", "text",
    "url", "uri", "id", "ids", "package", "packages", "host", "hostname", "port", "pid",
    "user", "group", "key", "value", "values", "size", "date", "time", "module", "command",
    "cmd", "command-line", "json_file", "namespace", "field", "fields", "column",
    "columns", "commit", "branch", "ref", "table", "device", "sectors", "bytes", "seconds",
    "count", "list", "n",
))  # fmt: skip


def choices_of_placeholder(
    raw: str, *, brackets_are_optional: bool, style: str = ""
) -> tuple[str, ...] | None:
    """`{a,b}`, `[a|b]`, `<a|b>`, `a|b` → the values; None where the words name kinds of values.

    In a `formal` style `[a]` is a list of one.
    """
    text = raw.strip()
    if len(text) < 3 or len(text) > 2_000:
        return None
    if text[:2] in ("[{", "<{") and text[-2:] in ("}]", "}>"):
        text = text[1:-1]
    if text.startswith("{") and "}" in text:
        inner = text[1 : text.index("}")]
        return _literals(inner.replace("|", ",").split(","), braces=True)
    if "|" not in text:
        is_single = style == "formal" and text[0] == "[" and text[-1] == "]"
        is_single = is_single and text[1:-1].lower() not in _TYPE_WORDS
        return _literals([text[1:-1]], braces=True) if is_single else None
    if text[0] == "[" and text[-1] == "]":
        if brackets_are_optional:
            return None
        return _literals(text[1:-1].split("|"), braces=True)
    if brackets_are_optional:
        return None
    if text[0] == "<" and text[-1] == ">":
        return _literals(text[1:-1].split("|"), braces=False)
    if text[0] == "(" and text[-1] == ")" and text.islower():
        return _literals(text[1:-1].split("|"), braces=False)
    if text[0] in "<[(" or "[" in text or (text.isupper() and not _are_formats(text)):
        return None
    return _literals(text.split("|"), braces=False)


_FORMAT = frozenset(
    [
        "der", "pem", "p12", "pkcs12", "engine", "smime", "text", "json", "yaml", "csv", "xml", "tsv", "html",
        "smime", "nss", "md5", "sha1",
    ]
)  # fmt: skip


def _are_formats(text: str) -> bool:
    """`PEM|DER|ENGINE`: names of formats, which are written in capitals; other capitals name kinds of values."""
    return sum(one.lower() in _FORMAT for one in text.split("|")) > 1


def _literals(parts: Sequence[str], *, braces: bool) -> tuple[str, ...] | None:
    values = [part.strip().strip("'\"`") for part in parts]
    if len(values) < (1 if braces else 2) or any(not value for value in values):
        return None
    if any(
        len(value) > 60
        or " " in value
        or (value[0] in "<[{+-" and len(value) > 1 and value[0] in "<[{")
        for value in values
    ):
        return None
    if values[-1] in ("...", "\u2026"):
        return None
    kinds = sum(one.lower() in _TYPE_WORDS for one in values)
    if not braces and set(values) != {"y", "n"} and kinds * 2 >= len(values):
        return None
    return tuple(dict.fromkeys(values))


_ARE = re.compile(
    r"\b(?:(?i:supported|possible|valid|allowed|available|accepted) (?:values|choices|options)(?: are)?"
    r"|(?i:choices|values|options) (?:available|are|include)"
    r"|[A-Z][A-Z_]{1,30} (?:can|may|must) be(?: one of)?): ?([^.;()\[\]{}\n]{3,300}+)(?=[.;)\]]|$)"
)
"""`Supported values are: USR1, USR2.`, `TYPE can be: boxed, dates or yaml`."""


_BROKEN = re.compile(r"(?<=[a-z|,/]\w)-\s+(?=[a-z]{2,30}[|,)\]])")
"""Line break of a formatter at the hyphen of a value: `text- message`."""


def choices_of_prose(text: str, lines: str, *, style: str = "") -> tuple[str, ...] | None:
    """Choices that an explanation lists; `lines` is the same text with its line breaks.

    `style` is `formal` where the framework prints choices in a form of its own, so that words in
    the explanation are only words, and `go` where it has no such form.
    """
    text = _BROKEN.sub("-", text[:MAX_PROSE])
    for pattern in (_POSSIBLE, _CHOICES, _OPTIONS, _VALID):
        match = pattern.search(text)
        if match is not None:
            return _split_list(match.group(1))
    bullets = _bullets(lines[:MAX_PROSE])
    if bullets is not None:
        return bullets
    if style == "formal":
        return None
    match = _ARE.search(text)
    if match is not None and (values := words_listed(match.group(1))):
        return values
    groups = _BRACES.findall(text)
    if len(groups) == 1 and "|" in groups[0]:
        return _literals(groups[0].split("|"), braces=True)
    numbered = _numbered_values(lines[:MAX_PROSE])
    if numbered is not None:
        return numbered
    text = without_examples(text)
    values = _values_in_form(text)
    if values or style == "argparse":
        return values or _slashes(text)
    plain = _DEFAULT_CLAUSE.sub("", text)
    values = listed_among(plain) or _quoted_values(plain) or _one_of(plain) or _slashes(plain)
    return values or stated_values(plain, default_of(text))


def _values_in_form(text: str) -> tuple[str, ...] | None:
    """Lists in a form that means nothing else, where every word can be a value."""
    values = (
        listed_in_brackets(text, default_of(text))
        or listed_by_letters(text)
        or listed_with_meanings(text)
        or values_with_meanings(text)
        or listed_in_clauses(text)
        or listed_by_bars(text)
    )
    return values if values and not _TYPE_WORDS & set(values) else None


def are_values(values: Sequence[str], flags: Sequence[str]) -> bool:
    """Whether a list can be meant as typed: `alt[ernative` abbreviates, and an option's own names are spellings."""
    if any(
        value.count(opening) != value.count(closing)
        for value in values
        for opening, closing in _PAIRS
    ):
        return False
    return not set(values) <= {flag.lstrip("-") for flag in flags}


_PAIRS = (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"))
_DEFAULT_CLAUSE = re.compile(
    r" ?[\[(]defaults?\b[^()\[\]]{0,200}[\])]|\bdefaults? ?(?:to|is|:)?.{0,200}$", re.I
)


_QUOTED = re.compile(r"[\"'`“‘]([\w.+:%-]{1,40})[\"'`”’]")
_BETWEEN = re.compile(
    r"(?: \([^()]{1,40}\))?(?:,? (?:or|and) |, ?|/| ?\| ?| (?=\())(?:\([^()]{1,40}\),? ?(?:or )?)?"
)
_LEAD = re.compile(
    r"(?:one of|must be|can be|either|valid|allowed|possible|supported|values?|choices|levels?|types?"
    r"|modes?|formats?|are|[:(])[ (]{0,3}$",
    re.I,
)


def _quoted_values(text: str) -> tuple[str, ...] | None:
    """`one of "long", "short", or "none"`: a run of quoted words with only commas between."""
    words: list[str] = []
    end = -1
    lead = ""
    for match in _QUOTED.finditer(text):
        between = text[end : match.start()] if end >= 0 else None
        if between is not None and len(between) < 60 and _BETWEEN.fullmatch(between):
            words.append(match.group(1))
        elif len(words) >= 2 and _LEAD.search(lead):
            break
        else:
            words, lead = [match.group(1)], text[max(0, match.start() - 30) : match.start()]
        end = match.end()
    if len(words) < 2 or not _LEAD.search(lead):
        return None
    if _BETWEEN.match(text, end) and text[end : end + 6].lstrip(", or/|").startswith(
        ('"', "'", "`")
    ):
        return None  # the list goes on with something that is not a word
    if is_open_end(text, end):
        return None
    return tuple(dict.fromkeys(words))


_SLASHES = re.compile(r"\(([a-z][\w-]{0,30}(?:[/|][a-z][\w-]{0,30}){1,20})\)")


def _slashes(text: str) -> tuple[str, ...] | None:
    """`(auto/long/short)` and `(yes|no)`."""
    groups = _SLASHES.findall(text)
    if len(groups) != 1:
        return None
    values = re.split(r"[/|]", groups[0])
    if any(value in _TYPE_WORDS for value in values):
        return None
    return tuple(dict.fromkeys(values))


_NUMBERED = re.compile(r"- (\d{1,3}|[a-z][\w-]{0,30}): ")


def _numbered_values(lines: str) -> tuple[str, ...] | None:
    """A list of `- 0: meaning` below the explanation, starting at its margin."""
    labels = [match.group(1) for line in lines.split("\n") if (match := _NUMBERED.match(line))]
    return tuple(dict.fromkeys(labels)) if len(labels) >= 2 else None


def _split_list(text: str) -> tuple[str, ...] | None:
    head = re.split(r",? ?default: ?|;", text, maxsplit=1)[0]
    parts = [part for part in re.split(r",| or |\|", head) if part.strip()]
    values = [part.strip().strip("'\"`").removeprefix("and ").removeprefix("or ") for part in parts]
    if any(" " in value or not value for value in values) or not values:
        return None
    return tuple(dict.fromkeys(values))


def _bullets(lines: str) -> tuple[str, ...] | None:
    """clap: `Possible values:` and a list of `- name: meaning`."""
    start = lines.find("ossible values:")
    if start < 0:
        return None
    labels: list[str] = []
    for line in lines[start:].split("\n")[1:]:
        match = _BULLET.match(line)
        if match is not None:
            labels.append(match.group(1))
        elif line.startswith(("[default", "[env", "[aliases")):
            break
    return tuple(labels) or None


def _one_of(text: str) -> tuple[str, ...] | None:
    match = _ONE_OF.search(text)
    if match is None or is_open_end(text, match.end(1)):
        return None
    return words_listed(match.group(1))


def words_listed(text: str) -> tuple[str, ...] | None:
    """`a, b or c` / `'a', 'b'` / `a|b` → the words; None if it reads like a sentence."""
    text = text.strip().rstrip(")]}.")
    bars = "|" in text
    parts = re.split(r"\|" if bars else r",| or | and |/", text)
    values = []
    for part in parts:
        word = part.strip().removeprefix("or ").removeprefix("and ").strip().strip("'\"`()[]{}<>")
        if not word:
            continue
        if " " in word or len(word) > 40:
            return None
        values.append(word)
    if len(values) < 2:
        return None
    return tuple(dict.fromkeys(values))
