"""JSON lists: put, replace and remove one item or member in the text of a JSON document, everything else left alone.

A path is made of keys and list indexes. Comments and spacing outside of the piece that changes stay as they are. Judges
nothing: the caller parses the text before and after. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import FormatError
from atip.server.configuration.json_edit import (
    ObjectSpan,
    damaged,
    indent_unit,
    put_value,
    rendered,
    skip,
    value_end,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = Sequence[str | int]


def append_item(text: str, keys: Sequence[str], item: object) -> str:
    """The text with `item` at the end of the list `keys`, which is made where it is missing."""
    where = _find(text, keys)
    if where is None:
        return put_value(text, keys, [item])
    if text[where[0]] != "[":
        raise FormatError("config.not-a-list", f"`{'.'.join(keys)}` is not a list")
    items = _items(text, where[0])
    step, depth = indent_unit(text), len(keys) + 1
    rendered_item = f"\n{step * depth}{rendered(item, step, depth)}"
    if not items:
        return f"{text[: where[0] + 1]}{rendered_item}\n{step * (depth - 1)}{text[where[1] - 1 :]}"
    at = items[-1][1]
    after = skip(text, at)
    if text[after] == ",":  # a comma at the end of the list: comments are fine here, and so is this
        return text[: after + 1] + rendered_item + text[after + 1 :]
    return f"{text[:at]},{rendered_item}{text[at:]}"


def replace_value(text: str, path: Path, value: object) -> str:
    """The text with another value at `path`, which is there."""
    where = _find(text, path)
    if where is None:
        raise damaged(0)
    return text[: where[0]] + rendered(value, indent_unit(text), len(path)) + text[where[1] :]


def remove_value(text: str, path: Path) -> str:
    """The text without what is at `path`; without it there, the text as it is."""
    outer = _find(text, path[:-1])
    where = _find(text, path)
    if outer is None or where is None:
        return text
    start, end = where
    if text[outer[0]] == "{":
        start = ObjectSpan(text, outer[0]).keys[str(path[-1])]
    comma = skip(text, end)
    if text[comma] == ",":
        text = text[:comma] + text[comma + 1 :]
    else:
        before = _comma_before(text, outer[0], start)
        if before is not None:
            text = text[:before] + text[before + 1 :]
            start, end = start - 1, end - 1
    while text[start - 1] in " \t":
        start -= 1
    if text[start - 1] == "\n":
        start -= 1
    return text[:start] + text[end:]


def _comma_before(text: str, outer: int, start: int) -> int | None:
    """Offset of the comma before the item that begins at `start`; None: it is the first."""
    if text[outer] == "{":
        spans = list(ObjectSpan(text, outer).members.values())
    else:
        spans = _items(text, outer)
    ends = [end for _, end in spans if end <= start]
    return skip(text, ends[-1]) if ends else None


def _find(text: str, path: Path) -> tuple[int, int] | None:
    """Start and end of the value at a path."""
    if not text.strip():
        return None
    start = skip(text, 1 if text.startswith("\ufeff") else 0)
    end = value_end(text, start)
    for key in path:
        span = _inside(text, start, key)
        if span is None:
            return None
        start, end = span
    return start, end


def _inside(text: str, start: int, key: str | int) -> tuple[int, int] | None:
    if isinstance(key, str):
        return ObjectSpan(text, start).members.get(key) if text[start] == "{" else None
    items = _items(text, start) if text[start] == "[" else []
    return items[key] if key < len(items) else None


def _items(text: str, start: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "]":
        end = value_end(text, at)
        spans.append((at, end))
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise damaged(at)
    return spans
