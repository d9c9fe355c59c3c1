"""Intents: which CMP intent a request means, with the reasons – or the choices, when that is not clear.

1. An exact pattern always wins (§5.2 step 5), unless two intents have it.
2. A `re:` pattern that fits, on a linear-time engine (C9).
3. A pattern that is part of the request, or shares its rare words; near synonyms count less.
Several equally good intents, or a small lead, are returned as choices; a destructive intent is only chosen with
a clear lead (§8). Nothing is run here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.text.regex import compile_regex
from atip.model.value import Value
from atip.search.ranking import rarity
from atip.search.text import normal_phrase, terms_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.calls.templates.cmp import CmpIntent
    from atip.search.lexicon import Lexicon

EXACT = 1.0
REGEX_WHOLE = 0.95
REGEX_PART = 0.8
PHRASE = 0.85
ENOUGH = 0.5
"""A score that is chosen, if the next intent is MARGIN behind."""
MARGIN = 0.12
SURE = 0.75
CLEAR = 0.25
"""The same for a destructive intent, chosen or next in line."""
PLAUSIBLE = 0.3
"""Below this an intent is not even a choice."""
NEAR = 0.6
MAX_REQUEST = 500
"""Characters of a request that are read; no pattern is longer."""
NEGATIONS = frozenset(
    ["not", "don", "dont", "never", "without", "except", "no", "nothing", "avoid", "undo"]
)
"""With one of these in a request but not in the pattern, a destructive intent is not meant."""
MAX_CHOICES = 5


class Candidate(Value):
    """One intent of one tool."""

    tool: str
    """`domain/name`."""
    number: int
    """Place in the tool's list."""
    intent: CmpIntent
    about: str = ""
    """Name, domain, tags and summary of the tool."""


class ScoredCandidate(Value):
    """A candidate with its score and how it came about."""

    candidate: Candidate
    score: float
    how: str
    """`exact`, `regex`, `phrase` or `words`; `, domain` where the tool's own words spoke for it."""
    pattern: str
    matched: tuple[str, ...] = ()
    """Words of the request that the pattern has, or has a near synonym of."""
    unmatched: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        intent = self.candidate.intent
        return {
            "tool": self.candidate.tool,
            "intent": self.candidate.number,
            "pattern": self.pattern,
            "how": self.how,
            "score": round(self.score, 4),
            "matched": list(self.matched),
            "unmatched": list(self.unmatched),
            "command": intent.command,
            "confirm": intent.needs_consent,
            "destructive": intent.destructive,
        }


class Match(Value):
    """The answer: `chosen`, or several `choices`, or nothing."""

    request: str
    chosen: ScoredCandidate | None
    choices: tuple[ScoredCandidate, ...]
    """Other candidates that fit, best first; all of them if none was chosen. At most MAX_CHOICES."""
    reason: str
    needed: tuple[float, float] = (ENOUGH, MARGIN)
    """The score, and the lead over the next, that would have been chosen."""

    def to_json(self) -> dict[str, Any]:
        return {
            "request": self.request,
            "match": self.chosen.to_json() if self.chosen else None,
            "choices": [one.to_json() for one in self.choices],
            "reason": self.reason,
            "needed": {"score": self.needed[0], "lead": self.needed[1]},
        }


def match(request: str, candidates: Sequence[Candidate], lexicon: Lexicon) -> Match:
    """Decide; see the module's text for the order."""
    scorer = _Scorer(request, lexicon)
    scored = [one for one in map(scorer.score, candidates) if one.score >= PLAUSIBLE]
    scored.sort(key=lambda one: (-one.score, one.candidate.tool, one.candidate.number))
    if not scored:
        return Match(request=request, chosen=None, choices=(), reason="no intent is like it")
    explained = [scorer.explained(one) for one in scored[: MAX_CHOICES + 1]]
    best, rest = explained[0], tuple(explained[1:])
    needed, reason = _why_unclear(scorer, scored)
    if reason:
        choices = (best, *rest)[:MAX_CHOICES]
        return Match(request=request, chosen=None, choices=choices, reason=reason, needed=needed)
    how = "exact pattern" if best.how == "exact" else best.how
    return Match(request=request, chosen=best, choices=rest, reason=how, needed=needed)


