"""Stated values: a list of values in the explanation of an option, told from other lists by what stands around it.

A list counts when a phrase announces it (`must be one of`, `supported formats:`), or when it stands apart – in parentheses,
or as the end of a clause behind a colon – and every word of it can be a value. Every search is bounded.
"""

from __future__ import annotations

import re

MAX_TEXT = 700
_WORD = r"[\"'`\u201c\u2018]?[A-Za-z0-9][\w.+:@-]{0,40}(?<![.:])[\"'`\u201d\u2019]?(?: ?\([^()]{1,40}\))?"
_COMMA = r"(?:, ?(?:or |and )?|,? (?:or|and) )"
_LIST = rf"({_WORD}(?:{_COMMA}{_WORD}){{1,40}}|{_WORD}(?: ?[|/] ?{_WORD}){{1,40}})"
_END = r"(?=[.;)\]]?$|[.;](?: |$)|[)\]](?:[ ,.;]|$)| \[| \(|, default| - | \u2013 )"
_KIND = (
    r"(?:supported|allowed|valid|possible|available|accepted|recogni[sz]ed|permitted|legal|known)"
)
_ANNOUNCED = re.compile(
    r"\b(?:(?:one|any) of(?: the following)?|among|choose (?:from|between)|chosen from|either"
    r"|(?:can|may|must|should) (?:only )?be(?: set to)?|accepts|"
    rf"{_KIND}(?: [a-z]{{2,20}}){{0,2}}(?: are| is| include)?"
    r"|(?:choices|options|values|alternatives)(?: are| is| include)?)"
    rf"(?:(?<=be) (?:either|(?:one|any) of))?[:=]? ?[\[({{<]?{_LIST}{_END}",
    re.I,
)
_CUES = (
    "one of", "any of", "among", "choose", "chosen", "either", " be ", "accept", "support", "allowed", "valid",
    "possible", "available", "recogni", "permitted", "legal", "known", "choices", "options", "values", "alternatives",
)  # fmt: skip
_MARKS = (",", " or ", " and ", "|", "/")
"""Without one of each there is no announced list: most explanations are done with these."""
_APART = re.compile(rf"(?:: |(?<= )[\[({{<]){_LIST}(?=[)\]}}>]|\.?$|[.;] )")
_MEANING = re.compile(
    r"(?:^|[:;,.(] ?)(?:[\"'`]([A-Za-z0-9][\w.+-]{0,30})[\"'`](?: ?= ?| means | is for )"
    r"|([a-z0-9][\w.+-]{0,30})(?: = |(?<=\d) ?= ?))(?=\S)"
)
_CAPITALS = re.compile(
    r"(?:\bto |, )([A-Z][A-Z0-9]+(?:, [A-Z][A-Z0-9]+){1,20},? or [A-Z][A-Z0-9]+)(?=\.?$|[.;] )"
)
_TARGETS = re.compile(rf"\b(?:to|as) {_LIST}\.?$")
"""`Save image to oci-archive, oci-dir (a directory)`: a list of values only where the default is among them."""
_RANGE = re.compile(r"\d+-\d+")
_ENDS_CLAUSE = re.compile(r"[)\]}>]?(?:$|[.;,])")
"""Two words in the middle of a sentence may be adjectives: `(explicit or implied) --pretty`."""
_BETWEEN = re.compile(r",? (?:or|and) |, ?(?:or |and )?| ?[|/] ?")
_NOTE = re.compile(r" ?\([^()]{1,40}\)")
_NO_LIST = re.compile(
    r"(?:comma|space|colon|semicolon)[- ](?:separated|delimited)|\blists? of\b|\b(?:such as|like|including)\b"
    r"|\badditional\b|\be\.g\.|\bi\.e\.|\bexamples?\b|\bfor instance\b|\bsee(?: also)?\b|\btogether with\b|\bsame as\b|\bimpl(?:y|ies)\b",
    re.I,
)
_NO_VALUE = frozenset((
    "a", "an", "the", "of", "to", "it", "etc", "more", "other", "others", "your", "any", "this", "that", "these", "them",
    "file", "files", "filename", "path", "paths", "dir", "directory", "directories", "folder", "folders", "glob",
    "pattern", "regex", "name", "names", "number", "int", "integer", "string", "url", "urls", "uri", "id", "ids",
    "host", "hosts", "hostname", "user", "users", "group", "groups", "key", "keys", "value", "values", "date", "module",
    "modules", "command", "commands", "namespace", "field", "fields", "columns", "rows", "bytes", "seconds", "minutes",
    "hours", "days", "milliseconds", "ms", "kb", "mb", "gb", "required", "optional", "default", "not", "only", "also",
    "multiple", "repeatable", "commit", "commits", "branch", "tag" "deprecated", "experimental", "omitted", "specified", "used", "set", "given", "empty",
    "both", "packages", "options", "arguments", "tags", "branches", "characters", "letters", "digits",
))  # fmt: skip


