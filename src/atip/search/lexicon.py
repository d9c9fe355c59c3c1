"""Lexicon: what is known about the words of well-known commands before any of them was learnt here.

`lexicon.sqlite` ships with the package and is read only: terms of curated intents (strong) and of the manuals
and completions of well-known commands (weak), and near synonyms. Commands are matched by name, so an
unknown tool is not affected. Built by `scripts/compile_lexicon.py`; docs/concepts/search.md says from what.
"""

from __future__ import annotations

import os
import sqlite3

from atip.search.store.postings import unpack
from atip.search.store.wordings import likeness, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.sqlite")


NEAR = "~"
"""Before the key of a phrase with a word left out."""
MOST_SYNONYMS = 2_000
"""Words whose synonyms stay in memory."""
SHORTEST = 3
"""Words that a key has to have before one can be left out."""


def shorter_keys(key: str) -> set[str]:
    """The key of a phrase with each of its words left out once."""
    words = key.split()
    if len(words) < SHORTEST:
        return set()
    return {" ".join(words[:at] + words[at + 1 :]) for at in range(len(words))}


class Lexicon:
    """Read-only access by term. Without the file everything is simply unknown."""

    def __init__(self, path: str = PATH) -> None:
        self._db: sqlite3.Connection | None = None
        self.size = 0
        """Commands with a profile, the measure of how rare a term is."""
        self._synonyms: dict[str, list[tuple[str, float]]] = {}
        self.last = 0
        """The highest number of a command."""
        self.wordings = 0
        """Curated intents that differ in their words."""
        if os.path.exists(path):
            # `immutable`: an installed file does not change: no lock is needed and no journal exists
            self._db = sqlite3.connect(
                f"file:{path}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            self.size, self.last = self._db.execute("SELECT commands, last FROM size").fetchone()
            self.wordings = self._db.execute("SELECT count(*) FROM meaning").fetchone()[0]

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def names(self, tools: Sequence[str] | None = None) -> dict[str, int]:
        """Command line → number, for every command in here, or for those of a few tools."""
        if self._db is None:
            return {}
        if tools is None:
            return dict(self._db.execute("SELECT name, id FROM name"))
        found: dict[str, int] = {}
        for tool in tools:
            # `tool`, and `tool …` up to the character after the space
            rows = self._db.execute(
                "SELECT name, id FROM name WHERE name = ? OR (name > ? AND name < ?)",
                (tool, f"{tool} ", f"{tool}!"),
            )
            found.update(rows)
        return found

    def mains(self, numbers: Iterable[int]) -> dict[int, str]:
        """Of numbers that several names share (`ssh`, `slogin`): the tool with the main one."""
        return dict(self._rows("main", "id", list(numbers), "tool"))

    def heirs(self) -> list[tuple[int, int]]:
        """(number, number of the command whose phrases it gets where that one is not installed)."""
        return self._db.execute("SELECT id, main FROM heir").fetchall() if self._db else []

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Commands that know the term, as `number * 256 + impact`: by their manuals, by curated intents."""
        return self._found("profile", term), self._found("intent", term)

    def postings_of(self, terms: Sequence[str]) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
        """The same for several terms, in one reading of each table."""
        manuals = {term: unpack(data) for term, data in self._rows("profile", "term", terms)}
        intents = {term: unpack(data) for term, data in self._rows("intent", "term", terms)}
        return {term: (manuals.get(term, ()), intents.get(term, ())) for term in terms}

    def saying_any(self, keys: Iterable[str]) -> set[int]:
        """Numbers of the commands with a curated intent that has one of these keys."""
        terms = list(keys)
        if self._db is None or not terms:
            return set()
        marks = ",".join("?" * len(terms))
        rows = self._db.execute(f"SELECT data FROM phrase WHERE term IN ({marks})", terms)
        return {number for row in rows for number in unpack(row[0])}

    def like(self, request: Mapping[str, float]) -> dict[int, float]:
        """Numbers of the commands with a curated intent that is like the request, with how much, 0 to 1.

        Args:
            request: stems with what they count.
        """
        if self._db is None or not self.wordings:
            return {}
        near = {stem: self.synonyms(stem) for stem in request}
        stems = list({*request, *(word for row in near.values() for word, _ in row)})
        found = {stem: unpack(data) for stem, data in self._rows("wording", "term", stems)}
        alike = likeness(request, near, found, self.wordings)
        numbers: dict[int, float] = {}
        for wording, data in self._rows("meaning", "wording", list(alike)):
            for number in unpack(data):
                value = strength(alike[wording], len(request))
                numbers[number] = max(numbers.get(number, 0.0), value)
        return numbers

    def _rows(
        self, table: str, key: str, keys: Sequence[object], column: str = "data"
    ) -> list[tuple[Any, Any]]:
        if self._db is None:
            return []
        marks = ",".join("?" * len(keys))
        return self._db.execute(
            f"SELECT {key}, {column} FROM {table} WHERE {key} IN ({marks})", keys
        ).fetchall()

    def _found(self, table: str, term: str) -> Sequence[int]:
        if self._db is None:
            return ()
        row = self._db.execute(f"SELECT data FROM {table} WHERE term = ?", (term,)).fetchone()
        return () if row is None else unpack(row[0])

    def synonyms(self, term: str) -> list[tuple[str, float]]:
        """Near synonyms with their closeness; a request asks several times for those of a word."""
        found = self._synonyms.get(term)
        if found is None:
            found = self._read_synonyms(term)
            if len(self._synonyms) < MOST_SYNONYMS:
                self._synonyms[term] = found
        return found

    def _read_synonyms(self, term: str) -> list[tuple[str, float]]:
        if self._db is None:
            return []
        row = self._db.execute("SELECT data FROM synonym WHERE term = ?", (term,)).fetchone()
        if row is None:
            return []
        return [
            (word, int(share) / 100)
            for word, share in zip(*[iter(row[0].split())] * 2, strict=True)
        ]

    def keys_near(self, key: str) -> set[str]:
        """The same request with a word left out or added, or a near synonym in its place."""
        words = key.split()
        if len(words) < 2:
            return set()
        found = shorter_keys(key) | {NEAR + key}
        for at, word in enumerate(words):
            for other, _ in self.synonyms(word):
                found.add(" ".join([*words[:at], other, *words[at + 1 :]]))
        return found
