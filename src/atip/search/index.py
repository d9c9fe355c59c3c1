"""Index: every known command, findable by what it does. One SQLite file that may be deleted at any time.

A build or an update is one transaction; a file that cannot be read is thrown away and filled again by the caller.
Updates append a small segment (postings of the new documents) and mark the old documents dead; many
segments are merged. Holds nothing that the store does not hold. docs/concepts/search.md explains the ranking.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import defaultdict

from atip.model.facts import fact_name
from atip.model.value import Value
from atip.search.entries import BITS, entries_of
from atip.search.lexicon import Lexicon
from atip.search.postings import pack, unpack
from atip.search.ranking import Evidence, Places, rank, rarity
from atip.search.spelling import correct
from atip.search.text import read_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from atip.model.tool import Tool
    from atip.search.text import Term

VERSION = "1"
"""Of the layout *and* of the way text is cut into terms; another version is built anew."""
MAX_SEGMENTS = 24
MAX_LIMIT = 200
GUESSED = 0.7
"""What a corrected spelling counts."""
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE tool(name TEXT PRIMARY KEY, stamp TEXT, first INTEGER, last INTEGER) WITHOUT ROWID;
CREATE TABLE document(id INTEGER PRIMARY KEY, tool TEXT, path TEXT, summary TEXT, is_true INTEGER, is_known INTEGER, known INTEGER);
CREATE TABLE posting(term TEXT, segment INTEGER, data BLOB, PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE dead(id INTEGER PRIMARY KEY);
"""


class Hit(Value):
    """One command that was found. `score` compares only within one answer."""

    tool: str
    path: tuple[str, ...]
    summary: str
    score: float
    is_true: int = 0
    is_known: int = 0

    @property
    def line(self) -> str:
        return " ".join((self.tool, *self.path))

    def to_json(self) -> dict[str, Any]:
        facts = {
            name: bool(self.is_true & bit) for name, bit in BITS.items() if self.is_known & bit
        }
        return {
            "tool": self.tool,
            "command": list(self.path),
            "summary": self.summary,
            "score": round(self.score, 4),
            "effects": facts,
        }


