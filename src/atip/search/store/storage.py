"""Storage: the index as one SQLite file that may be deleted at any time.

A build or an update is one transaction; a file that cannot be read, or has another layout, is thrown away and
filled again by the caller. Updates append a small segment (postings of the new documents) and mark the old
documents dead; many segments are merged. Holds nothing that the store does not hold. Rows are few and packed
(segments.py, text_rows.py), since most of a build would else go into inserts.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
from bisect import bisect_right
from collections import defaultdict

from atip.search.entries import entries_of, phrases_of
from atip.search.store import segments, text_rows
from atip.search.store.batch import Batch
from atip.search.store.layout import open_file
from atip.search.store.postings import postings_list, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from array import array
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from atip.model.tool import Tool

MAX_VARIABLES = 500
"""Of one statement; old versions of SQLite allow 999."""
MAX_SEGMENTS = 12
AT_ONCE = 200
"""Rows of one statement; its values stay below SQLite's least limit of 999."""
SMALL = 0.25
"""Up to this share of all documents, later segments are merged with each other and the first is left alone."""

_LAST = """
SELECT ifnull(max(n), 0)
FROM (SELECT max(last) AS n FROM shelf UNION ALL SELECT max(last) FROM dead UNION ALL SELECT max(id) FROM segment)
"""


class Storage:
    """Documents and postings; `path` may be `:memory:`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db = open_file(path)
        self.dead: set[int] = set()
        """Documents whose postings are still there, to be passed over."""
        self.size = 0
        """Documents that are alive."""
        self._seen = 0
        self._blocks: segments.Directory | None = None
        self._large: list[tuple[str, int, int]] | None = None
        self._firsts: list[int] | None = None
        """First documents of the text rows."""
        self._refresh()

    def close(self) -> None:
        self._db.close()

    def stamps(self) -> dict[str, str]:
        """Tools in the index, and the caller's stamp for the state of each."""
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
        batch = Batch(1 + db.execute(_LAST).fetchone()[0])
        first = batch.next
        seen: list[tuple[str, str, int, int]] = []
        phrases: list[tuple[str, bool, str]] = []

        def rows() -> Iterator[tuple[object, ...]]:
            for tool in tools:
                name, start = tool.name, batch.next
                if has_any:
                    self._bury(db, name)
                for entry in entries_of(tool):
                    path = entry[0]
                    known = names.get(" ".join((name, *path)) if path else name)
                    if batch.add(name, entry, known) >= text_rows.DOCUMENTS:
                        yield batch.text_row()
                seen.append((name, stamps.get(name, ""), start, batch.next - 1))
                if "x-cmp" in tool.extra:
                    phrases.extend((text, is_regex, name) for text, is_regex in phrases_of(tool))
            if batch.next > batch.first:
                yield batch.text_row()

        db.executemany("INSERT INTO shelf VALUES (?, ?, ?, ?, ?)", rows())
        _write_tools(db, seen)
        db.executemany("INSERT OR IGNORE INTO phrase VALUES (?, ?, ?)", phrases)
        if batch.next > first:
            self._write_segment(db, first, batch.known, batch.lists)
        return batch.next - first

    def _write_segment(
        self,
        db: sqlite3.Connection,
        number: int,
        known: array[int],
        lists: Mapping[str, array[int]],
    ) -> None:
        db.execute("INSERT INTO segment VALUES (?, ?)", (number, known.tobytes()))
        rows = ((None, number, *block) for block in segments.packed(lists))
        db.executemany("INSERT INTO block VALUES (?, ?, ?, ?, ?)", rows)

    def _bury(self, db: sqlite3.Connection, name: str) -> None:
        buried = db.execute(
            "INSERT INTO dead SELECT first, last FROM tool WHERE name = ?", (name,)
        ).rowcount
        if buried:
            db.execute("DELETE FROM tool WHERE name = ?", (name,))
            db.execute("DELETE FROM phrase WHERE tool = ?", (name,))

    def _merge(self, db: sqlite3.Connection) -> None:
        """Many segments as one, without the dead."""
        starts = [row[0] for row in db.execute("SELECT id FROM segment ORDER BY id")]
        if len(starts) <= MAX_SEGMENTS:
            return
        last = db.execute("SELECT max(last) FROM shelf").fetchone()[0]
        start = starts[1] if last - starts[1] < SMALL * last else starts[0]
        dead = _dead(db)
        lists: dict[str, array[int]] = defaultdict(postings_list)
        for block in db.execute(
            "SELECT terms, ends, entries FROM block WHERE segment >= ? ORDER BY id", (start,)
        ):
            for term, entries in segments.unpacked(*block):
                lists[term] += segments.living(entries, dead)
        known = _known(db, dead, start)
        # a segment holds the documents from its number up to the next
        db.execute("DELETE FROM block WHERE segment >= ?", (start,))
        db.execute("DELETE FROM segment WHERE id >= ?", (start,))
        db.execute("DELETE FROM dead WHERE first >= ?", (start,))
        found = {term: entries for term, entries in lists.items() if entries}
        self._write_segment(db, start, known, found)
        _clear_text_rows(db)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[bool]:
        """One state of the file for everything that is read inside; yields whether it differs from the last one."""
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
        found = postings_list()
        for number, place in self._directory().find(term):
            row = self._db.execute(
                "SELECT ends, entries FROM block WHERE id = ?", (number,)
            ).fetchone()
            found += segments.entries_at(place, *row)
        return segments.living(found, self.dead)

    def postings_of(self, terms: Iterable[str]) -> dict[str, Sequence[int]]:
        """The same for several terms, in one reading."""
        found = {term: postings_list() for term in terms}
        places: dict[int, list[tuple[str, int]]] = {}
        for term in found:
            for number, place in self._directory().find(term):
                places.setdefault(number, []).append((term, place))
        marks = ",".join("?" * len(places))
        rows = self._db.execute(
            f"SELECT id, ends, entries FROM block WHERE id IN ({marks}) ORDER BY id", list(places)
        )
        for number, ends, entries in rows:
            for term, place in places[number]:
                found[term] += segments.entries_at(place, ends, entries)
        return {term: segments.living(entries, self.dead) for term, entries in found.items()}

    def terms_between(self, low: str, high: str) -> set[str]:
        """Terms of a range, for spelling."""
        return self._directory().between(low, high)

    def _directory(self) -> segments.Directory:
        if self._blocks is None:
            rows = self._db.execute("SELECT segment, id, terms FROM block ORDER BY id")
            self._blocks = segments.Directory(rows)
        return self._blocks

    def of_tool(self, name: str) -> list[tuple[int, str]]:
        """(document, path) of every command of a tool."""
        span = self.span(name)
        if span is None:
            return []
        first, last = span
        return [(document, row[1]) for document, row in self.rows(range(first, last + 1)).items()]

    def span(self, name: str) -> tuple[int, int] | None:
        """First and last document of a tool."""
        row: tuple[int, int] | None = self._db.execute(
            "SELECT first, last FROM tool WHERE name = ?", (name,)
        ).fetchone()
        return row

    def sizes(self, names: Collection[str]) -> dict[str, int]:
        """Number of commands of each tool, itself included."""
        marks = ",".join("?" * len(names))
        return dict(
            self._db.execute(
                f"SELECT name, last - first + 1 FROM tool WHERE name IN ({marks})", [*names]
            )
        )

    def large_tools(self, commands: int) -> list[tuple[str, int, int]]:
        """Name, first and last document of every tool with more commands than this."""
        if self._large is None:
            self._large = self._db.execute(
                "SELECT name, first, last FROM tool WHERE last - first > ?", (commands,)
            ).fetchall()
        return self._large

    def stamp(self, name: str) -> str:
        """The caller's stamp for the state of a tool; empty when the tool is not in the index."""
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
        numbers = iter(_known(self._db, self.dead))
        return zip(numbers, numbers, strict=True)

    def rows(self, documents: Iterable[int]) -> dict[int, text_rows.Row]:
        """Document → (tool, path, summary, true facts, known facts), by number."""
        if self._firsts is None:
            self._firsts = [
                row[0] for row in self._db.execute("SELECT first FROM shelf ORDER BY first")
            ]
        wanted: dict[int, list[int]] = {}
        for document in sorted(documents):
            place = bisect_right(self._firsts, document)
            if place:
                wanted.setdefault(self._firsts[place - 1], []).append(document)
        found: dict[int, text_rows.Row] = {}
        firsts = list(wanted)
        for start in range(0, len(firsts), MAX_VARIABLES):
            part = firsts[start : start + MAX_VARIABLES]
            marks = ",".join("?" * len(part))
            query = f"SELECT * FROM shelf WHERE first IN ({marks}) ORDER BY first"
            for text_row in itertools.starmap(text_rows.TextRow, self._db.execute(query, part)):
                texts = ((document, text_row.row(document)) for document in wanted[text_row.first])
                found.update((document, row) for document, row in texts if row is not None)
        return found

    # -- the file --------------------------------------------------------------------------------

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
        self._large = None
        self._firsts = None
        self._blocks = None
        self.dead = _dead(self._db)
        row = self._db.execute("SELECT ifnull(sum(last - first + 1), 0) FROM tool").fetchone()
        self.size = int(row[0])
        self._seen = self._db.execute("PRAGMA data_version").fetchone()[0]


