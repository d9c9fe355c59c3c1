"""Ranking: postings of a request's terms → documents in order. Pure arithmetic over what the index hands in.

For each term of the request a document gets the best of: the term itself, a near synonym (less), and what the
lexicon knows of the command (less) – the best, not the sum, so that many loose ways to match never beat one
exact word. A document that leaves much of the request unmatched is held back (COVERAGE), and one that leaves its
heaviest word unmatched a little more (UNMATCHED). Weights were fitted on half of the tools and checked on the others.
"""

from __future__ import annotations

import heapq
import math

from atip.model.value import Value
from atip.search.stems import stem
from atip.search.store.postings import FULL, greatest_impact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from atip.search.store.places import LexiconPlaces

    Entries = Sequence[int]

SYNONYM = 0.4
COVERAGE = 0.9
COVERAGE_WITHIN = 0.2
UNMATCHED = 0.15
"""Share of its score that a command loses without the heaviest word of the request …"""
EXAMINED = 100
IN_FRONT = 0.5
"""… for which at most EXAMINED commands with IN_FRONT of the best score are examined; the others lose as much."""
RARER = 1.4
"""Over all tools a rare word counts more than by BM25: its rarity is raised to this power …"""
MANUALS = 0.8
"""… and what the lexicon knows from manuals counts less than it was weighed. Within a tool both are 1: fitting them
there gained nothing on other tools."""
LATER = 0.06
"""Within a tool, the first word of a request counts most; each further word counts this much less …"""
LEAST = 0.3
"""… down to this."""
MANAGES = 1.4
"""Factor for a command that manages things, when the request is to list, add or remove them."""
NAMED = 1.3
"""Factor for a word of a command's own name within its tool."""
TELLING = 0.3
"""Commands that have at least this share of the best match of a word have it …"""
SHARED = 0.5
"""… and a word that all of them have still counts a little."""
RARE = 1.0
"""Near synonyms that most commands mention (rarity below this) are ignored."""
HOPELESS = 0.4
"""Below this share of the best sum a document cannot reach the front any more …"""
FEW = 60
"""… and is left out, unless there are only few others …"""
SOME = 300
"""… and then this many stay."""
LEADING = 100
"""Documents that have to be in front before the terms that are left count for no others."""
MANAGE = stem("manage")
KEEPING = frozenset(
    stem(word)
    for word in (
        "list", "show", "display", "view", "print", "get", "create", "add", "delete", "remove", "set", "update",
        "edit", "change", "modify",
    )
)  # fmt: skip
"""Verbs that a command covers whose summary says that it manages something."""
SCALE = 2.2 / FULL
"""Impacts back to BM25's range (K1 + 1)."""


class Evidence(Value):
    """Everything known about one term of a request."""

    weight: float
    term: str = ""
    exact: Entries = ()
    """Postings of the index."""
    lexicon: tuple[Entries, Entries] = ((), ())
    """Postings of the lexicon: manuals, intents."""
    lexicon_rarity: float = 0.0
    synonyms: Sequence[tuple[float, Entries]] = ()
    """(closeness, postings of the index)."""
    manages: Entries = ()
    """Postings of commands that say they manage something, when the term is a verb that they stand for."""


