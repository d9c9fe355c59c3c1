"""Small readings of a parser's words that all describers share: texts, defaults, secrets."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_DESCRIPTION = 200
"""Characters; the limit that ATIP 0.6 §3.2 advises."""

_SECRET = re.compile(r"(?i)pass(word|wd|phrase)?$|token|secret|credential|api_?key|private_?key")
_ENV = re.compile(r"\benv(?:ironment)?(?: var(?:iable)?)?\s*[:=]?\s*\$?([A-Z][A-Z0-9_]{2,60})\b")
_DEPRECATED = re.compile(r"(?i)^\W{0,2}deprecated\b|\[deprecated\]|\(deprecated\)")


def first_line(text: str) -> str:
    """The first paragraph as one line, short enough for the advice of 200 characters."""
    line = " ".join(text.strip().split("\n\n", 1)[0].split())
    return line if len(line) <= MAX_DESCRIPTION else line[: MAX_DESCRIPTION - 1] + "…"


def option_name(flags: Sequence[str]) -> str:
    """Name of an option: its longest flag without the leading dashes."""
    return max(flags, key=len).lstrip("-") or "value"


def usable_default(value: Any, name: str) -> Any:
    """A default that may be published, or None.

    SECURITY: programs read tokens from the environment into defaults. A secret's default, and a
    default that is some variable's value, never leave the process; a path in the user's home is
    told with `~`, so that metadata is the same on every machine.
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, (str, int, float, bool)) or _SECRET.search(name):
        return None
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None  # JSON has no such numbers
    if not isinstance(value, str):
        return value
    home = os.path.expanduser("~")
    if len(home) > 1 and (value == home or value.startswith(home + os.sep)):
        return "~" + value[len(home) :]
    if len(value) > 3 and value in os.environ.values():
        return None
    return value


def choices_of(values: Any) -> list[Any]:
    """Choices as JSON values, in order; members of an Enum by what a person types."""
    return [
        each
        if isinstance(each, (str, int, float)) and not hasattr(each, "value")
        else _text_of(each)
        for each in values
    ]


def _text_of(member: Any) -> str:
    value = getattr(member, "value", member)
    return value if isinstance(value, str) else str(getattr(member, "name", member))


def variable_in(text: str | None) -> str | None:
    """The environment variable that a help text names, as in `[env: MYTOOL_TOKEN]`."""
    match = _ENV.search(text or "")
    return match[1] if match else None


def is_deprecated_text(text: str | None) -> bool:
    """Whether a help text begins with, or is marked, deprecated."""
    return bool(_DEPRECATED.search(text or ""))


def type_of_name(*hints: str) -> str:
    """`file` or `directory` when a name says so, else `string`; never guessed from a description."""
    words = [re.split(r"[^a-z0-9]+", hint.lower().strip("-_.[]<> "))[-1] for hint in hints]
    if any(word in ("dir", "directory", "folder", "dirname") for word in words):
        return "directory"
    if any(word in ("file", "path", "filename", "filepath", "filetype") for word in words):
        return "file"
    if any(word in ("url", "uri") for word in words):
        return "url"
    return "string"
