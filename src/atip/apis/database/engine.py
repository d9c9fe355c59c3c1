"""Engines: a database address with its references resolved, and transactions that only read.

The database itself enforces read-only access: `query_only` and a read-only file for SQLite, READ ONLY transactions for
PostgreSQL and MySQL. Statements have a time limit; SQLite, which runs in our own process, has bounds on values too. A role that can read files
or start programs of the server is refused (`roles.py`), because a read-only transaction does not stop that.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from atip.apis.database.roles import MIGHTY_WORD, refuse_mighty
from atip.errors import AtipError, FetchError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess

STATEMENT_MS = 30_000
MAX_VALUE = 16_000_000
"""Bytes of one value of SQLite, which would otherwise be up to two gigabytes."""
_STEPS = 20_000  # of SQLite's machine between two looks at the clock
_DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}
ALLOWED = ("sqlite", "postgresql", "mysql", "mariadb")


def open_engine(config: SourceConfig, access: ApiAccess) -> Any:
    """An engine for a configured database.

    Raises:
        AuthRequired: `api.auth-missing` for a reference that cannot be resolved.
        FormatError: `api.database-url`.
        AtipError: `api.missing-extra`.
    """
    try:
        import sqlalchemy
    except ImportError as error:
        raise AtipError(
            "api.missing-extra", "databases need SQLAlchemy", hint='pip install "atip-cli[api]"'
        ) from error
    text = access.references(config).text(str(config.settings["url"]))
    try:
        url = sqlalchemy.engine.make_url(text)
    except sqlalchemy.exc.ArgumentError as error:
        raise FormatError("api.database-url", "`url` is not a valid database address") from error
    backend = url.get_backend_name()
    if backend not in ALLOWED and backend != "postgres":
        raise FormatError(
            "api.database-url", f"`{backend}` is not supported", hint=", ".join(ALLOWED)
        )
    if url.password and access.secrets is not None:
        access.secrets((str(url.password).encode(),))
    if backend == "sqlite":
        url = _sqlite_url(url, config)
    else:
        access.check_online(config.name)
        if "+" not in url.drivername:
            url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    try:
        return sqlalchemy.create_engine(
            url,
            pool_pre_ping=True,
            hide_parameters=True,
            execution_options={MIGHTY_WORD: bool(config.settings.get(MIGHTY_WORD))},
        )
    except ImportError as error:
        raise AtipError(
            "api.missing-driver",
            f"the driver of {backend} is not installed",
            hint='pip install "psycopg[binary]"'
            if "postgres" in backend
            else "pip install pymysql",
        ) from error


def _sqlite_url(url: Any, config: SourceConfig) -> Any:
    """Below the configuration's folder, and read-only unless writing was configured."""
    name = url.database or ""
    if not name or name == ":memory:":
        return url
    path = os.path.abspath(os.path.join(config.folder, name.removeprefix("file:").split("?")[0]))
    if not os.path.exists(path):
        raise FetchError(
            "api.database", f"no database file `{path}`", hint="check `url` of the source"
        )
    mode = "rw" if config.settings.get("writable") else "ro"
    from urllib.parse import quote

    return url.set(database=f"file:{quote(path)}", query={"mode": mode, "uri": "true"})


@contextmanager
def reading(engine: Any) -> Iterator[Any]:
    """A connection whose transaction cannot write.

    Raises:
        FetchError: `api.database` with the error of the database.
    """
    with driver_errors(engine), engine.connect() as connection:
        name = engine.dialect.name
        if name == "sqlite":
            _bound_sqlite(connection)
            connection.exec_driver_sql("PRAGMA query_only = ON")
        elif name == "postgresql":
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT_MS}")
            refuse_mighty(connection)
        else:
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            connection.commit()
            _bound_mysql(connection)
            refuse_mighty(connection)
        try:
            yield connection
        finally:
            connection.rollback()
            if name == "sqlite":
                connection.exec_driver_sql("PRAGMA query_only = OFF")
            elif name != "postgresql":
                # The connection goes back to the pool: a lock that a query took would stay with it.
                connection.exec_driver_sql("DO RELEASE_ALL_LOCKS()")
                connection.exec_driver_sql("SET SESSION TRANSACTION READ WRITE")
                connection.exec_driver_sql("SET SESSION sql_select_limit = DEFAULT")


@contextmanager
def writing(engine: Any) -> Iterator[Any]:
    """A transaction that is committed unless an error is raised."""
    with driver_errors(engine), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT_MS}")
        elif engine.dialect.name == "sqlite":
            _bound_sqlite(connection)
        else:
            _bound_mysql(connection)
        yield connection


def _bound_mysql(connection: Any) -> None:
    """A time limit for statements: MariaDB counts seconds, MySQL milliseconds of SELECT alone."""
    if connection.dialect.is_mariadb:
        connection.exec_driver_sql(f"SET SESSION max_statement_time = {STATEMENT_MS / 1000}")
    else:
        connection.exec_driver_sql(f"SET SESSION max_execution_time = {STATEMENT_MS}")


def _bound_sqlite(connection: Any) -> None:
    """SECURITY: SQLite runs in our own process: one query could use all CPU time and memory."""
    import sqlite3

    driver = connection.connection.driver_connection
    ends_at = monotonic() + STATEMENT_MS / 1000
    driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    driver.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    driver.set_progress_handler(lambda: int(monotonic() > ends_at), _STEPS)


@contextmanager
def driver_errors(engine: Any) -> Iterator[None]:
    """Convert driver errors to ours, without the values that were sent."""
    import sqlalchemy

    try:
        yield
    except sqlalchemy.exc.SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise FetchError(
            "api.database", f"{engine.dialect.name}: {str(cause).strip()[:500]}"
        ) from error