def rarity(documents: int, holding: int) -> float:
    """BM25's inverse document frequency; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5)) if documents else 0.0


def rank(
    evidence: Sequence[Evidence],
    documents: int,
    places: LexiconPlaces,
    *,
    is_filtered: bool = False,
) -> dict[int, float]:
    """Document → score, over all tools.

    Args:
        is_filtered: hits will be left out later, so that any document may be needed.
    """
    parts = [_Part(one, documents, places) for one in evidence]
    parts = sorted((part for part in parts if part.most), key=lambda part: part.entries)
    scores = _sums(parts, is_filtered=is_filtered)
    # a word that no document has tells none from another
    parts = [part for part in parts if part.best or part.synonyms]
    _add_synonyms(parts, scores, among=_in_reach(parts, scores))
    least = max(scores.values(), default=0.0) * HOPELESS
    hopeful = {document: value for document, value in scores.items() if value >= least}
    if len(hopeful) < FEW:
        hopeful = _front(scores)
    return _without_unmatched(_covering(parts, hopeful, COVERAGE), parts)


def rank_within(
    evidence: Sequence[Evidence],
    documents: int,
    places: LexiconPlaces,
    only: Mapping[int, Collection[str]],
) -> dict[int, float]:
    """Document → score for the commands of one tool, given with the terms of their names: words that most commands share
    count little, and words of a command's name count more.
    """
    parts = []
    for place, one in enumerate(evidence):
        part = _Part(one, documents, places, is_within=True)
        part.fill()
        _add_synonyms([part], part.best, among=None)
        if part.best:
            _limit(part, one, place, only)
            parts.append(part)
    scores: dict[int, float] = {}
    for part in parts:
        _add(part.best, scores)
    return _covering(parts, scores, COVERAGE_WITHIN)


class _Part:
    """Score of each document for one term of a request, and the score of a full match."""

    __slots__ = ("_factors", "_one", "_places", "best", "full", "most", "synonyms")

    def __init__(
        self, one: Evidence, documents: int, places: LexiconPlaces, *, is_within: bool = False
    ) -> None:
        own = rarity(documents, len(one.exact)) if one.exact else 0.0
        common = (
            min(own, one.lexicon_rarity)
            if own and one.lexicon_rarity
            else own or one.lexicon_rarity
        )
        rarities = [rarity(documents, len(found)) for _, found in one.synonyms]
        common = common or max(rarities, default=0.0)
        rarer = 1.0 if is_within else common ** (RARER - 1)
        scale = one.weight * SCALE
        from_lexicon = scale * common * rarer
        self.best: dict[int, float] = {}
        self.full = one.weight * common * rarer
        self.synonyms = [
            (scale * SYNONYM * closeness * min(common, rare) * rarer, found)
            for (closeness, found), rare in zip(one.synonyms, rarities, strict=True)
            if found and rare >= RARE
        ]
        """(factor, postings) that are still to be added."""
        self._factors = (
            scale * own * (1.0 if is_within else own ** (RARER - 1)) if one.exact else 0.0,
            from_lexicon * (1.0 if is_within else MANUALS),
            from_lexicon,
        )
        near = FULL * max((factor for factor, _ in self.synonyms), default=0.0)
        impacts = map(greatest_impact, (one.exact, *one.lexicon))
        self.most = max(near, *map(float.__mul__, self._factors, map(float, impacts)))
        """Greatest score that a document can get."""
        self._one, self._places = one, places

    @property
    def entries(self) -> int:
        return len(self._one.exact) + sum(map(len, self._one.lexicon))

    def fill(self, among: Collection[int] | None = None) -> None:
        """Find the best contribution for each document, or for some; synonyms aside."""
        factor, by_manual, by_intent = self._factors
        exact, (manuals, intents), here = self._one.exact, self._one.lexicon, self._places.documents
        if among is not None:
            numbers = {n for n in map(self._places.numbers.get, among) if n is not None}
            exact = [entry for entry in exact if entry >> 8 in among]
            manuals = [entry for entry in manuals if entry >> 8 in numbers]
            intents = [entry for entry in intents if entry >> 8 in numbers]
        self.best = best = {here[entry >> 8]: by_manual * (entry & 255) for entry in manuals}
        best.pop(0, None)  # commands that are not here
        get = best.get
        for entry in intents:
            document, value = here[entry >> 8], by_intent * (entry & 255)
            if document and value > get(document, 0.0):
                best[document] = value
        for document, twin in self._places.twins:
            if document in best:
                best[twin] = best[document]
        for entry in exact:
            document, value = entry >> 8, factor * (entry & 255)
            if value > get(document, 0.0):
                best[document] = value
        for entry in self._one.manages:
            value = by_intent * MANAGES * (entry & 255)
            if value > get(entry >> 8, 0.0):
                best[entry >> 8] = value


def _sums(parts: Sequence[_Part], *, is_filtered: bool) -> dict[int, float]:
    """Sums over the terms, the heaviest first. Few documents have a rare word, thousands a common one: once the terms that
    are left cannot bring a document to the front by themselves, they count only for documents that have another one."""
    scores: dict[int, float] = {}
    among: dict[int, float] | None = None
    for place, part in enumerate(parts):
        if among is None and place and not is_filtered and _is_decided(parts, place, scores):
            among = scores
        part.fill(among)
        if scores:
            _add(part.best, scores)
        else:
            scores = dict(part.best)
    return scores


def _is_decided(parts: Sequence[_Part], place: int, scores: dict[int, float]) -> bool:
    """Whether a document without any of the terms before `place` is behind LEADING others, whatever follows."""
    later = parts[place:]
    if len(scores) < LEADING or sum(part.entries for part in later) < len(scores):
        return False
    whole = sum(part.full for part in parts)
    most: float = (
        sum(part.most for part in later) * (sum(part.full for part in later) / whole) ** COVERAGE
    )
    least = sorted(scores.values())[-LEADING]
    if least < most:  # coverage only lowers it
        return False
    front = {document: value for document, value in scores.items() if value >= least}
    final = _covering(parts[:place], front, COVERAGE, whole)
    return bool(min(final.values()) * (1 - UNMATCHED) > most)


def _add(values: dict[int, float], scores: dict[int, float]) -> None:
    for document, value in values.items():
        scores[document] = scores[document] + value if document in scores else value


def _in_reach(parts: Sequence[_Part], scores: dict[int, float]) -> frozenset[int] | None:
    """The documents that synonyms are looked up for; None: all. Most postings are those of synonyms, and with all
    that they can add most documents still do not reach the front."""
    most = sum(max((factor for factor, _ in part.synonyms), default=0.0) for part in parts) * 255
    least = HOPELESS * max(scores.values(), default=0.0) - most
    if len(scores) < FEW or least <= 0:
        return None
    near = frozenset([document for document, value in scores.items() if value >= least])
    return near if len(near) >= FEW else frozenset(scores)


def _add_synonyms(
    parts: Sequence[_Part], scores: dict[int, float], *, among: frozenset[int] | None
) -> None:
    """Raise to what synonyms give."""
    for part in parts:
        best = part.best
        get = best.get
        for factor, found in part.synonyms:
            entries = found if among is None else [one for one in found if one >> 8 in among]
            for entry in entries:
                document, value = entry >> 8, factor * (entry & 255)
                old = get(document, 0.0)
                if value > old:
                    best[document] = value
                    if scores is not best:
                        scores[document] = scores.get(document, 0.0) + value - old


def _front(scores: dict[int, float]) -> dict[int, float]:
    if len(scores) <= SOME:
        return scores
    least = sorted(scores.values())[-SOME]
    return {document: value for document, value in scores.items() if value >= least}


def _covering(
    parts: Sequence[_Part], scores: dict[int, float], power: float, whole: float = 0.0
) -> dict[int, float]:
    """Scores by how much of the request a document matches; no word counts for more than a full match."""
    whole = whole or sum(part.full for part in parts)
    covered = dict.fromkeys(scores, 0.0)
    for part in parts:
        best, full = part.best, part.full
        for document in scores:
            if document in best:
                value = best[document]
                covered[document] += value if value < full else full
    return {
        document: value * (covered[document] / whole) ** power if whole else 0.0
        for document, value in scores.items()
    }


def _without_unmatched(scores: dict[int, float], parts: Sequence[_Part]) -> dict[int, float]:
    """Scores less what the heaviest word costs that a document leaves unmatched."""
    heaviest = max((part.full for part in parts), default=0.0)
    if not heaviest or not scores:
        return scores
    reduced = {document: value * (1 - UNMATCHED) for document, value in scores.items()}
    least = max(scores.values()) * IN_FRONT
    front = [document for document, value in scores.items() if value >= least]
    if len(front) > EXAMINED:
        front = heapq.nlargest(EXAMINED, front, key=scores.__getitem__)
    for document in front:
        missing = max(part.full - part.best.get(document, 0.0) for part in parts)
        reduced[document] = scores[document] * (1 - UNMATCHED * max(0.0, missing) / heaviest)
    return reduced


def _limit(part: _Part, one: Evidence, place: int, only: Mapping[int, Collection[str]]) -> None:
    """Limit a part to the commands of one tool, and weigh it by its place in the request and by how many of them have it."""
    here = {document: part.best[document] for document in only if document in part.best}
    share = max(LEAST, 1 - LATER * place)
    if here:
        telling = max(here.values()) * TELLING
        holding = sum(1 for value in here.values() if value > telling)
        share *= (rarity(len(only), holding) + SHARED) ** 0.5
    part.best = {
        document: value * share * (NAMED if one.term in only[document] else 1.0)
        for document, value in here.items()
    }
    part.full *= share
