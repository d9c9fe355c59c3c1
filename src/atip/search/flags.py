"""The option of a found command that answers the request, for one line below it.

`rename a branch` finds `git branch`; what answers is `-m, --move  rename a branch`. Ranking does not use options: a
long manual mentions nearly everything. An option answers if it has the words of the request that neither the
command's name nor its summary has. Pure.
"""

from __future__ import annotations

from atip.model.value import Value
from atip.search.text import name_terms, read_request, terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from atip.search.text import Term

MAX_DESCRIPTION = 100
MAX_OPTIONS = 500
IN_TEXT = 0.8
"""Weight of a word of an option's description, relative to one of its name …"""
NEAR = 0.6
"""… and of a near synonym, relative to the word itself."""
ENOUGH = 0.45
"""Share of the heaviest word to be answered that an option must reach."""
_GENERAL = frozenset(("--help", "--version"))


class MatchingOption(Value):
    """One option: how it is written, and what it does."""

    spellings: tuple[str, ...]
    description: str

    @property
    def line(self) -> str:
        return f"{', '.join(self.spellings)}  {self.description}".rstrip()

    def to_json(self) -> dict[str, Any]:
        return {"flags": list(self.spellings), "description": self.description}


class FlagFinder:
    """Finds the option for one request.

    Args:
        rarity: the weight of a stem.
        synonyms: near stems with their closeness.
    """

    def __init__(
        self,
        words: str,
        rarity: Callable[[str], float],
        synonyms: Callable[[str], Iterable[tuple[str, float]]],
    ) -> None:
        self._terms = read_request(words)
        self._worth = {term.stem: term.central * rarity(term.stem) for term in self._terms}
        self._near = {term.stem: dict(synonyms(term.stem)) for term in self._terms}

    def find(
        self, line: str, summary: str, options: Sequence[Mapping[str, Any]] | None
    ) -> MatchingOption | None:
        """The option of a command that answers what its line and summary do not; None where none does."""
        own = {term for word in line.split() for term in name_terms(word)} | {*terms_of(summary)}
        open_terms = [term for term in self._terms if term.stem not in own]
        if not open_terms or not isinstance(options, (list, tuple)):
            return None
        needed = ENOUGH * max(self._worth[term.stem] for term in open_terms)
        best, best_key = None, (needed, 0.0, 0)
        for flag in filter(None, map(read_flag, options[:MAX_OPTIONS])):
            name = {t for spelling in flag.spellings for t in name_terms(spelling.lstrip("-"))}
            text = {*terms_of(flag.description)}
            key = (
                self._sum(open_terms, name, text),
                self._sum(self._terms, name, text),
                -len(flag.description),
            )
            if key > best_key:
                best, best_key = flag, key
        return best

    def _sum(self, terms: Sequence[Term], name: set[str], text: set[str]) -> float:
        return sum(self._worth[term.stem] * self._match(term.stem, name, text) for term in terms)

    def _match(self, stem: str, name: set[str], text: set[str]) -> float:
        if stem in name or stem in text:
            return 1.0 if stem in name else IN_TEXT
        near = self._near[stem]
        close = max((near.get(term, 0.0) for term in name), default=0.0)
        other = max((near.get(term, 0.0) for term in text), default=0.0)
        return NEAR * max(close, IN_TEXT * other)


def read_flag(option: Mapping[str, Any]) -> MatchingOption | None:
    """An option of a stored document; None for what cannot answer anything."""
    flags = option.get("flags") if isinstance(option, dict) else None
    description = option.get("description") if isinstance(option, dict) else None
    if not isinstance(flags, list) or not isinstance(description, str):
        return None
    spellings = tuple(flag for flag in flags if isinstance(flag, str))
    if not spellings or not _GENERAL.isdisjoint(spellings):
        return None
    return MatchingOption(spellings=spellings[:4], description=_first_line(description))


def _first_line(description: str) -> str:
    """The first sentence, cut at a word where it is long."""
    text = " ".join(description.partition("\n\n")[0].split()).partition(". ")[0]
    if len(text) <= MAX_DESCRIPTION:
        return text
    return text[: MAX_DESCRIPTION - 1].rpartition(" ")[0] + "…"
