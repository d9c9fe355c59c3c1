"""Whether a manual page and a curated entry of the same name are about the same program. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.tool import Tool

MAX_PAGE = 400_000
_WORD = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    [
        "tool", "tools", "program", "programs", "file", "files", "command", "commands", "utility", "line", "with",
        "from", "that", "this", "the", "and", "for", "use", "using", "linux", "unix", "system", "into", "show",
        "run", "set", "get", "manage",
    ]
)  # fmt: skip
_STEM = 5
"""Letters by which words are compared: `archive`, `archiving`."""
_ENOUGH = 2
"""Flags or commands that page and entry must share where their words differ."""


def is_about(page: str, purpose: str, entry: Tool) -> bool:
    """False if they share neither a word of the purpose nor flags and commands: two programs bear that name.

    An entry without flags and commands cannot be contradicted.
    """
    prose = " ".join([entry.description, *_phrases(entry)])
    if not purpose or _stems(purpose) & _stems(prose):
        return True
    names = set(_names(entry))
    if not names:
        return True
    text = page[:MAX_PAGE].replace("\\", "")
    found = {word for word in re.findall(r"(?<![\w-])-{0,2}\w[\w-]{1,40}", text) if word in names}
    return len(found) >= min(_ENOUGH, len(names))


def _phrases(entry: Tool) -> Iterator[str]:
    intents = entry.own.get("intents")
    for phrases in intents.values() if isinstance(intents, dict) else ():
        yield from phrases


def _names(entry: Tool) -> Iterator[str]:
    """Flags of more than one letter, and commands; every manual has some flag `-v`."""
    options = (*(entry.options or ()), *(entry.global_options or ()))
    yield from (flag for option in options for flag in option.flags if len(flag) > 2)
    yield from entry.commands or ()


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if word not in _COMMON}
