"""Postings: which documents hold a term and how much it matters there, as packed integers.

One entry is `document * 256 + impact`; the impact (0…255) is the saturated weight of the term in the document,
so that a query only multiplies and adds. Pure.
"""

from __future__ import annotations

import sys
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

K1 = 1.2
"""BM25 saturation: a second mention adds less than the first."""
B = 0.45
"""BM25 length normalization: a word of a long summary has less impact."""
AVERAGE = 9.0
"""Words of an ordinary summary with its name. Fixed, so that adding a tool changes no other tool's impacts."""
LONGEST = 30
FULL = 255


def impact_of(weight: float, length: int) -> int:
    """The impact of a term in a document of `length` words."""
    norm = K1 * (1 - B + B * min(length, LONGEST) / AVERAGE)
    return int(FULL * weight / (weight + norm))


def greatest_impact(entries: Sequence[int]) -> int:
    """Of all entries; 0 without any."""
    if not isinstance(entries, array):
        return max([entry & FULL for entry in entries], default=0)
    low = 0 if sys.byteorder == "little" else entries.itemsize - 1
    return max(entries.tobytes()[low :: entries.itemsize], default=0)


def postings_list() -> array[int]:
    """An empty list of entries; an array, so that an index in the making holds bytes and not objects."""
    return array("I")


def pack(entries: array[int]) -> bytes | int:
    """Entries for a column of the database; a single one, the most frequent case, is a plain number."""
    return entries[0] if len(entries) == 1 else entries.tobytes()


def unpack(data: object) -> array[int]:
    """A column as entries; a damaged one yields nothing rather than an error."""
    entries = array("I")
    if isinstance(data, int):
        if 0 <= data < 1 << 32:
            entries.append(data)
    elif isinstance(data, bytes) and len(data) % entries.itemsize == 0:
        entries.frombytes(data)
    return entries
