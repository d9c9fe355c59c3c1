"""Postings: which documents hold a term and how much it matters there, as packed integers.

One entry is `document * 256 + impact`; the impact (0…255) is the saturated weight of the term in the document,
so that a query only multiplies and adds. Pure.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

K1 = 1.2
"""BM25 saturation: a second mention adds less than the first."""
B = 0.45
"""How much a long summary is held against its words."""
AVERAGE = 9.0
"""Words of an ordinary summary with its name. Fixed, so that adding a tool changes no other tool's impacts."""
LONGEST = 30.0
FULL = 255


def impacts(weights: Mapping[str, float], length: int) -> Iterable[tuple[str, int]]:
    """Term → impact for one document of `length` words."""
    norm = K1 * (1 - B + B * min(length, LONGEST) / AVERAGE)
    return [(term, int(FULL * w / (w + norm))) for term, w in weights.items()]


def pack(entries: Iterable[int]) -> bytes:
    """Entries as bytes."""
    return array("I", entries).tobytes()


def unpack(data: bytes) -> array[int]:
    """Bytes as entries; a damaged length yields nothing rather than an error."""
    entries = array("I")
    if len(data) % entries.itemsize == 0:
        entries.frombytes(data)
    return entries
