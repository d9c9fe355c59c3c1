"""Prose: what an explanation says beyond words – default, environment variable, type.

Only patterns that authors and frameworks use on purpose are read. Every search is bounded: repetition has an upper limit and a text is
cut before it is searched.
"""

from __future__ import annotations

import re

MAX_PROSE = 3_000

_DEFAULTS = (
    re.compile(r"[\[(]defaults?(?: value)?(?: is| to|:|=)? ?([^\[\]()]{1,160})[\])]", re.I),
    re.compile(r"\bdefaults? (?:is|to|value is) [`'\"]([^`'\"]{1,80})[`'\"]", re.I),
    re.compile(r"\bdefault[:=] ?[`'\"]?([^\s`'\"()\[\]]{1,80}?)[`'\"]?(?=[.,;)\]]?(?:\s|$))", re.I),
    re.compile(r"\bdefaults? (?:is|to) ([\w./~-]{1,60}?)(?=[.,;)]?(?:\s|$))", re.I),
)
_ENVS = (
    re.compile(r"\[env(?:ironment)?(?: ?var(?:iable)?s?)?: ?\"?\$?([A-Z][A-Z0-9_]{1,80})", re.I),
    re.compile(r"\(env(?:ironment)?(?: ?var(?:iable)?s?)?: ?\$?([A-Z][A-Z0-9_]{1,80})", re.I),
    re.compile(r"\[\$([A-Z][A-Z0-9_]{1,80})"),
    re.compile(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]{1,80}) environment variable"),
    re.compile(r"environment variable:? [`'\"$]{0,2}([A-Z][A-Z0-9]*_[A-Z0-9_]{1,80})"),
    re.compile(r"\benv(?:ironment)?(?: variable)?:? \$?([A-Z][A-Z0-9]*_[A-Z0-9_]{1,80})"),
)
_REQUIRED = re.compile(r"[\[(]required[\])]", re.I)
_REPEATED = re.compile(
    r"(?:can|may) be (?:used|given|specified|passed|provided|repeated|supplied|set)"
    r" (?:multiple|several|many|more than)|multiple times|can be repeated|repeatable|\(multiple\)",
    re.I,
)
_DEPRECATED = re.compile(r"[\[(\\]{0,2}deprecated\b", re.I)

_TYPES: tuple[tuple[str, frozenset[str]], ...] = (
    ("integer", frozenset((
        "int", "integer", "ints", "uint", "uint8", "uint16", "uint32", "uint64", "int32",
        "int64", "num", "number", "n", "count", "port", "pid", "uid", "gid", "lines",
        "seconds", "secs", "minutes", "hours", "days", "bytes", "depth", "width", "height",
        "level", "jobs", "threads", "retries", "nn", "columns", "uint32", "max", "min",
        "intslice"),
    )),
    ("number", frozenset((
        "float", "float32", "float64", "double", "decimal", "ratio", "percent", "real"),
    )),
    ("directory", frozenset((
        "dir", "directory", "folder", "dirs", "directories", "dirname", "dirpath", "workdir",
        "cwd"),
    )),
    ("file", frozenset((
        "file", "filename", "files", "path", "filepath", "infile", "outfile", "paths",
        "script", "logfile", "configfile", "keyfile", "pidfile", "output_file", "input_file"),
    )),
    ("url", frozenset(("url", "uri", "urls", "uris", "endpoint"))),
)  # fmt: skip


def default_of(text: str) -> str | None:
    """The default an explanation names, as text; None if it names none."""
    text = text[:MAX_PROSE]
    for pattern in _DEFAULTS:
        match = pattern.search(text)
        if match is not None:
            value = match.group(1).strip().strip("'\"`").strip()
            if value and value.lower() not in ("the", "a", "an", "to", "is", "on", "in", "all"):
                return value
    return None


def env_of(text: str) -> str | None:
    """The environment variable an explanation names for its option."""
    text = text[:MAX_PROSE]
    for pattern in _ENVS:
        match = pattern.search(text)
        if match is not None and match.group(1).isupper():
            return match.group(1)
    return None


def is_required(text: str) -> bool:
    """`[required]`, as click, typer and argparse formatters write it."""
    return bool(_REQUIRED.search(text[:MAX_PROSE]))


def is_repeated(text: str) -> bool:
    """The text says that it may be given several times."""
    return bool(_REPEATED.search(text[:MAX_PROSE]))


def is_deprecated(text: str) -> bool:
    """The text starts by saying so."""
    return bool(_DEPRECATED.match(text[:40]))


def type_of(placeholder: str, text: str) -> str:
    """A type of §3.7 for a placeholder; `string` where its name says nothing."""
    name = placeholder.lower().strip("<>[]{}. ")
    first = name.split(" ", 1)[0]
    keys = {name, first}
    for word in (name, first):
        keys |= {word.rstrip("s"), word.rsplit("_", 1)[-1], word.rsplit("-", 1)[-1]}
    for kind, words in _TYPES:
        if keys & words:
            if kind == "file" and "path" in name and _DIRECTORY.search(text[:120]):
                return "directory"
            return kind
    return "string"


_DIRECTORY = re.compile(r"\bdirector(?:y|ies)\b", re.I)

_THINGS = (
    r"(?:path|location|directory|file|files|name|number|maximum|minimum|size|id|uuid|url|uri|port|host"
    r"|address|type|format|level|list|delay|timeout|interval|filename|password|user|group|value"
    r"|identification|seconds|prefix|suffix|pattern|encoding|arguments?|args?|opts|options|tag|plugins)"
)
_SUGGESTS = (
    re.compile(
        rf"(?:\S+ ){{0,3}}{_THINGS}(?= (?:of|to|for|in|where|used|that|which|containing|on|from)\b)",
        re.I,
    ),
    re.compile(rf"(?:[a-z]+ ){{0,2}}{_THINGS}[.;]?(?:$| \()", re.I),
    re.compile(r"sets? (?:the|a|an) |specif(?:y|ies) |select an? ", re.I),
)
_SPECIFIED = re.compile(
    r"\b(?:specified|given) (?:\w{1,20} )?(?:timeout|file|directory|size|name|path|value|number)\b",
    re.I,
)


_ACTS = re.compile(
    r"(?:display|print|show|list|give|output|use|enable|disable|do|don't|write|allow|ignore|keep|run"
    r"|remove|add|create|force|skip|make|include|exclude|number|sort|count|report|omit)\b",
    re.I,
)


def suggests_value(text: str) -> bool:
    """An explanation that names a thing (`Path to …`, `specify …`) instead of an action."""
    text = text[:160]
    if _ACTS.match(text):
        return False
    return any(pattern.match(text) for pattern in _SUGGESTS) or bool(_SPECIFIED.search(text))