def _why_unclear(
    scorer: _Scorer, scored: Sequence[ScoredCandidate]
) -> tuple[tuple[float, float], str]:
    """Required score and lead, and the reason why the first is not chosen; empty when it is."""
    best = scored[0]
    second = scored[1].score if len(scored) > 1 else 0.0
    risky = best.candidate.intent.destructive or any(
        one.candidate.intent.destructive and best.score - one.score < CLEAR for one in scored[1:]
    )
    enough, margin = needed = (SURE, CLEAR) if risky else (ENOUGH, MARGIN)
    if best.how == "exact":
        return needed, "" if second < EXACT else "several intents have this very pattern"
    if best.candidate.intent.destructive and scorer.negates(best.pattern):
        return needed, "the request says no to something; a destructive intent is never guessed"
    if best.score >= enough and best.score - second >= margin:
        return needed, ""
    reason = "several intents fit" if second >= best.score - margin else "too uncertain"
    return needed, reason + ("; a destructive one is never guessed" if risky else "")


class _Scorer:
    """One request against many intents."""

    def __init__(self, request: str, lexicon: Lexicon) -> None:
        self.text = text = normal_phrase(request[:MAX_REQUEST])
        self.is_whole = len(request) <= MAX_REQUEST
        self.lexicon = lexicon
        self.padded = f" {' '.join(words_of(text))} "
        self.terms = list(dict.fromkeys(terms_of(text)))
        self.near = {term: dict(lexicon.synonyms(term)) for term in self.terms}
        self._rarity: dict[str, float] = {}

    def score(self, candidate: Candidate) -> ScoredCandidate:
        best = ScoredCandidate(candidate=candidate, score=0.0, how="", pattern="")
        for pattern in candidate.intent.patterns:
            value, how = self._regex(pattern) if pattern.startswith("re:") else self._plain(pattern)
            if value > best.score:
                best = ScoredCandidate(candidate=candidate, score=value, how=how, pattern=pattern)
        if 0.0 < best.score < PHRASE and candidate.about and self._touches(candidate.about):
            # the tool's own words speak for it, but never more than a pattern
            best = best.replace(score=min(best.score + 0.05, PHRASE), how=f"{best.how}, domain")
        return best

    def negates(self, pattern: str) -> bool:
        """Whether the request has a `not`, `without` or the like that the pattern has not."""
        return bool(NEGATIONS & set(words_of(self.text)) - set(words_of(pattern)))

    def explained(self, one: ScoredCandidate) -> ScoredCandidate:
        """With the words of the request that count for and against it."""
        if one.how in ("exact", "regex"):
            return one
        here = set(terms_of(normal_phrase(one.pattern)))
        matched: list[str] = []
        unmatched: list[str] = []
        for word in dict.fromkeys(words_of(self.text)):
            for term in terms_of(word):
                near = term in here or any(self.near[term].get(other) for other in here)
                (matched if near else unmatched).append(word)
        return one.replace(matched=tuple(matched), unmatched=tuple(unmatched))

    def _regex(self, pattern: str) -> tuple[float, str]:
        try:
            compiled = compile_regex(pattern[3:], ignore_case=True)
        except FormatError:
            return 0.0, ""  # reported when the tool was read
        if not compiled.matches(self.text):
            return 0.0, ""
        return (REGEX_WHOLE if compiled.covers(self.text) else REGEX_PART), "regex"

    def _plain(self, pattern: str) -> tuple[float, str]:
        phrase = normal_phrase(pattern)
        if phrase and phrase == self.text and self.is_whole:
            return EXACT, "exact"
        terms = list(dict.fromkeys(terms_of(phrase)))
        shared = self._overlap(terms)
        words = " ".join(words_of(phrase))
        if len(words.split()) > 1 and f" {words} " in self.padded:
            return max(PHRASE, min(shared, 0.99)), "phrase"
        return min(shared, 0.99), "words"

    def _overlap(self, terms: Sequence[str]) -> float:
        """Shared weight over all weight of both sides (Dice), near synonyms at NEAR."""
        if not terms or not self.terms:
            return 0.0
        here = set(terms)
        shared = 0.0
        for term in self.terms:
            if term in here:
                shared += self._weight(term)
                continue
            close = max((self.near[term].get(other, 0.0) for other in here), default=0.0)
            shared += self._weight(term) * close * NEAR
        return 2 * shared / (self._sum(self.terms) + self._sum(terms))

    def _sum(self, terms: Iterable[str]) -> float:
        return sum(self._weight(term) for term in terms)

    def _weight(self, term: str) -> float:
        """The weight of a word by the lexicon; an unknown word counts as a rare one."""
        weight = self._rarity.get(term)
        if weight is None:
            holding = max(map(len, self.lexicon.postings(term)))
            size = max(self.lexicon.size, 1_000)
            weight = self._rarity[term] = 1.0 + rarity(size, max(holding, size // 50))
        return weight

    def _touches(self, about: str) -> bool:
        return not set(terms_of(about)).isdisjoint(self.terms)
