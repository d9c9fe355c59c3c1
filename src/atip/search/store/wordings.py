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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FULL = 255
NEAR = 0.7
"""Weight of a near synonym, relative to the word itself."""
UNHEARD = 1.0
"""The weight of a word that no wording has; that of others is 2 to 9, by how rare they are."""
FLOOR = 0.55
"""Likeness up to which a wording has no strength …"""
SURE = 0.9
"""… and from which on it has MOST."""
MOST = (0.75, 0.5, 0.35)
"""Greatest strength for requests of up to SHORT words, one more, and longer ones, where 1 is that of an intent that differs in
one word. A long request has particulars that a phrase lacks and a command's own text may have. With 1 for all, tools
without curated intents lose: 0.384 instead of 0.404 of public requests."""
SHORT = 4
LEAST = FLOOR / (2 - FLOOR)
"""With a smaller part of the request in a wording, the mean of both parts stays below FLOOR."""

STEPS = 1 << 16
"""Parts of a request are counted in this many steps …"""
STEP = 65_536.0
"""… and added up in one number with the part of the wording, which stays below it: half as many operations as with two."""


def weight(wordings: int, holding: int) -> float:
    """The weight of a word that `holding` wordings have."""
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
    values = {
        stem: share * weight(size, len(postings.get(stem, ()))) for stem, share in request.items()
    }
    left = whole = sum(values.values())
    if not whole:
        return {}
    sums: dict[int, float] = {}
    is_open = True
    for stem in sorted(values, key=values.__getitem__, reverse=True):
        if is_open and left < LEAST * whole:
            # too little is left for wordings without any of the words so far, and for those with few of them
            is_open = False
            needed = STEP * (int(STEPS * (LEAST - left / whole)) - len(values))
            sums = {one: value for one, value in sums.items() if value >= needed}
        best: dict[int, float] = {}
        for close, entries in _matches(stem, request, near, postings):
            part = STEP * round(STEPS * close * values[stem] / whole)
            among = entries if is_open else [one for one in entries if one >> 8 in sums]
            best.update({entry >> 8: close * (entry & FULL) + part for entry in among})
        if sums:
            for number, value in best.items():
                sums[number] = sums.get(number, 0.0) + value
        else:
            sums = best
        left -= values[stem]
    needed = STEP * (int(STEPS * LEAST) - len(values))
    means = {
        number: _mean(min(value % STEP / FULL, 1.0), value // STEP / STEPS)
        for number, value in sums.items()
        if value >= needed
    }
    return {number: value for number, value in means.items() if value >= FLOOR}


def _matches(
    stem: str,
    request: Mapping[str, float],
    near: Mapping[str, Sequence[tuple[str, float]]],
    postings: Mapping[str, Sequence[int]],
) -> Iterator[tuple[float, Sequence[int]]]:
    """Postings of the synonyms of a stem with their closeness, the nearest last, then those of the stem itself with 1."""
    nearest = sorted(near.get(stem, ()), key=lambda one: one[1], reverse=True)
    for other, closeness in reversed(nearest):
        # a synonym that the request says as well is matched by itself
        if other not in request and other in postings:
            yield NEAR * closeness, postings[other]
    yield 1.0, postings.get(stem, ())


def _mean(of_wording: float, of_request: float) -> float:
    both = of_wording + of_request
    return 2 * of_wording * of_request / both if both else 0.0


def strength(value: float, words: int) -> float:
    """Strength of a likeness to a request of so many words: 0 up to FLOOR, MOST from SURE on, linear between."""
    most = MOST[min(2, max(0, words - SHORT))]
    return most * min(1.0, max(0.0, (value - FLOOR) / (SURE - FLOOR)))
