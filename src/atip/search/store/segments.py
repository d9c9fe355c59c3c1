"""Segments: which documents hold a term, packed into few rows.

A segment is everything that one build or update wrote. Its terms stand in order, BLOCK of them to a row: a row
for each term would cost more to write than all the rest. Readers hold only the terms of each block; the entries
of a term are read on use. Pure.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate

from atip.search.store.postings import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BLOCK = 128


def packed(lists: Mapping[str, array[int]]) -> Iterator[tuple[str, bytes, bytes]]:
    """Blocks of a segment: terms, where the entries of each end, entries."""
    terms = sorted(lists)
    for start in range(0, len(terms), BLOCK):
        part = terms[start : start + BLOCK]
        found = [lists[term] for term in part]
        ends = array("I", accumulate(map(len, found)))
        yield "\n".join(("", *part, "")), ends.tobytes(), b"".join(found)


def unpacked(terms: str, ends: object, entries: object) -> Iterator[tuple[str, array[int]]]:
    """A block as terms with their entries."""
    limits, found = _limits(ends), unpack(entries)
    for term, start, end in zip(terms.split(), limits, limits[1:], strict=False):
        yield term, found[start:end]


def entries_at(place: int, ends: object, entries: object) -> array[int]:
    """The entries of the term at a place of a block; of a damaged one none."""
    size = array("I").itemsize
    if not (isinstance(ends, bytes) and isinstance(entries, bytes)) or place >= len(ends) // size:
        return array("I")
    # a block has the entries of many terms: no more than those of this one are copied
    start, end = unpack((bytes(size) + ends)[place * size : (place + 2) * size])
    return unpack(entries[start * size : end * size])


def _limits(ends: object) -> array[int]:
    return array("I", [0]) + unpack(ends)


class Directory:
    """The blocks of all segments by their terms."""

    def __init__(self, rows: Iterable[tuple[int, int, str]]) -> None:
        """`rows` are (segment, number of the block, terms), each segment's blocks in order."""
        self._segments: dict[int, tuple[list[str], list[tuple[int, str]]]] = {}
        for segment, number, terms in rows:
            firsts, blocks = self._segments.setdefault(segment, ([], []))
            firsts.append(terms[1 : terms.index("\n", 1)])
            blocks.append((number, terms))

    def find(self, term: str) -> list[tuple[int, int]]:
        """(block, place) of a term in each segment that has it."""
        found = []
        line = f"\n{term}\n"
        for firsts, blocks in self._segments.values():
            number, terms = blocks[max(0, bisect_right(firsts, term) - 1)]
            start = terms.find(line)
            if start >= 0:
                found.append((number, terms.count("\n", 0, start)))
        return found

    def between(self, low: str, high: str) -> set[str]:
        """Terms from `low` up to, and without, `high`."""
        found: set[str] = set()
        for firsts, blocks in self._segments.values():
            start = max(0, bisect_right(firsts, low) - 1)
            for _, terms in blocks[start : bisect_right(firsts, high)]:
                found.update(term for term in terms.split() if low <= term < high)
        return found


def living(entries: array[int], dead: set[int]) -> array[int]:
    """Entries without those of dead documents."""
    return array("I", [entry for entry in entries if entry >> 8 not in dead]) if dead else entries
