"""Batch: documents on their way into the file. Texts go shelf by shelf, postings gather by term. Pure."""

from __future__ import annotations

from collections import defaultdict

from atip.search.store import shelves
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
        """The first document that waits for a shelf."""
        self._texts: list[str] = []
        self._facts: list[int] = []

    def add(self, tool: str, entry: Entry, known: int | None) -> int:
        """One document, `known` by this number in the lexicon; returns how many wait for a shelf."""
        path, description, impacts, is_true, is_known = entry
        self._texts += (tool, "\t".join(path), description)
        self._facts += (is_true, is_known)
        lists = self.lists
        base = self.next << 8
        # a plain loop: gathering a shelf's terms first, to file them with `map`, took longer
        for term, impact in impacts.items():
            lists[term].append(base | impact)
        if known is not None:
            self.known.append(known)
            self.known.append(self.next)
        self.next += 1
        return self.next - self.first

    def shelf(self) -> tuple[int, int, bytes, bytes, str]:
        """The row of a shelf with all that wait: first, last, ends, facts, texts."""
        row = (self.first, self.next - 1, *shelves.packed(self._texts, self._facts))
        self.first, self._texts, self._facts = self.next, [], []
        return row
