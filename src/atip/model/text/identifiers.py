"""Identifiers from foreign text: snake_case names that no language reads as anything else.

SECURITY: every name that reaches generated code, a URL of ours or a file name comes through `slug`, so that
text of a document can never become syntax (row 26 of the threat table).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_MAX = 56

_PYTHON = (
    "false none true and as assert async await break class continue def del elif else except finally for from"
    " global if import in is lambda nonlocal not or pass raise return try while with yield self client"
)
_TYPESCRIPT = (
    "abstract arguments boolean case catch const debugger default delete do enum eval export extends function"
    " implements instanceof interface let match new null package private protected public static super switch"
    " this throw type typeof undefined var void index runtime models str int float bool list dict bytes any"
)
ARGUMENTS = frozenset(_PYTHON.split())
"""Names that a parameter of a generated function cannot have."""
OPERATIONS = ARGUMENTS | frozenset(_TYPESCRIPT.split())
"""Names that a generated function or its module cannot have in Python or TypeScript."""


def slug(text: str, fallback: str = "operation", reserved: frozenset[str] = OPERATIONS) -> str:
    """`text` as snake_case of ASCII letters, digits and single underscores, beginning with a letter."""
    name = "_".join(word.lower() for word in _WORD.findall(text))[:_MAX].rstrip("_")
    if not name:
        name = fallback
    if name[0].isdigit():
        name = f"{fallback}_{name}"
    return f"{name}_" if name in reserved else name


def unique(base: str, used: set[str], hints: Iterable[str] = ()) -> str:
    """`base`, with the first hint that makes it unique, or with a number; adds it to `used`."""
    for candidate in (base, *(f"{base.rstrip('_')}_{hint}" for hint in hints if hint)):
        if candidate not in used:
            used.add(candidate)
            return candidate
    number = 2
    while f"{base}_{number}" in used:
        number += 1
    candidate = f"{base}_{number}"
    used.add(candidate)
    return candidate


def camel(name: str) -> str:
    """A snake_case identifier as `CamelCase`, for classes and types."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)
