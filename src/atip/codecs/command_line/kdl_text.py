"""Values → KDL 2 text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quote(value: object) -> str:
    """A value: `#true`, `#null`, a number, or a quoted string."""
    if value is None:
        return "#null"
    if isinstance(value, bool):
        return "#true" if value else "#false"
    if isinstance(value, int | float):
        return repr(value)
    return '"' + "".join(_ESCAPES.get(char) or _visible(char) for char in str(value)) + '"'


def _visible(char: str) -> str:
    # KDL forbids control and direction characters outside escapes; surrogates have no form at all
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        return "\\u{fffd}"
    hidden = code < 0x20 or code == 0x7F or 0x200E <= code <= 0x200F or 0x202A <= code <= 0x202E
    return f"\\u{{{code:x}}}" if hidden or 0x2066 <= code <= 0x2069 or code == 0xFEFF else char


def line(
    name: str, values: Iterable[object] = (), properties: Mapping[str, object] | None = None
) -> str:
    """One node without children."""
    parts = [_name(name), *(quote(value) for value in values)]
    parts += [f"{_name(key)}={quote(value)}" for key, value in (properties or {}).items()]
    return " ".join(parts)


def block(head: str, children: list[str], indent: str = "    ") -> list[str]:
    """A node and its children, as lines."""
    if not children:
        return [head]
    return [head + " {", *(indent + child for child in children), "}"]


def _name(name: str) -> str:
    letters = name.replace("_", "").replace("-", "")
    return (
        name
        if letters.isalnum() and letters.isascii() and not letters[0].isdigit()
        else quote(name)
    )