def _write_tools(db: sqlite3.Connection, tools: list[tuple[str, str, int, int]]) -> None:
    # sorted: the tree of a table without row ids is filled from left to right; many to a statement: a third less
    tools.sort()
    for start in range(0, len(tools), AT_ONCE):
        part = tools[start : start + AT_ONCE]
        marks = ", ".join(["(?, ?, ?, ?)"] * len(part))
        values = [value for tool in part for value in tool]
        db.execute(f"INSERT OR REPLACE INTO tool VALUES {marks}", values)


def _dead(db: sqlite3.Connection) -> set[int]:
    spans = db.execute("SELECT first, last FROM dead")
    return {document for first, last in spans for document in range(first, last + 1)}


def _known(db: sqlite3.Connection, dead: set[int], start: int = 0) -> array[int]:
    """Pairs of all segments from one on, without the dead."""
    made = postings_list()
    rows = db.execute("SELECT known FROM segment WHERE id >= ? ORDER BY id", (start,))
    for (data,) in rows:
        numbers = iter(unpack(data))
        for number, document in zip(numbers, numbers, strict=False):
            if document not in dead:
                made.extend((number, document))
    return made


def _clear_text_rows(db: sqlite3.Connection) -> None:
    """A text row goes with its last tool. Texts of dead documents in other rows are never read."""
    firsts = [row[0] for row in db.execute("SELECT first FROM shelf ORDER BY first")]
    needed: set[int] = set()
    for first, last in db.execute("SELECT first, last FROM tool"):
        needed.update(firsts[bisect_right(firsts, first) - 1 : bisect_right(firsts, last)])
    unused = [(first,) for first in firsts if first not in needed]
    db.executemany("DELETE FROM shelf WHERE first = ?", unused)


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