def stated_values(text: str, default: str | None) -> tuple[str, ...] | None:
    """The values that the explanation states, or None where its lists are of something else."""
    text = " ".join(text[:MAX_TEXT].split())
    if "(s)" in text:
        return None  # `class value(s)`: several, often of one's own
    capitals = _CAPITALS.search(text) if " or " in text else None
    targets = _TARGETS.search(text) if default is not None else None
    return (
        announced_values(text)
        or _values_apart(text, default)
        or values_with_meanings(text)
        or (_split(capitals[1]) if capitals is not None else None)
        or (_split(targets[1]) if targets is not None and default in _words(targets[1]) else None)
    )


def announced_values(text: str) -> tuple[str, ...] | None:
    """`must be one of: a, b`, `supported formats: a, b`, `either a or b`."""
    text = text[:MAX_TEXT]
    low = text.lower()
    if not any(cue in low for cue in _CUES) or not any(mark in text for mark in _MARKS):
        return None
    for match in _ANNOUNCED.finditer(text):
        if not _is_open(text, match.start(), match.end(1)) and (values := _split(match[1])):
            return values
    return None


def _values_apart(text: str, default: str | None) -> tuple[str, ...] | None:
    """`kind of report (table, json or csv)` and `kind of report: table, json, csv`."""
    matches = [
        match for match in _APART.finditer(text) if not match[1].lower().startswith("default")
    ]
    values = [
        split
        for match in matches
        if not _is_behind_sentence(text, match.start(), default in _words(match[1]))
        and not _is_open(text, match.start(), match.end(1))
        and (split := _split(match[1]))
        and (len(split) > 2 or _ENDS_CLAUSE.match(text, match.end(1)))
    ]
    if len(values) > 1 and default is not None:
        values = [one for one in values if default in one]
    if len(values) != 1 or not (_are_alike(values[0]) or default in values[0]):
        return None
    return values[0]


def values_with_meanings(text: str) -> tuple[str, ...] | None:
    """`skip = go on, stop = end with an error`; `'old' means one thing, 'new' is for another`."""
    if "=" not in text and " means " not in text and " is for " not in text:
        return None
    values = tuple(dict.fromkeys(one or other for one, other in _MEANING.findall(text[:MAX_TEXT])))
    return values if len(values) > 1 and not _names_kinds(values) else None


def _is_open(text: str, start: int, end: int) -> bool:
    """Whether the list is one of examples or of parts, or goes on with something that is not a word."""
    before = text[max(0, start - 60) : start]
    clause = re.split(r"[.;] ", before)[-1]
    after = text[end : end + 12].lower()
    return bool(_NO_LIST.search(clause) or _NO_LIST.search(text[start:end])) or after.startswith(
        (" etc", ", etc", "...", " ...", ", ...", "\u2026", ", \u2026")
    )


def _is_behind_sentence(text: str, start: int, has_default: bool) -> bool:
    """`Key of new objects. [put, sync]`: behind a sentence, brackets may name the commands that an option belongs to."""
    return text[start] == "[" and text[:start].rstrip()[-1:] in (".", ";", ")") and not has_default


def _words(text: str) -> list[str]:
    return [
        word.strip("\"'`\u201c\u201d\u2018\u2019") for word in _BETWEEN.split(_NOTE.sub("", text))
    ]


def _split(text: str) -> tuple[str, ...] | None:
    values = tuple(dict.fromkeys(word for word in _words(text) if word))
    if len(values) < 2 or _names_kinds(values) or any(map(_RANGE.fullmatch, values)):
        return None
    return values


def _names_kinds(values: tuple[str, ...]) -> bool:
    """Whether words name kinds of values; a long list of values may well have `name` and `id` among them."""
    kinds = sum(value.lower() in _NO_VALUE for value in values)
    return kinds * 2 > len(values) or "etc" in values


def _are_alike(values: tuple[str, ...]) -> bool:
    """Values are written in one case; a list of names (`Linux, macOS and Windows`) mostly is not."""
    return all(one == one.lower() for one in values) or all(
        one == one.upper() and len(one) > 1 for one in values
    )
