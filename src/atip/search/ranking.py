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
    from collections.abc import Collection, Sequence

    Entries = Sequence[int]

SYNONYM = 0.4
COVERAGE = 0.3
SCALE = 2.2 / 255
"""Impacts back to BM25's range (K1 + 1)."""


class Evidence(Value):
    """Everything known about one term of a request."""

    weight: float
    exact: Entries = ()
    """Packed postings of the index."""
    known: Sequence[tuple[int, int]] = ()
    """(document, impact) by way of the lexicon."""
    known_rarity: float = 0.0
    synonyms: Sequence[tuple[float, Entries]] = ()
    """(closeness, packed postings)."""


def rarity(documents: int, holding: int) -> float:
    """BM25's inverse document frequency; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5)) if documents else 0.0


def rank(
    evidence: Sequence[Evidence], documents: int, *, only: Collection[int] | None = None
) -> dict[int, float]:
    """Document → score. `only` limits the candidates."""
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    whole = 0.0
    for one in evidence:
        best, full = _best(one, documents)
        if not best:
            continue
        whole += full
        if only is not None:
            best = {document: value for document, value in best.items() if document in only}
        for document, value in best.items():
            scores[document] = scores.get(document, 0.0) + value
            covered[document] = covered.get(document, 0.0) + (value if value < full else full)
    if whole:
        for document, value in scores.items():
            scores[document] = value * (covered[document] / whole) ** COVERAGE
    return scores


def _best(one: Evidence, documents: int) -> tuple[dict[int, float], float]:
    """The best contribution of one term per document, and what a full match is worth."""
    own = rarity(documents, len(one.exact)) if one.exact else 0.0
    common = min(own, one.known_rarity) if own and one.known else own or one.known_rarity
    best: dict[int, float] = {}
    if not common:
        common = max((rarity(documents, len(found)) for _, found in one.synonyms), default=0.0)
    factor = one.weight * SCALE * common
    for document, impact in one.known:
        value = factor * impact
        if value > best.get(document, 0.0):
            best[document] = value
    for closeness, found in one.synonyms:
        share = one.weight * SCALE * SYNONYM * closeness * min(common, rarity(documents, len(found)))
        for entry in found:
            document = entry >> 8
            value = share * (entry & 255)
            if value > best.get(document, 0.0):
                best[document] = value
    factor = one.weight * SCALE * own
    for entry in one.exact:
        document = entry >> 8
        value = factor * (entry & 255)
        if value > best.get(document, 0.0):
            best[document] = value
    return best, one.weight * common
