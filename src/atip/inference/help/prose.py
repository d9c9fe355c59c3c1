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
_OFTEN = ("multiple", "several", "many", "more than", "repeat")
"""One of these is in every text that the pattern above finds: most texts are done with it."""
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
    if "default" not in text.lower():
        return None
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
    if "env" not in text.lower() and "[$" not in text:
        return None
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
    low = text[:MAX_PROSE].lower()
    return any(word in low for word in _OFTEN) and bool(_REPEATED.search(low))


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
