"""TOML edit: put one table `[a.b]` of plain values into the text of a TOML document, everything else left alone.

Replaces the table where it stands with a header of its own, else appends it. Other spellings of the same table
(inline, dotted keys) are not touched: the caller parses the text before and after, and refuses. Pure.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_HEADER = re.compile(r"^[ \t]*\[\[?[^\n]*", re.M)
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def put_table(text: str, keys: Sequence[str], values: Mapping[str, object]) -> str:
    """The text with the table `keys`; values are texts, numbers, booleans and lists of them."""
    name = ".".join(key if _BARE.match(key) else json.dumps(key) for key in keys)
    body = "".join(f"{key} = {_render(value)}\n" for key, value in values.items())
    table = f"[{name}]\n{body}"
    own = _find_table(text, keys)
    if own is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{table}"
    following = _HEADER.search(text, own.end())
    end = following.start() if following is not None else len(text)
    block = text[own.start() : end]
    comments = _trailing_comments(block)
    return text[: own.start()] + table + comments + text[end:]


def append_block(text: str, name: str, values: Mapping[str, object]) -> str:
    """The text with one more `[[name]]` at its end."""
    body = "".join(f"{key} = {_render(value)}\n" for key, value in values.items())
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}[[{name}]]\n{body}"


def remove_blocks(text: str, name: str, is_selected: Callable[[dict[str, Any]], bool]) -> str:
    """The text without those `[[name]]` whose values are chosen."""
    import tomllib

    header = re.compile(rf"^[ \t]*\[\[[ \t]*{re.escape(name)}[ \t]*\]\][^\n]*\n?", re.M)
    at = 0
    while (match := header.search(text, at)) is not None:
        following = _HEADER.search(text, match.end())
        end = following.start() if following is not None else len(text)
        block = text[match.start() : end]
        comments = _trailing_comments(block)
        values = tomllib.loads(text[match.end() : end])
        at = end
        if is_selected(values):
            before = text[: match.start()]
            before = before[:-1] if before.endswith("\n\n") else before
            text = before + comments.removeprefix("\n") + text[end:]
            at = len(before)
    return text


def remove_table(text: str, keys: Sequence[str]) -> str:
    """The text without the table `[keys]`."""
    own = _find_table(text, keys)
    if own is None:
        return text
    following = _HEADER.search(text, own.end())
    end = following.start() if following is not None else len(text)
    comments = _trailing_comments(text[own.start() : end])
    before = text[: own.start()]
    before = before[:-1] if before.endswith("\n\n") else before
    return before + comments.removeprefix("\n") + text[end:]


def _find_table(text: str, keys: Sequence[str]) -> re.Match[str] | None:
    pattern = r"[ \t]*\.[ \t]*".join(
        rf"(?:{re.escape(key)}|{re.escape(json.dumps(key))})" for key in keys
    )
    return re.search(rf"^[ \t]*\[[ \t]*{pattern}[ \t]*\][^\n]*\n?", text, re.M)


def _trailing_comments(block: str) -> str:
    """Blank lines and comments after the last value: they belong to what follows."""
    lines = block.splitlines(keepends=True)
    count = 0
    for line in reversed(lines[1:]):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        count += 1
    return "".join(lines[len(lines) - count :])


def _render(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_render(part) for part in value) + "]"
    if isinstance(value, (int, float)):
        return str(value)
    # JSON's escapes are TOML's; what JSON leaves raw (DEL) TOML does not take.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")
