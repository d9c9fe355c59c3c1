"""Storage: the index as one SQLite file that may be deleted at any time.

A build or an update is one transaction; a file that cannot be read, or has another layout, is thrown away and
filled again by the caller. Updates append a small segment (postings of the new documents) and mark the old
documents dead; many segments are merged. Holds nothing that the store does not hold.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
from collections import defaultdict

from atip.search.entries import entries_of, phrases_of
from atip.search.postings import pack, postings_list, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from atip.model.tool import Tool

VERSION = "2"
"""Of the layout *and* of the way text is cut into terms; another version is built anew."""
MAX_SEGMENTS = 24
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE tool(name TEXT PRIMARY KEY, stamp TEXT, first INTEGER, last INTEGER) WITHOUT ROWID;
CREATE TABLE document(id INTEGER PRIMARY KEY, tool TEXT, path TEXT, summary TEXT, is_true INTEGER, is_known INTEGER, known INTEGER);
CREATE TABLE posting(term TEXT, segment INTEGER, data BLOB, PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE dead(id INTEGER PRIMARY KEY);
CREATE TABLE phrase(text TEXT, is_regex INTEGER, tool TEXT, PRIMARY KEY(text, is_regex, tool)) WITHOUT ROWID;
CREATE INDEX phrase_tool ON phrase(tool);
"""


_LAST = """
SELECT max(ifnull((SELECT max(id) FROM document), 0), ifnull((SELECT max(id) FROM dead), 0))
"""