class Index:
    """The commands of one toolbox, or of any set of tools (`path` may be `:memory:`)."""

    def __init__(self, path: str = ":memory:", *, lexicon: Lexicon | None = None) -> None:
        self.path = path
        self.lexicon = lexicon or Lexicon()
        self._db = self._open()
        self._known: Places | None = None
        self._dead: set[int] = set()
        self._documents = 0
        self._refresh()

    def close(self) -> None:
        self._db.close()
        self.lexicon.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------

    def stamps(self) -> dict[str, str]:
        """Tools in here and what the caller said identifies their state."""
        return dict(self._db.execute("SELECT name, stamp FROM tool"))

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(
        self,
        tools: Iterable[Tool],
        *,
        stamps: Mapping[str, str] | None = None,
        gone: Sequence[str] = (),
        meta: Mapping[str, str] | None = None,
    ) -> int:
        """Add or replace tools and forget others, all or nothing; returns the documents written."""
        stamps = stamps or {}
        names = self.lexicon.names()
        with self._transaction() as db:
            for name in gone:
                self._bury(db, name)
            has_any = db.execute("SELECT 1 FROM tool LIMIT 1").fetchone() is not None
            written = self._write(db, tools, stamps, names, has_any)
            for key, value in (meta or {}).items():
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            if (
                db.execute("SELECT count(DISTINCT segment) FROM posting").fetchone()[0]
                > MAX_SEGMENTS
            ):
                self._merge(db)
        self._refresh()
        return written

    def _write(
        self,
        db: sqlite3.Connection,
        tools: Iterable[Tool],
        stamps: Mapping[str, str],
        names: Mapping[str, int],
        has_any: bool,
    ) -> int:
        # dead numbers are not used again before a merge has removed their postings
        first = document = (
            1
            + db.execute(
                "SELECT max(ifnull((SELECT max(id) FROM document), 0), ifnull((SELECT max(id) FROM dead), 0))"
            ).fetchone()[0]
        )
        lists: dict[str, list[int]] = defaultdict(list)
        rows: list[tuple[object, ...]] = []
        seen: list[tuple[str, str, int, int]] = []
        for tool in tools:
            if has_any:
                self._bury(db, tool.name)
            name, start = tool.name, document
            for path, description, fields, is_true, is_known in entries_of(tool):
                known = names.get(" ".join((name, *path)) if path else name)
                joined = "\t".join(path) if path else ""
                rows.append((document, name, joined, description, is_true, is_known, known))
                base = document << 8
                for impact, terms in fields:
                    entry = base | impact
                    for term in terms:
                        lists[term].append(entry)
                document += 1
            seen.append((name, stamps.get(name, ""), start, document - 1))
        db.executemany("INSERT OR REPLACE INTO tool VALUES (?, ?, ?, ?)", sorted(seen))
        db.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        # sorted: the tree of a table without row ids is filled from left to right
        made = ((term, first, pack(lists[term])) for term in sorted(lists))
        db.executemany("INSERT INTO posting VALUES (?, ?, ?)", made)
        return int(document - first)

    def _bury(self, db: sqlite3.Connection, name: str) -> None:
        row = db.execute("SELECT first, last FROM tool WHERE name = ?", (name,)).fetchone()
        if row is not None:
            db.execute("INSERT INTO dead SELECT id FROM document WHERE id BETWEEN ? AND ?", row)
            db.execute("DELETE FROM document WHERE id BETWEEN ? AND ?", row)
            db.execute("DELETE FROM tool WHERE name = ?", (name,))

    def _merge(self, db: sqlite3.Connection) -> None:
        """All segments as one, without the dead."""
        dead = {row[0] for row in db.execute("SELECT id FROM dead")}
        merged: dict[str, list[int]] = {}
        for term, data in db.execute("SELECT term, data FROM posting ORDER BY term, segment"):
            alive = [entry for entry in unpack(data) if entry >> 8 not in dead]
            merged.setdefault(term, []).extend(alive)
        db.execute("DELETE FROM posting")
        db.execute("DELETE FROM dead")
        rows = ((term, 0, pack(found)) for term, found in merged.items() if found)
        db.executemany("INSERT INTO posting VALUES (?, ?, ?)", rows)

    # -- searching -------------------------------------------------------------------------------

    def search(
        self,
        words: str,
        *,
        limit: int = 5,
        tool: str | None = None,
        having: Sequence[str] = (),
        lacking: Sequence[str] = (),
    ) -> list[Hit]:
        """The best commands for a request, best first.

        Args:
            tool: only commands of this tool; the bare tool itself is then no answer if it has commands.
            having: facts that must be true, such as `network`.
            lacking: facts that must be known to be false; unknown is not safe.

        Raises:
            UsageError: `effects.unknown-fact`.
        """
        wanted, banned = _bits(having), _bits(lacking)
        terms = read_request(words)
        if not terms or not self._documents:
            return []
        only = None if tool is None else self._of_tool(tool)
        evidence = [self._evidence(term) for term in terms]
        scores = rank(evidence, self._documents, self._places(), only=only)
        if only is not None:
            for document in only:
                scores.setdefault(document, 0.0)
        return self._hits(scores, max(0, min(limit, MAX_LIMIT)), wanted, banned)

    def _of_tool(self, name: str) -> set[int]:
        rows = self._db.execute(
            "SELECT id, path FROM document, tool WHERE tool.name = ? AND id BETWEEN first AND last",
            (name,),
        ).fetchall()
        inner = {document for document, path in rows if path}
        return inner or {document for document, _ in rows}

    def _evidence(self, term: Term) -> Evidence:
        exact = self._postings(term.stem)
        known = self.lexicon.postings(term.stem)
        if not exact and not any(known):
            close = correct(term.word, self._vocabulary)
            if close is not None:
                exact, known = self._postings(close), self.lexicon.postings(close)
                term = term.replace(stem=close, weight=term.weight * GUESSED)
        near = [(share, self._postings(word)) for word, share in self.lexicon.synonyms(term.stem)]
        holding = max(map(len, known))
        return Evidence(
            weight=term.weight,
            exact=exact,
            known=known,
            known_rarity=rarity(self.lexicon.size, holding) if holding else 0.0,
            synonyms=near,
        )

    def _postings(self, term: str) -> Sequence[int]:
        rows = self._db.execute("SELECT data FROM posting WHERE term = ?", (term,)).fetchall()
        if len(rows) == 1 and not self._dead:
            return unpack(rows[0][0])
        dead = self._dead
        return [entry for row in rows for entry in unpack(row[0]) if entry >> 8 not in dead]

    def _vocabulary(self, low: str, high: str) -> Collection[str]:
        rows = self._db.execute(
            "SELECT DISTINCT term FROM posting WHERE term >= ? AND term < ? LIMIT 5000", (low, high)
        )
        return [row[0] for row in rows]

    def _places(self) -> Places:
        if self._known is None:
            documents = [0] * (self.lexicon.last + 1)
            twins = []
            for number, document in self._db.execute(
                "SELECT known, id FROM document WHERE known IS NOT NULL"
            ):
                if number < len(documents) and documents[number]:
                    twins.append((documents[number], document))
                elif number < len(documents):
                    documents[number] = document
            self._known = Places(documents=documents, twins=twins)
        return self._known

    def _hits(self, scores: dict[int, float], limit: int, wanted: int, banned: int) -> list[Hit]:
        hits: list[Hit] = []
        order = sorted(scores, key=scores.__getitem__, reverse=True)
        size = max(4 * limit, 20)
        for start in range(0, len(order), size):
            rows = {row[0]: row for row in self._rows(order[start : start + size])}
            for document in order[start : start + size]:
                _, tool, path, summary, is_true, is_known = rows[document]
                if is_true & wanted != wanted or (is_known & ~is_true) & banned != banned:
                    continue
                hits.append(
                    Hit(
                        tool=tool,
                        path=tuple(path.split("\t")) if path else (),
                        summary=summary,
                        score=scores[document],
                        is_true=is_true,
                        is_known=is_known,
                    )
                )
            if len(hits) >= limit:
                break
        # equal scores: the shorter command is the more general one
        hits.sort(key=lambda hit: (-hit.score, len(hit.path), len(hit.line), hit.line))
        return hits[:limit]

    def _rows(self, documents: Sequence[int]) -> list[tuple[Any, ...]]:
        marks = ",".join("?" * len(documents))
        return self._db.execute(
            # only question marks are put in
            f"SELECT id, tool, path, summary, is_true, is_known FROM document WHERE id IN ({marks})",
            documents,
        ).fetchall()

    # -- the file --------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        try:
            return self._prepared()
        except sqlite3.DatabaseError:
            # the index is derived: damaged or foreign content is dropped, not repaired
            _remove(self.path)
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10.0)
        try:
            db.execute("PRAGMA synchronous = NORMAL")
            has_meta = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
            if has_meta is not None:
                row = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
                if row is not None and row[0] == VERSION:
                    return db
                raise sqlite3.DatabaseError("another layout")
            if db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None:
                raise sqlite3.DatabaseError("not an index")
            db.executescript(
                f"BEGIN;{_SCHEMA}INSERT INTO meta VALUES ('version', '{VERSION}');COMMIT;"
            )
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    @contextlib.contextmanager
    def _transaction(self) -> Any:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _refresh(self) -> None:
        self._known = None
        self._dead = {row[0] for row in self._db.execute("SELECT id FROM dead")}
        self._documents = int(self._db.execute("SELECT count(*) FROM document").fetchone()[0])


def _bits(names: Sequence[str]) -> int:
    return sum(BITS[name] for name in {fact_name(text) for text in names})


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
