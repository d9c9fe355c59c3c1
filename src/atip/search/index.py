"""Index: every known command, findable by what it does.

Reads the request, gathers what storage and lexicon know of each word, ranks, filters. The default path has no
model and no network. docs/concepts/search.md explains the ranking and what was measured.
"""

from __future__ import annotations

import math

from atip.search.entries import bits_of
from atip.search.lexicon import Lexicon
from atip.search.ranking import KEEPING, MANAGE, Evidence, rank, rank_within, rarity
from atip.search.requests.main_names import by_main_names, mains_first
from atip.search.requests.objects import without_objects
from atip.search.requests.spelling import correct
from atip.search.reranking import (
    FIRST,
    GIANT,
    OVER_ALL,
    WITHIN,
    FirstHit,
    FirstPass,
    RequestWord,
    SearchRequest,
    kinds_of,
    order,
    varied,
)
from atip.search.store.hits import SearchHit as SearchHit
from atip.search.store.hits import to_hit
from atip.search.store.places import LexiconPlaces, find_places
from atip.search.store.storage import Storage
from atip.search.store.vectors import WordVectors
from atip.search.text import (
    VALUE_WEIGHT,
    name_terms,
    phrase_key,
    read_request,
    value_kinds,
    with_compounds,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from atip.model.tool import Tool
    from atip.search.text import Term

MAX_LIMIT = 200
PATIENCE = 4
"""Further pages of hits to read at most, once there are enough, to find different ones."""
FEW_TOOLS = 100
"""Up to this many tools are looked up one by one in the lexicon."""
UNSAID = 0.8
"""Within a tool, the factor for a command below a group whose own name is not in the request."""
NAMED_TOOL = 0.12
"""Increase of the scores of a tool that the request names, per unit of rarity of that name …"""
ORDINARY = 3.0
"""… above the rarity of an ordinary word, such as `open` or `patch`."""
CROWDED = 0.12
"""Commands of a giant count less, by the logarithm of how much larger it is."""
EQUAL_INTENT = 1.2
"""Bonus for a curated intent equal to the request, as a share of the best score: its command comes first."""
NEAR_INTENT = 0.5
"""Bonus for a curated intent similar to the request, as a share of the best score; the second pass adds to it."""
TWIN = 0.9
"""Factor of a curated intent for another name of the command that it means (`slogin`, of `ssh`)."""
GUESSED = 0.7
"""Factor for a word whose spelling was corrected."""


class SearchIndex:
    """The commands of one toolbox, or of any set of tools (`path` may be `:memory:`)."""

    def __init__(self, path: str = ":memory:", *, lexicon: Lexicon | None = None) -> None:
        self.lexicon = lexicon or Lexicon()
        self.storage = Storage(path)
        self.vectors = WordVectors()
        self.is_complete = True
        """False while another process adds the rest."""
        self._lexicon_places: LexiconPlaces | None = None

    def close(self) -> None:
        self.storage.close()
        self.lexicon.close()

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(
        self,
        tools: Iterable[Tool],
        *,
        stamps: Mapping[str, str] | None = None,
        gone: Sequence[str] = (),
        meta: Mapping[str, str] | None = None,
    ) -> int:
        """Add or replace tools and forget others, all or nothing; returns the documents written."""
        self._lexicon_places = None
        if isinstance(tools, (list, tuple)) and len(tools) <= FEW_TOOLS:
            names = self.lexicon.names([tool.name for tool in tools])
        else:
            names = self.lexicon.names()
        return self.storage.put(tools, names=names, stamps=stamps, gone=gone, meta=meta)

    def search(
        self,
        words: str,
        *,
        limit: int = 5,
        tool: str | None = None,
        having: Sequence[str] = (),
        lacking: Sequence[str] = (),
        accept: Callable[[str], bool] | None = None,
    ) -> list[SearchHit]:
        """The best commands for a request, best first.

        Args:
            tool: only commands of this tool; the bare tool itself is then no answer if it has commands.
            having: facts that must be true, such as `network`.
            lacking: facts that must be known to be false; unknown is not safe.
            accept: whether a tool, by name, may be among the answers.

        Raises:
            UsageError: `effects.unknown-fact`.
        """
        required, forbidden = bits_of(having), bits_of(lacking)
        terms = read_request(words)
        with self.storage.snapshot() as changed:
            if changed:
                self._lexicon_places = None
            if not terms or not self.storage.size:
                return []
            first_pass = (
                self._search_all(terms, words, is_filtered=bool(required or forbidden or accept))
                if tool is None
                else self._search_within(terms, tool, words)
            )

            def matches(hit: SearchHit) -> bool:
                return (
                    hit.is_true & required == required
                    and hit.is_known & ~hit.is_true & forbidden == forbidden
                    and (accept is None or accept(hit.tool))
                )

            return self._hits(first_pass, max(0, min(limit, MAX_LIMIT)), matches, words_of(words))

    def rarity_of(self, term: str) -> float:
        """The weight of a stem: high when few commands have it."""
        return rarity(self.storage.size, len(self.storage.postings(term)))

    def _search_all(self, terms: Sequence[Term], words: str, *, is_filtered: bool) -> FirstPass:
        given = len(terms)
        terms = without_objects(terms, words, self.storage.span, self.storage.postings)
        near = {term.stem: self.lexicon.synonyms(term.stem) for term in terms}
        stems = dict.fromkeys((*near, *(word for row in near.values() for word, _ in row)))
        postings = self.storage.postings_of(stems)
        known = self.lexicon.postings_of(list(near))
        evidence = [
            self._evidence(term, near.get(term.stem), postings, known[term.stem]) for term in terms
        ]
        scores = rank(evidence, self.storage.size, self._places(), is_filtered=is_filtered)
        named = [
            span
            for term, one in zip(terms, evidence, strict=True)
            if (span := self._favor_named(term, one, scores)) is not None
        ]
        self._hold_back_giants({term.word for term in terms}, scores)
        is_exact, similar = self._favor_intents(terms, words, scores, named)
        return FirstPass(
            scores,
            () if is_exact else evidence,
            similar_intents=similar,
            has_object=len(terms) < given,
        )

    def _hold_back_giants(self, words: set[str], scores: dict[int, float]) -> None:
        """Lower the scores of tools with thousands of commands, some of which match anything, unless the request names the tool."""
        for name, first, last in self.storage.large_tools(GIANT):
            if name in words:
                continue
            share = 1 / (1 + CROWDED * math.log((last - first) / GIANT))
            for document in [one for one in scores if first <= one <= last]:
                scores[document] *= share

    def _favor_intents(
        self,
        terms: Sequence[Term],
        words: str,
        scores: dict[int, float],
        named: Sequence[tuple[int, int]],
    ) -> tuple[bool, dict[int, float]]:
        """Raise documents whose curated intents match the request: an equal one comes first, a similar one counts by how
        similar it is, unless the request names another tool. Returns whether there is an equal one, and the similar ones."""
        key = phrase_key(words)
        top = max(scores.values(), default=0.0)
        exact = self._documents_of(self.lexicon.saying_any([key]))
        best: dict[int, float] = {}
        for document, first in exact.items():
            best[first] = max(best.get(first, 0.0), scores.get(document, 0.0))
        for document, first in exact.items():
            scores[document] = (EQUAL_INTENT * top + best[first]) * _share(document, first)
        if exact:
            return True, {}
        documents = self._places().documents
        request = dict.fromkeys(value_kinds(words), VALUE_WEIGHT)
        request.update((term.stem, term.in_phrases) for term in terms)
        strengths = self.lexicon.like(request)
        if named:
            strengths = {
                number: value
                for number, value in strengths.items()
                if any(first <= documents[number] <= last for first, last in named)
            }
        strengths.update(dict.fromkeys(self.lexicon.saying_any(self.lexicon.keys_near(key)), 1.0))
        by_document = {documents[number]: value for number, value in strengths.items()}
        near = {
            document: by_document[first] * _share(document, first)
            for document, first in self._documents_of(strengths).items()
        }
        for document, value in near.items():
            scores[document] = scores.get(document, 0.0) + NEAR_INTENT * top * value
        return False, near

    def _documents_of(self, numbers: Iterable[int]) -> dict[int, int]:
        """Commands with these numbers in the lexicon, each with the first name of the same program."""
        places = self._places()
        found = {places.documents[number] for number in numbers} - {0}
        further = {twin: first for first, twin in places.twins if first in found}
        return further | {document: document for document in found}

    def _search_within(self, terms: Sequence[Term], tool: str, words: str) -> FirstPass:
        """Of every command of a tool; of the tool itself when it has none."""
        rows = self.storage.of_tool(tool)
        inner = [(document, path) for document, path in rows if path] or rows
        only = {document: frozenset(name_terms(path)) for document, path in inner}
        terms = with_compounds(terms, words, frozenset().union(*only.values()))
        evidence = [self._evidence(term, is_within=True) for term in terms]
        scores = rank_within(evidence, self.storage.size, self._places(), only)
        self._hold_back(terms, inner, scores)
        return FirstPass(scores, evidence, is_within=True)

    def _hold_back(
        self, terms: Sequence[Term], inner: Sequence[tuple[int, str]], scores: dict[int, float]
    ) -> None:
        """Score every command of a tool; one below a group gets less when its own name is not in the request."""
        stems = {term.stem for term in terms}
        for term in terms:
            stems.update(word for word, _ in self.lexicon.synonyms(term.stem))
        for document, path in inner:
            group, _, own = path.rpartition("\t")
            share = UNSAID if group and stems.isdisjoint(name_terms(own)) else 1.0
            scores[document] = scores.get(document, 0.0) * share

    def _favor_named(
        self, term: Term, one: Evidence, scores: dict[int, float]
    ) -> tuple[int, int] | None:
        """Raise a tool that a word of the request names, if that is hardly an ordinary word; returns the tool's documents."""
        span = self.storage.span(term.word)
        if span is None:
            return None
        first, last = span
        others = sum(1 for entry in one.exact if not first <= entry >> 8 <= last)
        rare = rarity(self.storage.size, others + 1)
        if one.lexicon_rarity:
            rare = min(rare, one.lexicon_rarity)
        factor = 1 + NAMED_TOOL * max(0.0, rare - ORDINARY) * term.weight
        for document in range(first, last + 1):
            if document in scores:
                scores[document] *= factor
        return span if factor > 1 else None

    def _evidence(
        self,
        term: Term,
        synonyms: Sequence[tuple[str, float]] | None = None,
        loaded: Mapping[str, Sequence[int]] | None = None,
        known: tuple[Sequence[int], Sequence[int]] | None = None,
        *,
        is_within: bool = False,
    ) -> Evidence:
        """Collect everything known about one term.

        Args:
            synonyms: synonyms of the term, if already looked up.
            loaded: postings that were already read …
            known: … and those of the lexicon.
        """
        in_lexicon = self.lexicon.postings

        def postings(word: str) -> Sequence[int]:
            entries = loaded.get(word) if loaded is not None else None
            return self.storage.postings(word) if entries is None else entries

        exact, lexicon = postings(term.stem), known or in_lexicon(term.stem)
        if not exact and not any(lexicon):
            close = correct(term.word, self.storage.terms_between)
            if close is not None:
                exact, lexicon = postings(close), in_lexicon(close)
                term = term.replace(stem=close, weight=term.weight * GUESSED)
                synonyms = None
        if synonyms is None:
            synonyms = self.lexicon.synonyms(term.stem)
        near = [(share, postings(word)) for word, share in synonyms]
        holding = max(map(len, lexicon))
        return Evidence(
            weight=term.central,
            term=term.stem,
            exact=exact,
            lexicon=lexicon,
            lexicon_rarity=rarity(self.lexicon.size, holding) if holding else 0.0,
            synonyms=near,
            manages=postings(MANAGE) if is_within and term.stem in KEEPING else (),
        )

    def _places(self) -> LexiconPlaces:
        if self._lexicon_places is None:
            known, lexicon = self.storage.known(), self.lexicon
            self._lexicon_places = find_places(
                known, lexicon.last, lexicon.mains, lexicon.heirs(), self.storage.span
            )
        return self._lexicon_places

    def _hits(
        self,
        found: FirstPass,
        limit: int,
        matches: Callable[[SearchHit], bool],
        words: Sequence[str] = (),
    ) -> list[SearchHit]:
        hits: list[SearchHit] = []
        documents: dict[tuple[str, tuple[str, ...]], int] = {}
        scores = found.scores
        order = sorted(scores, key=scores.__getitem__, reverse=True)
        needed = max(limit, FIRST)  # so that the order does not depend on the limit
        size = max(2 * limit, FIRST)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            rows = self.storage.rows(part)
            for document in part:
                if document in rows and matches(hit := to_hit(rows[document], scores[document])):
                    hits.append(hit)
                    documents[hit.tool, hit.path] = document
            if len(hits) >= needed and (start >= PATIENCE * size or len(kinds_of(hits)) >= needed):
                break
        # equal scores: the shorter command is the more general one
        hits.sort(key=lambda hit: (-hit.score, len(hit.path), len(hit.line), hit.line))
        kinds = by_main_names(kinds_of(hits).values(), hits, documents, self._places(), words)
        if found.evidence and len(kinds) > 1:
            first = [(hit, documents[hit.tool, hit.path]) for hit in kinds[:FIRST]]
            again = self._reordered(found, first, limit)
            kinds[:FIRST] = mains_first(again, documents, self._places(), words)
        return kinds[:limit] if len(kinds) >= limit else varied(kinds, hits)[:limit]

    def _reordered(
        self, found: FirstPass, first: Sequence[tuple[SearchHit, int]], limit: int
    ) -> list[SearchHit]:
        """The first hits in the order of the second pass; the scores stay in their places up to `limit`."""
        words = [self._word(one) for one in found.evidence]
        request = SearchRequest(
            words, self.vectors, is_within=found.is_within, has_object=found.has_object
        )
        numbers = self._places().numbers
        sizes = self.storage.sizes({hit.tool for hit, _ in first})
        top = first[0][0].score or 1.0
        candidates = []
        for hit, document in first:
            one = FirstHit(hit.tool, hit.path, hit.summary, score=hit.score / top)
            one.number, one.commands = numbers.get(document), sizes.get(hit.tool, 1)
            one.similar = found.similar_intents.get(document, 0.0)
            candidates.append(one)
        places = self._order(request, candidates)
        ordered = [first[place][0] for place in places]
        for at, (hit, _) in enumerate(first[:limit]):
            ordered[at] = ordered[at].replace(score=hit.score)
        return ordered

    def _order(self, request: SearchRequest, candidates: Sequence[FirstHit]) -> list[int]:
        return order(request, candidates, WITHIN if request.is_within else OVER_ALL)

    def _word(self, one: Evidence) -> RequestWord:
        near = [word for word, _ in self.lexicon.synonyms(one.term)]
        weight = one.weight * rarity(self.storage.size, len(one.exact))
        return RequestWord(one.term, weight, near, one.lexicon)


def _share(document: int, first: int) -> float:
    """Factor of a curated intent for one of the names of its command; `first` is the main one."""
    return 1.0 if document == first else TWIN