class Storage:
    """Documents and postings; `path` may be `:memory:`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db = self._open()
        self.dead: set[int] = set()
        """Documents whose postings are still there, to be passed over."""
        self.size = 0
        """Documents that are alive."""
        self._seen = 0
        self._refresh()

    def close(self) -> None:
        self._db.close()

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
        names: Mapping[str, int] | None = None,
        stamps: Mapping[str, str] | None = None,
        gone: Sequence[str] = (),
        meta: Mapping[str, str] | None = None,
    ) -> int:
        """Add or replace tools and forget others, all or nothing; returns the documents written.

        `names` gives the numbers of commands in the lexicon.
        """
        with self._transaction() as db:
            for name in gone:
                self._bury(db, name)
            has_any = db.execute("SELECT 1 FROM tool LIMIT 1").fetchone() is not None
            with _without_collector():
                written = self._write(db, tools, stamps or {}, names or {}, has_any)
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
        first = 1 + db.execute(_LAST).fetchone()[0]
        lists: dict[str, array[int]] = defaultdict(postings_list)
        seen: list[tuple[str, str, int, int]] = []
        phrases: list[tuple[str, bool, str]] = []

        def rows() -> Iterator[tuple[object, ...]]:
            document = first
            for tool in tools:
                name, start = tool.name, document
                if has_any:
                    self._bury(db, name)
                for path, description, impacts, is_true, is_known in entries_of(tool):
                    known = names.get(" ".join((name, *path)) if path else name)
                    joined = "\t".join(path) if path else ""
                    yield document, name, joined, description, is_true, is_known, known
                    base = document << 8
                    for term, impact in impacts.items():
                        lists[term].append(base | impact)
                    document += 1
                seen.append((name, stamps.get(name, ""), start, document - 1))
                if "x-cmp" in tool.extra:
                    phrases.extend((text, is_regex, name) for text, is_regex in phrases_of(tool))

        db.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?)", rows())
        db.executemany("INSERT OR REPLACE INTO tool VALUES (?, ?, ?, ?)", sorted(seen))
        db.executemany("INSERT OR IGNORE INTO phrase VALUES (?, ?, ?)", phrases)
        # sorted: the tree of a table without row ids is filled from left to right
        made = ((term, first, pack(lists[term])) for term in sorted(lists))
        db.executemany("INSERT INTO posting VALUES (?, ?, ?)", made)
        return sum(last - start + 1 for _, _, start, last in seen)

    def _bury(self, db: sqlite3.Connection, name: str) -> None:
        row = db.execute("SELECT first, last FROM tool WHERE name = ?", (name,)).fetchone()
        if row is not None:
            db.execute("INSERT INTO dead SELECT id FROM document WHERE id BETWEEN ? AND ?", row)
            db.execute("DELETE FROM document WHERE id BETWEEN ? AND ?", row)
            db.execute("DELETE FROM tool WHERE name = ?", (name,))
            db.execute("DELETE FROM phrase WHERE tool = ?", (name,))

    def _merge(self, db: sqlite3.Connection) -> None:
        """All segments as one, without the dead."""
        dead = {row[0] for row in db.execute("SELECT id FROM dead")}
        merged: dict[str, array[int]] = defaultdict(postings_list)
        for term, data in db.execute("SELECT term, data FROM posting ORDER BY term, segment"):
            merged[term].extend(entry for entry in unpack(data) if entry >> 8 not in dead)
        db.execute("DELETE FROM posting")
        db.execute("DELETE FROM dead")
        rows = ((term, 0, pack(found)) for term, found in merged.items() if found)
        db.executemany("INSERT INTO posting VALUES (?, ?, ?)", rows)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[bool]:
        """One state of the file for everything that is read inside; tells whether it is another than before."""
        self._db.execute("BEGIN")
        try:
            seen = self._db.execute("PRAGMA data_version").fetchone()[0]
            changed = seen != self._seen
            if changed:  # another process wrote
                self._refresh()
            yield changed
        finally:
            self._db.execute("COMMIT")

    # -- reading ---------------------------------------------------------------------------------

    def postings(self, term: str) -> Sequence[int]:
        """Documents that hold a term, as `document * 256 + impact`."""
        rows = self._db.execute("SELECT data FROM posting WHERE term = ?", (term,)).fetchall()
        if len(rows) == 1 and not self.dead:
            return unpack(rows[0][0])
        return [entry for row in rows for entry in unpack(row[0]) if entry >> 8 not in self.dead]

    def terms_between(self, low: str, high: str) -> list[str]:
        """Some terms of a range, for spelling."""
        rows = self._db.execute(
            "SELECT DISTINCT term FROM posting WHERE term >= ? AND term < ? LIMIT 5000", (low, high)
        )
        return [row[0] for row in rows]

    def of_tool(self, name: str) -> list[tuple[int, str]]:
        """(document, path) of every command of a tool."""
        return self._db.execute(
            "SELECT id, path FROM document, tool WHERE tool.name = ? AND id BETWEEN first AND last",
            (name,),
        ).fetchall()

    def span(self, name: str) -> tuple[int, int] | None:
        """First and last document of a tool."""
        row: tuple[int, int] | None = self._db.execute(
            "SELECT first, last FROM tool WHERE name = ?", (name,)
        ).fetchone()
        return row

    def stamp(self, name: str) -> str:
        """What the caller said identifies the state of a tool; empty when it is not in here."""
        row = self._db.execute("SELECT stamp FROM tool WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def tools_saying(self, text: str) -> list[str]:
        """Tools that have a CMP pattern word for word, by name."""
        rows = self._db.execute(
            "SELECT tool FROM phrase WHERE text = ? AND NOT is_regex ORDER BY tool", (text,)
        )
        return [row[0] for row in rows]

    def regexes(self) -> list[tuple[str, str]]:
        """(`re:` pattern, tool) of all CMP tools."""
        return self._db.execute("SELECT text, tool FROM phrase WHERE is_regex").fetchall()

    def known(self) -> Iterator[tuple[int, int]]:
        """(number in the lexicon, document)."""
        return self._db.execute("SELECT known, id FROM document WHERE known IS NOT NULL")

    def rows(self, documents: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Document → (tool, path, summary, true facts, known facts)."""
        marks = ",".join("?" * len(documents))
        found = self._db.execute(
            f"SELECT id, tool, path, summary, is_true, is_known FROM document WHERE id IN ({marks})",
            documents,
        )
        return {row[0]: row[1:] for row in found}

    # -- the file --------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        try:
            return self._prepared()
        except sqlite3.OperationalError:
            raise  # busy, full or read only: nothing is wrong with the content
        except sqlite3.DatabaseError:
            # the index is derived: damaged or foreign content is dropped, not repaired
            _remove(self.path)
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        if self.path != ":memory:":
            # what a person has installed is nobody else's business
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=30.0)
        try:
            db.execute("PRAGMA synchronous = NORMAL")
            if not _is_index(db):
                db.execute("BEGIN IMMEDIATE")
                if not _is_index(db):  # another process may have made it meanwhile
                    for statement in _SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))
                db.execute("COMMIT")
        except sqlite3.DatabaseError:
            db.close()  # ends the transaction, too
            raise
        return db

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _refresh(self) -> None:
        self.dead = {row[0] for row in self._db.execute("SELECT id FROM dead")}
        self.size = int(self._db.execute("SELECT count(*) FROM document").fetchone()[0])
        self._seen = self._db.execute("PRAGMA data_version").fetchone()[0]


def _is_index(db: sqlite3.Connection) -> bool:
    """Whether the file holds an index of this layout; False: it is empty.

    Raises:
        DatabaseError: it holds something else.
    """
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    if not tables:
        return False
    if "meta" in tables:
        row = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        if row is not None and row[0] == VERSION:
            return True
    raise sqlite3.DatabaseError("not an index of this layout")


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Nothing that a build makes can be part of a cycle; looking for cycles is a sixth of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
