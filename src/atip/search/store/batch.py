"""Batch: documents on their way into the file. Texts go row by row, postings gather by term. Pure."""

from __future__ import annotations

from collections import defaultdict

from atip.search.store import text_rows
from atip.search.store.postings import postings_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from atip.search.entries import Entry


class Batch:
    """Documents with consecutive numbers."""

    def __init__(self, first: int) -> None:
        self.next = first
        """The number of the next document."""
        self.lists: dict[str, array[int]] = defaultdict(postings_list)
        """Term → entries."""
        self.known = postings_list()
        """Pairs: number in the lexicon, document."""
        self.first = first
        """The first document that waits for a text row."""
        self._texts: list[str] = []
        self._facts: list[int] = []

    def add(self, tool: str, entry: Entry, known: int | None) -> int:
        """One document, `known` by this number in the lexicon; returns how many wait for a text row."""
        path, description, impacts, is_true, is_known = entry
        self._texts += (tool, "\t".join(path), description)
        self._facts += (is_true, is_known)
        lists = self.lists
        base = self.next << 8
        # a plain loop: gathering a row's terms first, to file them with `map`, took longer
        for term, impact in impacts.items():
            lists[term].append(base | impact)
        if known is not None:
            self.known.append(known)
            self.known.append(self.next)
        self.next += 1
        return self.next - self.first

    def text_row(self) -> tuple[int, int, bytes, bytes, str]:
        """The text row with all that wait: first, last, ends, facts, texts."""
        row = (self.first, self.next - 1, *text_rows.packed(self._texts, self._facts))
        self.first, self._texts, self._facts = self.next, [], []
        return row
