"""Ranking: postings of a request's terms → documents in order. Pure arithmetic over what the index hands in.

For each term of the request a document gets the best of: the term itself, a near synonym (less), and what the
lexicon knows of the command (less) – the best, not the sum, so that many loose ways to match never beat one
exact word. A document that leaves much of the request unmatched is held back (COVERAGE).
"""

from __future__ import annotations

import math

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Entries = Sequence[int]

SYNONYM = 0.4
COVERAGE = 0.3
COVERAGE_WITHIN = 0.2
LATER = 0.06
"""Within a tool, what the request says first is what is wanted; each further word counts this much less …"""
LEAST = 0.3
"""… down to this."""
MANAGES = 1.4
"""How much a command that manages things is meant by a request to list, add or remove them."""
NAMED = 1.3
"""What a word of a command's own name counts within its tool."""
TELLING = 0.3
"""Commands that have at least this share of the best match of a word hold it …"""
SHARED = 0.5
"""… and a word that all of them hold still counts a little."""
RARE = 1.0
"""Near synonyms that most commands mention (rarity below this) tell nothing."""
HOPELESS = 0.4
"""Below this share of the best sum a document cannot reach the front any more …"""
FEW = 60
"""… and is left out, unless there are only few others."""
SCALE = 2.2 / 255
"""Impacts back to BM25's range (K1 + 1)."""


class Evidence(Value):
    """Everything known about one term of a request."""

    weight: float
    term: str = ""
    exact: Entries = ()
    """Postings of the index."""
    known: tuple[Entries, Entries] = ((), ())
    """Postings of the lexicon: manuals, intents."""
    known_rarity: float = 0.0
    synonyms: Sequence[tuple[float, Entries]] = ()
    """(closeness, postings of the index)."""
    manages: Entries = ()
    """Postings of commands that say they manage something, when the term is a verb that they stand for."""


class Places(Value):
    """Where the lexicon's commands are in this index."""

    documents: Sequence[int] = ()
    """Number in the lexicon → document; 0 when the command is not here."""
    twins: Sequence[tuple[int, int]] = ()
    """(document, another document of the same number): one program under two names."""


def rarity(documents: int, holding: int) -> float:
    """BM25's inverse document frequency; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5)) if documents else 0.0


def rank(
    evidence: Sequence[Evidence],
    documents: int,
    places: Places,
    *,
    only: Mapping[int, Collection[str]] | None = None,
) -> dict[int, float]:
    """Document → score. `only` are the commands of one tool with the terms of their names: within a tool
    what most commands share tells nothing, and what a command is called tells more.
    """
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    whole = 0.0
    for place, one in enumerate(evidence):
        best, full = _best(one, documents, places)
        if not best:
            continue
        if only is not None:
            best, full = _within(best, full, one, place, only)
        whole += full
        for document, value in best.items():
            if document in scores:
                scores[document] += value
                covered[document] += value if value < full else full
            else:
                scores[document] = value
                covered[document] = value if value < full else full
    least = max(scores.values(), default=0.0) * HOPELESS
    hopeful = {document: value for document, value in scores.items() if value >= least}
    if len(hopeful) < FEW:
        hopeful = scores
    power = COVERAGE if only is None else COVERAGE_WITHIN
    return {
        document: value * (covered[document] / whole) ** power if whole else 0.0
        for document, value in hopeful.items()
    }


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
    made = {
        document: value * share * (NAMED if one.term in only[document] else 1.0)
        for document, value in here.items()
    }
    return made, full * share


def _best(one: Evidence, documents: int, places: Places) -> tuple[dict[int, float], float]:
    """The best contribution of one term per document, and what a full match is worth."""
    own = rarity(documents, len(one.exact)) if one.exact else 0.0
    common = min(own, one.known_rarity) if own and one.known_rarity else own or one.known_rarity
    if not common:
        common = max((rarity(documents, len(found)) for _, found in one.synonyms), default=0.0)
    best = _from_lexicon(one.known, one.weight * SCALE * common, places)
    get = best.get
    for closeness, found in one.synonyms:
        rare = rarity(documents, len(found))
        if rare < RARE:
            continue
        factor = one.weight * SCALE * SYNONYM * closeness * min(common, rare)
        for entry in found:
            value = factor * (entry & 255)
            if value > get(entry >> 8, 0.0):
                best[entry >> 8] = value
    factor = one.weight * SCALE * MANAGES * common
    for entry in one.manages:
        value = factor * (entry & 255)
        if value > get(entry >> 8, 0.0):
            best[entry >> 8] = value
    factor = one.weight * SCALE * own
    for entry in one.exact:
        value = factor * (entry & 255)
        if value > get(entry >> 8, 0.0):
            best[entry >> 8] = value
    return best, one.weight * common


def _from_lexicon(
    known: tuple[Entries, Entries], factor: float, places: Places
) -> dict[int, float]:
    best: dict[int, float] = {}
    here = places.documents
    manuals, intents = known
    for entry in manuals:
        document = here[entry >> 8]
        if document:
            best[document] = factor * (entry & 255)
    for entry in intents:
        document = here[entry >> 8]
        if document and factor * (entry & 255) > best.get(document, 0.0):
            best[document] = factor * (entry & 255)
    for document, twin in places.twins:
        if document in best:
            best[twin] = best[document]
    return best
