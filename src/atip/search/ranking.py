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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Entries = Sequence[int]

SYNONYM = 0.4
COVERAGE = 0.9
COVERAGE_WITHIN = 0.2
UNMATCHED = 0.15
"""What a command loses that does not have the heaviest word of the request at all …"""
EXAMINED = 100
IN_FRONT = 0.5
"""… and how many commands, with what share of the best score, are examined for it; the others lose as much."""
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
"""How much a command that manages things is meant by a request to list, add or remove them."""
NAMED = 1.3
"""What a word of a command's own name counts within its tool."""
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
SCALE = 2.2 / 255
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


class LexiconPlaces(Value):
    """Where the lexicon's commands are in this index."""

    documents: Sequence[int] = ()
    """Number in the lexicon → document; 0 when the command is not here."""
    twins: Sequence[tuple[int, int]] = ()
    """(document, another document of the same number): one program under two names."""
    numbers: Mapping[int, int] = {}
    """Document → number in the lexicon."""


def rarity(documents: int, holding: int) -> float:
    """BM25's inverse document frequency; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5)) if documents else 0.0


def rank(
    evidence: Sequence[Evidence],
    documents: int,
    places: LexiconPlaces,
    *,
    only: Mapping[int, Collection[str]] | None = None,
) -> dict[int, float]:
    """Document → score. `only` are the commands of one tool with the terms of their names: within a tool
    words that most commands share count little, and words of a command's name count more.
    """
    parts = _parts(evidence, documents, places, only)
    scores: dict[int, float] = {}
    for part in parts:
        for document, value in part.best.items():
            scores[document] = scores[document] + value if document in scores else value
    if only is None:
        _add_synonyms(parts, scores, among=_in_reach(parts, scores))
    least = max(scores.values(), default=0.0) * HOPELESS
    hopeful = {document: value for document, value in scores.items() if value >= least}
    if len(hopeful) < FEW:
        hopeful = _front(scores)
    whole = sum(part.full for part in parts)
    covered = _covered(parts, hopeful)
    power = COVERAGE if only is None else COVERAGE_WITHIN
    covering = {
        document: value * (covered[document] / whole) ** power if whole else 0.0
        for document, value in hopeful.items()
    }
    return covering if only is not None else _without_unmatched(covering, parts)


class _Part:
    """What one term of a request gives each document, and what a full match of it is worth."""

    __slots__ = ("best", "full", "synonyms")

    def __init__(
        self, best: dict[int, float], full: float, synonyms: Sequence[tuple[float, Entries]] = ()
    ) -> None:
        self.best, self.full = best, full
        self.synonyms = synonyms
        """(factor, postings) that are still to be added."""


def _parts(
    evidence: Sequence[Evidence],
    documents: int,
    places: LexiconPlaces,
    only: Mapping[int, Collection[str]] | None,
) -> list[_Part]:
    """Of every term that says something; over all tools without the synonyms."""
    found = []
    for place, one in enumerate(evidence):
        part = _best(one, documents, places, is_within=only is not None)
        if only is not None:
            _add_synonyms([part], part.best, among=None)
            if part.best:
                found.append(_Part(*_within(part.best, part.full, one, place, only)))
        elif part.best or part.synonyms:
            found.append(part)
    return found


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


def _covered(parts: Sequence[_Part], documents: Collection[int]) -> dict[int, float]:
    """How much of the request each document matches; no word counts for more than a full match."""
    covered = dict.fromkeys(documents, 0.0)
    for part in parts:
        best, full = part.best, part.full
        for document in documents:
            if document in best:
                value = best[document]
                covered[document] += value if value < full else full
    return covered


def _without_unmatched(scores: dict[int, float], parts: Sequence[_Part]) -> dict[int, float]:
    """Scores less what the heaviest word costs that a document leaves unmatched."""
    heaviest = max((part.full for part in parts), default=0.0)
    if not heaviest:
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


def _within(
    best: dict[int, float],
    full: float,
    one: Evidence,
    place: int,
    only: Mapping[int, Collection[str]],
) -> tuple[dict[int, float], float]:
    """The same, for the commands of one tool."""
    here = {document: best[document] for document in only if document in best}
    share = max(LEAST, 1 - LATER * place)
    if here:
        telling = max(here.values()) * TELLING
        holding = sum(1 for value in here.values() if value > telling)
        share *= (rarity(len(only), holding) + SHARED) ** 0.5
    scaled = {
        document: value * share * (NAMED if one.term in only[document] else 1.0)
        for document, value in here.items()
    }
    return scaled, full * share


def _best(one: Evidence, documents: int, places: LexiconPlaces, *, is_within: bool) -> _Part:
    """The best contribution of one term per document, synonyms aside, and what a full match is worth."""
    own = rarity(documents, len(one.exact)) if one.exact else 0.0
    common = (
        min(own, one.lexicon_rarity) if own and one.lexicon_rarity else own or one.lexicon_rarity
    )
    if not common:
        common = max((rarity(documents, len(found)) for _, found in one.synonyms), default=0.0)
    rarer = 1.0 if is_within else common ** (RARER - 1)
    share = 1.0 if is_within else MANUALS
    from_lexicon = _from_lexicon(one.lexicon, one.weight * SCALE * common * rarer, share, places)
    synonyms = []
    for closeness, found in one.synonyms:
        rare = rarity(documents, len(found))
        if found and rare >= RARE:
            factor = one.weight * SCALE * SYNONYM * closeness * min(common, rare) * rarer
            synonyms.append((factor, found))
    factor = one.weight * SCALE * own * (1.0 if is_within else own ** (RARER - 1))
    best = {entry >> 8: factor * (entry & 255) for entry in one.exact}
    get = best.get
    for document, value in from_lexicon.items():
        if value > get(document, 0.0):
            best[document] = value
    common *= rarer
    factor = one.weight * SCALE * MANAGES * common
    for entry in one.manages:
        value = factor * (entry & 255)
        if value > get(entry >> 8, 0.0):
            best[entry >> 8] = value
    return _Part(best, one.weight * common, synonyms)


def _from_lexicon(
    postings: tuple[Entries, Entries], factor: float, share: float, places: LexiconPlaces
) -> dict[int, float]:
    here = places.documents
    manuals, intents = postings
    least = share * factor
    best = {here[entry >> 8]: least * (entry & 255) for entry in manuals}
    best.pop(0, None)  # commands that are not here
    for entry in intents:
        document = here[entry >> 8]
        if document and factor * (entry & 255) > best.get(document, 0.0):
            best[document] = factor * (entry & 255)
    for document, twin in places.twins:
        if document in best:
            best[twin] = best[document]
    return best
