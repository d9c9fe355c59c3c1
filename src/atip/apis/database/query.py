"""The query tool: one SELECT, in a read-only transaction, with a limit on rows.

SECURITY: four barriers. (1) the first word must be one that reads; (2) the driver gets it as *one* statement, so `; DROP …`
is an error and not a second statement that leaves the transaction; (3) the transaction is read-only; (4) SQLite also
uses an authorizer, because `PRAGMA` and `ATTACH` are statements of their own. The database must restrict
functions with side effects: give the role of this source no right to them (a superuser is refused).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.apis.database.engine import reading
from atip.apis.database.values import row_to_json
from atip.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_ANSWER = 32_000_000
_COMMENTS = re.compile(r"\A(?:\s+|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/|\()+")
_READS = frozenset({"select", "with", "values", "table", "show"})
_SQLITE_READS = frozenset({20, 21, 31, 33})
"""SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE."""


def run_query(engine: Any, sql: str, values: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Rows of one SELECT.

    Raises:
        UsageError: `api.not-a-select`.
        FetchError: `api.database`.
    """
    check_reads(sql)
    import sqlalchemy

    statement = sqlalchemy.text(sql)
    with reading(engine) as connection:
        driver = connection.connection.driver_connection
        if engine.dialect.name == "sqlite":
            driver.set_authorizer(_authorize)
        elif engine.dialect.name != "postgresql":
            # What is left of an answer has to be read before the connection can be used again.
            connection.exec_driver_sql(f"SET SESSION sql_select_limit = {int(limit) + 1}")
        try:
            options = {"stream_results": True}
            result = connection.execution_options(**options).execute(statement, _bind(values))
            try:
                rows, more = _take_rows(result.mappings(), limit)
            finally:
                result.close()
        finally:
            if engine.dialect.name == "sqlite":
                driver.set_authorizer(None)
    return {"rows": rows, "more": more}


def _take_rows(rows: Iterable[Mapping[Any, Any]], limit: int) -> tuple[list[dict[str, Any]], bool]:
    """At most `limit` rows, and no more bytes than an answer may have; whether there are more."""
    kept_rows: list[dict[str, Any]] = []
    remaining = MAX_ANSWER
    for row in rows:
        if len(kept_rows) == limit:
            return kept_rows, True
        remaining -= sum(len(value) for value in row.values() if isinstance(value, (str, bytes)))
        if remaining < 0:
            raise UsageError(
                "api.too-large",
                f"the answer has more than {MAX_ANSWER:,} bytes",
                hint="select fewer rows or columns",
            )
        kept_rows.append(row_to_json(row))
    return kept_rows, False


def _bind(values: Mapping[str, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in values.items()}


def check_reads(sql: str) -> None:
    """
    Raises:
        UsageError: `api.not-a-select`.
    """
    statement = _COMMENTS.sub("", sql, count=1)
    word = re.match(r"[A-Za-z]+", statement)
    if word is None or word.group(0).lower() not in _READS or has_second_statement(sql):
        raise UsageError(
            "api.not-a-select",
            "only a single read-only statement is allowed",
            hint="start with SELECT or WITH, and omit `;`",
        )


def has_second_statement(sql: str) -> bool:
    """Whether anything but spaces and comments follows a `;` outside quotes. Doubt counts as yes."""
    index, size = 0, len(sql)
    while index < size:
        sign = sql[index]
        if sign in "'\"`":
            end = _quote_end(sql, index, sign)
            if end is None:
                return True
            index = end
        elif sql.startswith("--", index):
            end = sql.find("\n", index)
            index = size if end < 0 else end
        elif sql.startswith("/*", index):
            end = sql.find("*/", index + 2)
            if end < 0:
                return True
            index = end + 2
        elif sign == "$" and (tag := re.compile(r"\$[A-Za-z_0-9]*\$").match(sql, index)):
            end = sql.find(tag.group(0), tag.end())
            if end < 0:
                return True
            index = end + len(tag.group(0))
        elif sign == ";":
            return bool(_COMMENTS.sub("", sql[index + 1 :], count=1).strip("; \t\r\n"))
        else:
            index += 1
    return False


def _quote_end(sql: str, start: int, sign: str) -> int | None:
    """The position after a quoted text; None: ambiguous. Databases disagree on whether a backslash escapes a quote,
    so a text where that matters is ambiguous."""
    index = start + 1
    while True:
        end = sql.find(sign, index)
        if end < 0 or (end > start and sql[end - 1] == "\\"):
            return None
        if sql.startswith(sign, end + 1):
            index = end + 2
            continue
        return end + 1


def _authorize(action: int, first: Any, second: Any, *_rest: Any) -> int:
    if action in _SQLITE_READS and str(second).lower() != "load_extension":
        return 0
    return 1
