"""Layout: the tables of the index and the file that holds them.

The index is derived: what is damaged, foreign or of another version is dropped, never repaired.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3

VERSION = "5"
"""Of the layout, of the way text is cut into terms *and* of the numbers of the lexicon's commands; another version is built anew."""
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE tool(name TEXT PRIMARY KEY, stamp TEXT, first INTEGER, last INTEGER) WITHOUT ROWID;
CREATE TABLE shelf(first INTEGER PRIMARY KEY, last INTEGER, ends BLOB, facts BLOB, texts TEXT);
CREATE TABLE segment(id INTEGER PRIMARY KEY, known BLOB);
CREATE TABLE block(id INTEGER PRIMARY KEY, segment INTEGER, terms TEXT, ends BLOB, entries BLOB);
CREATE TABLE dead(first INTEGER PRIMARY KEY, last INTEGER);
CREATE TABLE phrase(text TEXT, is_regex INTEGER, tool TEXT, PRIMARY KEY(text, is_regex, tool)) WITHOUT ROWID;
CREATE INDEX phrase_tool ON phrase(tool);
"""


def open_file(path: str) -> sqlite3.Connection:
    """The file with the tables of this layout, made where it is missing; `path` may be `:memory:`."""
    try:
        return _prepared(path)
    except sqlite3.OperationalError:
        raise  # busy, full or read only: nothing is wrong with the content
    except sqlite3.DatabaseError:
        # the index is derived: damaged or foreign content is dropped, not repaired
        _remove(path)
        return _prepared(path)


def _prepared(path: str) -> sqlite3.Connection:
    if path != ":memory:":
        # the list of installed programs is private
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30.0)
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        # a piece of a build fits: pages that are written early would lock readers out until it ends
        db.execute("PRAGMA cache_size = -65536")
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


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
