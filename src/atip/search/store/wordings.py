"""Wordings: curated intents as bags of words, and how much a request is like one whatever the order of its words.

A posting of a stem is `wording * 256 + share`: which wordings have it, and what share of the wording's weight it is
(255 is all of it). So the part of a wording that a request says is a sum over postings. The part of the request that
the wording says is the other half: both have to be large. Words that no wording has are names and values
(`restart nginx`) and count little. Pure arithmetic.
"""

from __future__ import annotations

import collections
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FULL = 255
NEAR = 0.7
"""What a near synonym counts of the word itself."""
UNHEARD = 1.0
"""The weight of a word that no wording has; that of others is 2 to 9, by how rare they are."""
FLOOR = 0.55
"""A wording that is less like the request than this says nothing …"""
SURE = 0.9
"""… and one that is this much like it all that it can."""
MOST = 0.5
"""What that is, of an intent that differs in one word. With 1 tools that nobody curated lose: 0.384 instead of 0.404 of
public requests."""


def weight(wordings: int, holding: int) -> float:
    """How telling a word is that so many wordings have."""
    return math.log(1 + wordings / holding) if holding else UNHEARD


def wording_postings(wordings: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    """Stem → postings, of bags of stems whose place is their number."""
    bags = [frozenset(bag) for bag in wordings]
    holding = collections.Counter(stem for bag in bags for stem in bag)
    found: dict[str, list[int]] = collections.defaultdict(list)
    for number, bag in enumerate(bags):
        weights = {stem: weight(len(bags), holding[stem]) for stem in sorted(bag)}
        whole = sum(weights.values())
        for stem, value in weights.items():
            found[stem].append(number << 8 | round(FULL * value / whole))
    return found


def likeness(
    request: Mapping[str, float],
    near: Mapping[str, Sequence[tuple[str, float]]],
    postings: Mapping[str, Sequence[int]],
    size: int,
) -> dict[int, float]:
    """Wording → how much the request is like it, FLOOR to 1.

    Args:
        request: stems of the request with what they count in it.
        near: synonyms of each, with their closeness.
        postings: of all of these stems that have any.
        size: number of wordings.
    """
    said: dict[int, float] = collections.defaultdict(float)
    saying: dict[int, float] = collections.defaultdict(float)
    whole = 0.0
    for stem, share in request.items():
        own = postings.get(stem, ())
        value = share * weight(size, len(own))
        whole += value
        best = {entry >> 8: (1.0, entry & FULL) for entry in own}
        for other, closeness in near.get(stem, ()):
            # a synonym that the request says as well is matched by itself
            for entry in () if other in request else postings.get(other, ()):
                old = best.get(entry >> 8)
                if old is None or old[0] < NEAR * closeness:
                    best[entry >> 8] = (NEAR * closeness, entry & FULL)
        for number, (close, part) in best.items():
            said[number] += close * part / FULL
            saying[number] += close * value
    found = {}
    for number, share in said.items():
        of_wording, of_request = min(share, 1.0), saying[number] / (whole or 1.0)
        both = of_wording + of_request
        mean = 2 * of_wording * of_request / both if both else 0.0
        if mean >= FLOOR:
            found[number] = mean
    return found


def strength(value: float) -> float:
    """How much a likeness says, 0 to MOST."""
    return MOST * min(1.0, max(0.0, (value - FLOOR) / (SURE - FLOOR)))
