"""Databases: tables and views as typed operations, and one query tool that can only read.

`list_`, `get_` and `count_` for every table; `insert_`, `update_` and `delete_` where the configuration says `writable`.
Reading happens in a read-only transaction. Names come from inspection and are quoted by SQLAlchemy; values are bound,
never pasted. Implements ATM §A.4; threat 25 of conformance/threats.toml. Needs the extra `api` and the driver of the database.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from atip.apis.database.engine import driver_errors, open_engine, reading, writing
from atip.apis.database.query import run_query
from atip.apis.database.values import column_schema, row_to_json, to_driver
from atip.apis.effects import with_effects
from atip.apis.http.calls import CallOutcome
from atip.apis.interface import LoadedSource
from atip.errors import UsageError
from atip.model.operation import Api, Operation, Parameter
from atip.model.text.identifiers import ARGUMENTS, slug, unique
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess

MAX_ROWS = 1_000
DEFAULT_ROWS = 100
_METHODS = {
    "list": "SELECT",
    "get": "SELECT",
    "count": "SELECT",
    "insert": "INSERT",
    "update": "UPDATE",
    "delete": "DELETE",
}


def load(config: SourceConfig, access: ApiAccess) -> LoadedSource:
    """Inspect the database.

    Raises:
        FetchError: `api.database` when it cannot be reached.
    """
    engine = open_engine(config, access)
    try:
        with driver_errors(engine):
            tables = list(_inspect(engine, config))
    finally:
        engine.dispose()
    names: set[str] = set()
    operations = [
        operation
        for table in tables
        for operation in _operations(table, names, writable=bool(config.settings.get("writable")))
    ]
    operations.append(_query_operation(names, engine.dialect.name))
    api = Api(
        name=config.name,
        kind="database",
        title=f"{engine.dialect.name} database",
        operations=tuple(operations),
    )
    raw = json.dumps(tables, default=str)
    return LoadedSource(api=with_effects(api), raw=raw, digest=f"sha256:{sha256_hex(raw.encode())}")


def _inspect(engine: Any, config: SourceConfig) -> Iterator[dict[str, Any]]:
    import sqlalchemy

    inspector = sqlalchemy.inspect(engine)
    tables = config.settings.get("tables")
    for schema in config.settings.get("schemas") or (None,):
        views = set(inspector.get_view_names(schema=schema))
        for name in [*inspector.get_table_names(schema=schema), *sorted(views)]:
            if tables is not None and name not in tables:
                continue
            columns = _columns(inspector, name, schema, is_view=name in views)
            if columns is None:
                continue
            key = inspector.get_pk_constraint(name, schema=schema)["constrained_columns"]
            yield {
                "name": name,
                "schema": schema,
                "view": name in views,
                "comment": _comment(inspector, name, schema),
                "key": key,
                "references": [
                    {
                        "columns": foreign_key["constrained_columns"],
                        "table": foreign_key["referred_table"],
                    }
                    for foreign_key in inspector.get_foreign_keys(name, schema=schema)
                ],
                "columns": [_column(column) for column in columns],
            }


def _columns(inspector: Any, name: str, schema: str | None, *, is_view: bool) -> Any:
    """None: a view that this account may read but not inspect (MySQL's SHOW VIEW); `query` still reads it."""
    import sqlalchemy

    try:
        return inspector.get_columns(name, schema=schema)
    except sqlalchemy.exc.DBAPIError:
        if not is_view:
            raise
        return None


def _column(info: Mapping[str, Any]) -> dict[str, Any]:
    generated = bool(info.get("computed")) or bool(info.get("identity"))
    auto = info.get("autoincrement") is True or info.get("default") is not None
    return {
        "name": info["name"],
        "schema": column_schema(info["type"], nullable=bool(info["nullable"])),
        "required": not info["nullable"] and not auto and not generated,
        "generated": bool(info.get("computed")),
        "comment": info.get("comment") or "",
    }


def _comment(inspector: Any, name: str, schema: str | None) -> str:
    try:
        return inspector.get_table_comment(name, schema=schema).get("text") or ""
    except NotImplementedError:
        return ""


def _operations(
    table: Mapping[str, Any], names: set[str], *, writable: bool
) -> Iterator[Operation]:
    actions = ["list", "count"]
    if table["key"]:
        actions.insert(1, "get")
    if writable and not table["view"]:
        actions.append("insert")
        if table["key"]:
            actions += ["update", "delete"]
    for action in actions:
        yield _operation(table, action, names)


def _operation(table: Mapping[str, Any], action: str, names: set[str]) -> Operation:
    name = unique(slug(f"{action}_{table['name']}"), names, (str(table["schema"] or ""),))
    return Operation(
        name=name,
        original=f"{action}_{table['name']}",
        summary=_SUMMARIES[action].format(table["name"]),
        description=table["comment"],
        parameters=tuple(_parameters(table, action)),
        method=_METHODS[action],
        category=table["name"],
        extra={"table": table["name"], "schema": table["schema"], "action": action},
    )


_SUMMARIES = {
    "list": "List rows of {}, filtered by column values",
    "get": "Get one row of {} by its key",
    "count": "Count the rows of {} with these values",
    "insert": "Add a row to {}",
    "update": "Update the row of {} with this key",
    "delete": "Remove the row of {} with this key",
}


def _parameters(table: Mapping[str, Any], action: str) -> Iterator[Parameter]:
    used_names: set[str] = (
        {"limit", "offset", "order_by", "descending"} if action == "list" else set()
    )
    key = table["key"]
    for column in table["columns"]:
        is_key = column["name"] in key
        if action in {"get", "delete"} and not is_key:
            continue
        if action in {"insert", "update"} and column["generated"]:
            continue
        required = is_key if action in {"get", "delete", "update"} else False
        yield Parameter(
            argument=unique(slug(column["name"], "value", ARGUMENTS), used_names, ("column",)),
            name=column["name"],
            place="column",
            schema=column["schema"],
            required=required or (action == "insert" and column["required"]),
            description=column["comment"],
        )
    if action == "list":
        yield from _paging_parameters([column["name"] for column in table["columns"]])


def _paging_parameters(columns: list[str]) -> Iterator[Parameter]:
    for name, schema, text in (
        ("limit", {"type": "integer", "minimum": 1, "maximum": MAX_ROWS}, "at most this many rows"),
        ("offset", {"type": "integer", "minimum": 0}, "skip this many rows"),
        ("order_by", {"type": "string", "enum": columns}, "sort by this column"),
        ("descending", {"type": "boolean"}, "sort in descending order"),
    ):
        yield Parameter(argument=name, name=name, place="option", schema=schema, description=text)


def _query_operation(names: set[str], dialect: str) -> Operation:
    return Operation(
        name=unique("query", names, ("sql",)),
        original="query",
        summary=f"Run one SELECT of {dialect} in a read-only transaction",
        parameters=(
            Parameter(argument="sql", name="sql", place="option", schema={"type": "string"},
                      required=True, description="one SELECT; values as :name"),
            Parameter(argument="values", name="values", place="option", schema={"type": "object"},
                      description="values of :name"),
            Parameter(argument="limit", name="limit", place="option",
                      schema={"type": "integer", "minimum": 1, "maximum": MAX_ROWS}),
        ),
        method="SELECT",
        category="query",
        extra={"action": "query"},
    )  # fmt: skip


def connect(config: SourceConfig, header: Api, access: ApiAccess) -> DatabaseConnection:
    """A connection to the database."""
    return DatabaseConnection(config, access)


class DatabaseConnection:
    """Runs operations in a worker thread, one transaction each."""

    def __init__(self, config: SourceConfig, access: ApiAccess) -> None:
        self._engine = open_engine(config, access)
        self._writable = bool(config.settings.get("writable"))
        self._tables: dict[tuple[str, str | None], Any] = {}

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> CallOutcome:
        data = await asyncio.to_thread(self._call, operation, arguments)
        return CallOutcome(status=200, data=data)

    async def close(self) -> None:
        await asyncio.to_thread(self._engine.dispose)

    def _call(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        action = operation.extra["action"]
        if action == "query":
            limit = arguments.get("limit", DEFAULT_ROWS)
            return run_query(
                self._engine, arguments["sql"], arguments.get("values", {}), int(limit)
            )
        table = self._table(operation.extra["table"], operation.extra.get("schema"))
        values = {
            parameter.name: to_driver(table.c[parameter.name].type, arguments[parameter.argument])
            for parameter in operation.parameters
            if parameter.place == "column" and parameter.argument in arguments
        }
        if action in {"list", "get", "count"}:
            return self._read(action, table, values, arguments)
        if not self._writable:
            raise UsageError(
                "api.read-only",
                "this database is configured read-only",
                hint='set "writable": true for the source',
            )
        return self._write(action, table, values)

    def _read(
        self, action: str, table: Any, values: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Any:
        import sqlalchemy

        where = [_equals(table.c[name], value) for name, value in values.items()]
        with reading(self._engine) as connection:
            if action == "count":
                statement = sqlalchemy.select(sqlalchemy.func.count()).select_from(table)
                return {"count": connection.execute(statement.where(*where)).scalar_one()}
            statement = sqlalchemy.select(table).where(*where)
            if action == "list":
                column = options.get("order_by")
                if column is not None:
                    order = table.c[column]
                    statement = statement.order_by(
                        order.desc() if options.get("descending") else order
                    )
                limit = min(int(options.get("limit", DEFAULT_ROWS)), MAX_ROWS)
                statement = statement.limit(limit).offset(int(options.get("offset", 0)))
            rows = [row_to_json(row) for row in connection.execute(statement).mappings()]
        return {"rows": rows} if action == "list" else {"row": rows[0] if rows else None}

    def _write(self, action: str, table: Any, values: dict[str, Any]) -> Any:
        key = [column.name for column in table.primary_key.columns]
        where = [_equals(table.c[name], values[name]) for name in key if name in values]
        with writing(self._engine) as connection:
            if action == "insert":
                outcome = connection.execute(table.insert().values(**_by_column(table, values)))
                return {"inserted": 1, "key": plain_key(outcome, key)}
            # SECURITY: without the complete key a change would affect other rows.
            if len(where) != len(key):
                raise UsageError(
                    "api.missing-argument", f"the complete key is required: {', '.join(key)}"
                )
            if action == "delete":
                outcome = connection.execute(table.delete().where(*where))
                return {"deleted": outcome.rowcount}
            changes = {name: value for name, value in values.items() if name not in key}
            if not changes:
                raise UsageError("api.missing-argument", "no columns to change")
            outcome = connection.execute(
                table.update().where(*where).values(_by_column(table, changes))
            )
            return {"updated": outcome.rowcount}

    def _table(self, name: str, schema: str | None) -> Any:
        import sqlalchemy

        table = self._tables.get((name, schema))
        if table is None:
            table = sqlalchemy.Table(
                name, sqlalchemy.MetaData(), schema=schema, autoload_with=self._engine
            )
            for column in table.c:
                if isinstance(column.type, sqlalchemy.types.Float):
                    # MySQL's DOUBLE would come as a decimal of ten places.
                    column.type.asdecimal = False
            self._tables[(name, schema)] = table
        return table


def _by_column(table: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    return {table.c[name].key: value for name, value in values.items()}


def _equals(column: Any, value: Any) -> Any:
    return column.is_(None) if value is None else column == value


def plain_key(outcome: Any, key: list[str]) -> dict[str, Any] | None:
    """The key of a new row, if the database returns it."""
    values = outcome.inserted_primary_key
    if values is None:
        return None
    return row_to_json(dict(zip(key, values, strict=False)))
