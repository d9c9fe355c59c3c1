"""Text rows: the texts of up to 64 documents as one row of the database; only rows with hits are read. Pure."""

from __future__ import annotations

from array import array
from itertools import accumulate, pairwise

from atip.search.store.postings import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = tuple[str, str, str, int, int]
    """Tool, path (joined with tabs), summary, bits of true and of known facts."""

DOCUMENTS = 64
TEXTS = 3
"""Of one document: tool, path, summary."""
FACTS = 2


def packed(texts: Sequence[str], facts: Sequence[int]) -> tuple[bytes, bytes, str]:
    """(ends of the texts, facts, texts), the texts of one document after those of another.

    By length and not by a separator: a description may hold any character.
    """
    ends = array("I", accumulate(map(len, texts)))
    return ends.tobytes(), array("I", facts).tobytes(), "".join(texts)


class TextRow:
    """One row, read back."""

    def __init__(self, first: int, last: int, ends: object, facts: object, texts: str) -> None:
        self.first, self.last = first, last
        self._limits = array("I", [0]) + unpack(ends)
        self._facts = unpack(facts)
        self._texts = texts

    def row(self, document: int) -> Row | None:
        """One document; None when it is not here, or damaged."""
        place = document - self.first
        limits = self._limits[place * TEXTS : place * TEXTS + TEXTS + 1]
        bits = self._facts[place * FACTS : place * FACTS + FACTS]
        if place < 0 or len(limits) <= TEXTS or len(bits) < FACTS:
            return None
        tool, path, summary = (self._texts[start:end] for start, end in pairwise(limits))
        return tool, path, summary, bits[0], bits[1]
