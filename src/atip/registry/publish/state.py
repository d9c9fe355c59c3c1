"""State of a place: what the last build left, kept piece by piece beside the source.

A rebuild of a hundred changes among 100,000 shims reads and writes the pieces of those hundred and leaves the rest on the
disk. One build is one transaction: one that dies has changed nothing. Derived; a damaged file is dropped, and the file
may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

from atip.model.reading.shim_records import UNPACK_ERRORS, StateHead, pack, unpack_head
from atip.registry.publish.source import (
    ShimListing,
    pack_marks,
    pack_names,
    unpack_marks,
    unpack_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 2
"""Version of the layout; a state of another version is rebuilt."""
_SCHEMA = """
CREATE TABLE piece(name TEXT PRIMARY KEY, data BLOB);
CREATE TABLE part(number INTEGER PRIMARY KEY, lines BLOB, records BLOB);
CREATE TABLE tool(name TEXT PRIMARY KEY, rows BLOB) WITHOUT ROWID;
CREATE TABLE entry(name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
"""


DAMAGED = (sqlite3.DatabaseError, *UNPACK_ERRORS)
"""Errors that reading from a damaged file raises, whatever part is damaged."""


class BuildState:
    """The pieces. `head` is None when nothing is known; then every other piece is empty."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.head: StateHead | None = None
        self._db = self._open()
        self._listing = ShimListing(names=[], marks=[])

    def close(self) -> None:
        """Forget what was not committed."""
        self._db.close()

    def forget(self) -> None:
        """Start from nothing: what is here is about something else."""
        self._db.close()
        _remove(self._path)
        self.head = None
        self._db = self._open()

    def commit(self, head: StateHead, listing: ShimListing) -> None:
        """Keep what was put, and this; the state is about the new release from here on."""
        if listing.names != self._listing.names:
            self._put_piece("names", pack_names(listing.names))
        if listing.marks != self._listing.marks:
            self._put_piece("marks", pack_marks(listing.marks))
        if head != self.head or self._db.total_changes:
            self.set_head(head)

    def set_head(self, head: StateHead) -> None:
        """Keep what was put, under another head."""
        self._put_piece("head", pack(head))
        self._db.execute("COMMIT")

    # -- pieces ----------------------------------------------------------------------------------

    def listing(self) -> ShimListing:
        """The files of the source at the last build."""
        if self.head is not None:
            names, marks = self._piece("names"), self._piece("marks")
            self._listing = ShimListing(names=unpack_names(names), marks=unpack_marks(marks))
        return self._listing

    def records(self, number: int) -> bytes | None:
        """The packed records of a part."""
        row = self._db.execute("SELECT records FROM part WHERE number = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def lines(self, first: int, end: int) -> list[tuple[int, bytes]]:
        """The packed lines of the parts from `first` to before `end`, with their numbers."""
        return self._db.execute(
            "SELECT number, lines FROM part WHERE number >= ? AND number < ?", (first, end)
        ).fetchall()

    def rows(self, name: str) -> bytes | None:
        """The packed rows of a tool."""
        row = self._db.execute("SELECT rows FROM tool WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def tools(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM tool").fetchone()[0])

    def entries(self) -> list[str]:
        """Every tool's entry of the catalogue, by name."""
        rows = self._db.execute("SELECT text FROM entry ORDER BY name").fetchall()
        return [text for (text,) in rows]

    def put_parts(self, parts: Iterable[tuple[int, bytes, bytes]]) -> None:
        """Parts by number, each as packed lines and packed records."""
        self._db.executemany("INSERT OR REPLACE INTO part VALUES (?, ?, ?)", parts)

    def put_tools(self, tools: Iterable[tuple[str, bytes]]) -> None:
        """Tools by name, each as packed rows."""
        self._db.executemany("INSERT OR REPLACE INTO tool VALUES (?, ?)", tools)

    def put_entries(self, entries: Iterable[tuple[str, str]]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?)", entries)

    def drop_tools(self, names: Iterable[str]) -> None:
        for name in names:
            self._db.execute("DELETE FROM tool WHERE name = ?", (name,))
            self._db.execute("DELETE FROM entry WHERE name = ?", (name,))

    def _piece(self, name: str) -> bytes:
        row = self._db.execute("SELECT data FROM piece WHERE name = ?", (name,)).fetchone()
        return row[0] if row else b""

    def _put_piece(self, name: str, data: bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO piece VALUES (?, ?)", (name, data))

    # -- the file --------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        try:
            return self._prepare()
        except sqlite3.OperationalError:
            raise  # full or read only: nothing is wrong with the content
        except DAMAGED:
            _remove(self._path)
            return self._prepare()

    def _prepare(self) -> sqlite3.Connection:
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(self._path, isolation_level=None)
        try:
            db.execute("BEGIN IMMEDIATE")
            if not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                return db
            row = db.execute("SELECT data FROM piece WHERE name = 'head'").fetchone()
            head = unpack_head(row[0]) if row else None
            if head is None or head.version != VERSION:
                raise sqlite3.DatabaseError("not a state of this layout")
            self.head = head
        except DAMAGED:
            db.close()
            raise
        return db


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
