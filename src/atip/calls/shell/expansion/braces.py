"""Brace expansion: `a{b,c}d`, `{1..9}` – on pieces, before anything else, as bash does. Bounded."""

from __future__ import annotations

from atip.calls.shell.tree import Piece
from atip.model.text.regex import LazyRegex

MAX_WORDS = 256
_RANGE = LazyRegex(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,3}))?\Z")
_LETTERS = LazyRegex(r"([A-Za-z])\.\.([A-Za-z])\Z")

Item = tuple[str, bool, Piece | None]
"""A character and whether it is quoted, or another piece."""


def expand_braces(pieces: list[Piece]) -> list[list[Piece]] | None:
    """Every word that the pieces expand to; None: too many to list."""
    if not any(p.kind == "text" and not p.quoted and "{" in p.text for p in pieces):
        return [pieces]
    items: list[Item] = []
    for piece in pieces:
        if piece.kind == "text":
            items += [(char, piece.quoted, None) for char in piece.text]
            if not piece.text and piece.quoted:
                items.append(("", True, None))
        else:
            items.append(("", False, piece))
    words = _expand(items, 0)
    return None if words is None else [_pieces(word) for word in words]


def _expand(items: list[Item], depth: int) -> list[list[Item]] | None:
    if depth > 24:
        return None
    for start, (char, quoted, _piece) in enumerate(items):
        if char != "{" or quoted:
            continue
        alternatives = _find_parts(items, start)
        if alternatives is None:
            continue
        end, parts = alternatives
        choices: list[list[Item]] = []
        for part in parts:
            inner = _expand(part, depth + 1)
            if inner is None:
                return None
            choices += inner
        rests = _expand(items[end + 1 :], depth + 1)
        if rests is None or len(choices) * len(rests) > MAX_WORDS:
            return None
        head = items[:start]
        return [head + choice + rest for choice in choices for rest in rests]
    return [items]


def _find_parts(items: list[Item], start: int) -> tuple[int, list[list[Item]]] | None:
    """The closing brace and what is between the commas; None: no expansion."""
    level, parts, part = 0, [], list[Item]()
    for at in range(start + 1, len(items)):
        char, quoted, _piece = items[at]
        if not quoted and char == "{":
            level += 1
        elif not quoted and char == "}":
            if level == 0:
                parts.append(part)
                if len(parts) > 1:
                    return at, parts
                listed = _range(part)
                return (at, listed) if listed is not None else None
            level -= 1
        elif not quoted and char == "," and level == 0:
            parts.append(part)
            part = []
            continue
        part.append(items[at])
    return None


def _range(part: list[Item]) -> list[list[Item]] | None:
    if any(piece is not None for _c, _q, piece in part):
        return None
    text = "".join(char for char, _q, _p in part)
    if ".." not in text:
        return None
    match = _RANGE.match(text)
    if match:
        first, last = int(match[1]), int(match[2])
        step = abs(int(match[3] or 1)) or 1
        span = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
        # too long: bounded by the caller through the number of choices
        return [[(c, True, None) for c in str(n)] for n in span[: MAX_WORDS + 1]]
    letters = _LETTERS.match(text)
    if letters:
        low, high = sorted((ord(letters[1]), ord(letters[2])))
        return [[(chr(n), True, None)] for n in range(low, high + 1)]
    return None


def _pieces(items: list[Item]) -> list[Piece]:
    pieces: list[Piece] = []
    for char, quoted, piece in items:
        last = pieces[-1] if pieces else None
        if piece is not None:
            pieces.append(piece)
        elif last is not None and last.kind == "text" and last.quoted == quoted:
            pieces[-1] = Piece("text", last.text + char, quoted=quoted)
        else:
            pieces.append(Piece("text", char, quoted=quoted))
    return pieces
