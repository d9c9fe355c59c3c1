"""Spelling: the nearest known term for an unknown word: one edit, the first letter unchanged. Pure."""

from __future__ import annotations

from atip.search.stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SHORTEST = 5
"""Shorter words have too many neighbors."""


def correct(word: str, vocabulary: Callable[[str, str], Collection[str]]) -> str | None:
    """A stem one edit away from the stem of `word`, or None. `vocabulary(low, high)` lists a range of stems."""
    key = stem(word)
    if len(key) < SHORTEST or not key.isalpha():
        return None
    first = key[0]
    near = [term for term in vocabulary(first, chr(ord(first) + 1)) if is_one_edit(key, term)]
    return min(near, key=lambda term: (abs(len(term) - len(key)), term), default=None)


def is_one_edit(left: str, right: str) -> bool:
    """Whether one letter more, less, other, or two swapped neighbors turn one into the other."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    a, b = left[start:], right[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b or a == b[1:]
