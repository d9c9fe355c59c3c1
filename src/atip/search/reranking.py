"""Reranking: the first hits of a search again, by features that are too expensive to compute for every command.

The first pass measures how much of the request a command has. The second also measures how much of the command the request
has, whether words that are adjacent in one are adjacent in the other, and how near both are in meaning. A weighted sum of these features
is the order of the first hits; no hit is added or removed. Of several hits with the same text, one comes first. Pure arithmetic over texts and postings.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import pairwise

from atip.search.entries import first_sentence
from atip.search.store.postings import FULL
from atip.search.text import name_terms, terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from atip.search.ranking import Evidence
    from atip.search.store.vectors import WordVectors

    SearchHit = Any  # of search/index, which imports this module
    Entries = Sequence[int]

FIRST = 20
"""Hits that are ranked again."""
GIANT = 300
"""A tool with more commands than this is a giant."""
WEIGHTS: Mapping[str, tuple[float, float]] = {
    # of the first pass, as a share of the best; and whether the request is a call of the command
    "score": (1.0, 1.0),
    # share of the request that the name or the summary has; less than nothing over all tools, since the score has it
    "text": (-0.44, -0.04),
    # share of the request that the lexicon knows of the command …
    "lexicon": (1.03, 1.71),
    # … and whether it could know nothing: such a command has only its own text. The tool is not a giant, of which
    # some command has the words of any request …
    "unknown": (0.49, 0.51),
    # … and the more commands such a tool has, the more words of any request: the logarithm of their number
    "commands": (-0.04, 0.0),
    # share of the summary that the request says, or a near synonym of it
    "answered": (0.21, 0.28),
    # share of the command's own name that the request says: all of it speaks for the command …
    "named": (0.48, 0.19),
    # … one of several words of it does not
    "own name": (-0.39, -0.04),
    # the request begins as the summary does, or with a word of the own name
    "verb": (0.07, 0.23),
    # share of the request's neighboring words that are neighbors in the summary
    "pairs": (0.47, 0.69),
    # how far below its tool the command is
    "depth": (-0.08, -0.28),
    # how near the request is to names and summary by the vectors of their words
    "meaning": (0.31, 1.09),
    # how similar a curated intent of the command is, which the score has already: more only by everyday requests
    "similar": (0.8, 0.0),
}
"""Over all tools, and within one. Fitted by `scripts/fit_search.py` on public requests, and over all tools on everyday requests
too; but `similar` is chosen, since public requests want 0 and everyday ones 1. docs/decisions/0014-word-vectors.md says what was left out and why."""
OVER_ALL, WITHIN = zip(*WEIGHTS.values(), strict=True)


class FirstPass:
    """Result of the first pass: scores of documents, and the input of the second."""

    __slots__ = ("evidence", "has_object", "is_within", "scores", "similar_intents")

    def __init__(
        self,
        scores: dict[int, float],
        evidence: Sequence[Evidence],
        *,
        similar_intents: Mapping[int, float] | None = None,
        is_within: bool = False,
        has_object: bool = False,
    ) -> None:
        self.scores = scores
        self.evidence = evidence
        """For the second pass; empty where the order is final."""
        self.similar_intents = similar_intents or {}
        """Documents with a curated intent that is similar to the request → how similar, 0 to 1."""
        self.is_within = is_within
        """The search is within one tool."""
        self.has_object = has_object
        """The request names a program that it acts on, so it is not a call: `install git` does not mean `install`."""


class RequestWord:
    """One word of a request, with what is known of it."""

    __slots__ = ("lexicon", "near", "stem", "weight")

    def __init__(
        self,
        stem: str,
        weight: float,
        near: Collection[str] = (),
        lexicon: Iterable[Entries] = (),
    ) -> None:
        self.stem, self.weight = stem, weight
        self.near = near
        """Near synonyms."""
        self.lexicon = lexicon
        """Postings of the lexicon: manuals, intents; in order."""

    def impact(self, number: int | None) -> float:
        """Impact of the word for a command in the lexicon, 0 to 1."""
        best = 0
        for entries in self.lexicon if number is not None else ():
            place = bisect_left(entries, (number or 0) << 8)
            if place < len(entries) and entries[place] >> 8 == number:
                best = max(best, entries[place] & FULL)
        return best / FULL


class FirstHit:
    """One command that was found, with its words."""

    __slots__ = ("commands", "depth", "names", "number", "own", "score", "similar", "summary")

    def __init__(
        self,
        tool: str,
        path: Sequence[str],
        summary: str,
        *,
        score: float = 1.0,
        number: int | None = None,
        commands: int = 1,
        similar: float = 0.0,
    ) -> None:
        self.own = frozenset(name_terms(path[-1] if path else tool))
        self.names = self.own.union(*map(name_terms, (tool, *path[:-1])))
        self.summary = terms_of(first_sentence(summary))
        self.score = score
        self.number = number
        """In the lexicon."""
        self.commands = commands
        """Of its tool."""
        self.similar = similar
        """How similar a curated intent of it is to the request, 0 to 1."""
        self.depth = len(path)


class SearchRequest:
    """The words of a request, and what does not depend on a command."""

    def __init__(
        self,
        words: Sequence[RequestWord],
        vectors: WordVectors | None = None,
        *,
        is_within: bool = False,
        has_object: bool = False,
    ) -> None:
        self.words = words
        self.is_within = is_within
        """The search is within one tool."""
        self.has_object = has_object
        self.stems = {word.stem for word in words}
        self.near = self.stems.union(*(word.near for word in words))
        self.whole = sum(word.weight for word in words) or 1.0
        self.pairs = [
            (left.stem, right.stem, left.weight + right.weight) for left, right in pairwise(words)
        ]
        self.paired = sum(weight for _, _, weight in self.pairs) or 1.0
        self.vectors = vectors
        self.direction = (
            None
            if vectors is None
            else vectors.direction([(word.stem, word.weight) for word in words])
        )

    def features(self, one: FirstHit) -> tuple[float, ...]:
        """In the order of WEIGHTS."""
        texts = one.names.union(one.summary)
        summary = set(one.summary)
        neighbors = set(pairwise(one.summary))
        begin = self.words[0].stem
        in_text = sum(word.weight for word in self.words if word.stem in texts)
        in_lexicon = sum(word.weight * word.impact(one.number) for word in self.words)
        own = len(one.own & self.stems)
        together = sum(weight for a, b, weight in self.pairs if (a, b) in neighbors)
        is_unknown = one.number is None and one.commands <= GIANT
        return (
            one.score + self._calls(one),
            in_text / self.whole,
            in_lexicon / self.whole,
            1.0 if is_unknown else 0.0,
            math.log(one.commands) if is_unknown else 0.0,
            len(summary & self.near) / (len(summary) or 1),
            own / (len(one.own) or 1),
            1.0 if own else 0.0,
            1.0 if begin in one.own or one.summary[:1] == [begin] else 0.0,
            together / self.paired,
            float(one.depth),
            0.0
            if self.vectors is None
            else self.vectors.nearness(self.direction, [*one.names, *one.summary]),
            one.similar,
        )

    def _calls(self, one: FirstHit) -> float:
        """Share of a command's line that the request is, if it is nothing else: `docker ps` means `docker ps`, and then
        `docker stack ps`. Public requests are sentences, so this has no weight of its own."""
        if not self.has_object and one.own <= self.stems <= one.names:
            return len(self.stems) / len(one.names)
        return 0.0


def order(
    request: SearchRequest, candidates: Sequence[FirstHit], weights: Iterable[float]
) -> list[int]:
    """Places of the candidates, best first; equal ones stay as they are."""
    by = tuple(weights)
    values = [sum(map(float.__mul__, by, request.features(one))) for one in candidates]
    return sorted(range(len(values)), key=values.__getitem__, reverse=True)


def kinds_of(hits: Sequence[SearchHit]) -> dict[tuple[tuple[str, ...], str], SearchHit]:
    """The first of each kind: `pip3.10 install` and `pip3.11 install` say the same, and so do `gcloud beta compute
    …` and `gcloud compute …`, of which the shorter stands for both."""
    kinds: dict[tuple[tuple[str, ...], str], SearchHit] = {}
    there = {(hit.tool, hit.path, hit.summary) for hit in hits}
    for hit in hits:
        shorter = ((hit.tool, hit.path[at:], hit.summary) for at in range(1, len(hit.path)))
        if there.isdisjoint(shorter):
            kinds.setdefault((hit.path, hit.summary or hit.tool), hit)
    return kinds


def varied(first: list[SearchHit], hits: Sequence[SearchHit]) -> list[SearchHit]:
    """One of each kind, then the others; whose scores are lowered to fit their place."""
    chosen = {(hit.tool, hit.path) for hit in first}
    others = [hit for hit in hits if (hit.tool, hit.path) not in chosen]
    least = first[-1].score if first else 0.0
    return first + [hit.replace(score=min(hit.score, least)) for hit in others]
