"""Databases as sources: SQLite embedded and a real PostgreSQL; injection, read-only, types."""

from __future__ import annotations

import json
import pathlib
import sqlite3
import typing

import pytest

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.interface import ApiAccess
from atip.errors import AtipError, UsageError
from tests.integration.apis.databases import HOSTILE, WRITES, connected
from tests.packages import package
from tests.simulators.postgres import postgres

if typing.TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def lite(tmp_path: pathlib.Path) -> pathlib.Path:
    package("sqlalchemy")
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.executescript(
            """
            create table items (id integer primary key, name text not null, price numeric(10,2),
                made timestamp, data blob, active boolean, "odd name; drop" text);
            create view cheap as select id, name from items where price < 10;
            """
        )
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    package("sqlalchemy")
    psycopg = package("psycopg")
    with postgres() as port:
        address = f"postgresql://tester@127.0.0.1:{port}/postgres"
        with psycopg.connect(address) as connection:
            connection.execute(
                """
                create type mood as enum ('happy', 'sad');
                create table items (id serial primary key, name text not null, price numeric(20,6),
                    made timestamptz, born date, data bytea, active boolean, tags text[], doc jsonb,
                    u uuid, feeling mood, big bigint);
                comment on table items is 'what we sell';
                comment on column items.price is 'in euros';
                create table parts (item integer references items(id), number integer, primary key (item, number));
                create table "we;ird ""name" (id integer primary key, "x'y" text);
                create view cheap as select id, name from items;
                create role seller login;
                grant all on all tables in schema public to seller;
                grant all on all sequences in schema public to seller;
                create role filer login;
                grant pg_read_server_files to filer;
                """
            )
        yield f"postgresql://seller@127.0.0.1:{port}/postgres"


def names(folder: pathlib.Path) -> set[str]:
    lines = (folder / "codegen/shop/operations.jsonl").read_text().splitlines()
    return {json.loads(line)["name"] for line in lines if line.startswith('{"name"')}


@pytest.mark.proves("ATM-A-04")
def test_operations_are_named_by_action_and_table_and_reading_is_the_default(
    lite: pathlib.Path,
) -> None:
    connected(lite, "sqlite:///shop.db").close()
    assert names(lite) == {"list_items", "get_items", "count_items", "list_cheap", "count_cheap", "query"}  # fmt: skip
    connected(lite, "sqlite:///shop.db", writable=True).close()
    assert {"insert_items", "update_items", "delete_items"} <= names(lite)
    assert "insert_cheap" not in names(lite)


def test_sqlite_crud(lite: pathlib.Path) -> None:
    with connected(lite, "sqlite:///shop.db", writable=True) as box:
        made = box.call("shop", "insert_items", {"name": HOSTILE, "price": "1.50", "made": "2026-01-02T03:04:05", "data": "AAEC", "active": True, "odd_name_drop": HOSTILE})  # fmt: skip
        assert made == {"inserted": 1, "key": {"id": 1}}
        assert box.call("shop", "get_items", {"id": 1})["row"] == {
            "id": 1,
            "name": HOSTILE,
            "price": "1.50",
            "made": "2026-01-02T03:04:05",
            "data": "AAEC",
            "active": True,
            "odd name; drop": HOSTILE,
        }
        assert box.call("shop", "list_items", {"name": HOSTILE})["rows"][0]["id"] == 1
        assert box.call("shop", "list_items", {"name": "' or 1=1 --"})["rows"] == []
        assert box.call("shop", "update_items", {"id": 1, "name": "y"}) == {"updated": 1}
        assert box.call("shop", "count_items", {"name": "y"}) == {"count": 1}
        assert box.call("shop", "list_cheap", {})["rows"] == [{"id": 1, "name": "y"}]
        assert box.call("shop", "delete_items", {"id": 1}) == {"deleted": 1}


@pytest.mark.parametrize("column", ["nope", "name; drop table items", "1"])
def test_order_is_one_of_the_columns(lite: pathlib.Path, column: str) -> None:
    with connected(lite, "sqlite:///shop.db") as box, pytest.raises(UsageError) as caught:
        box.call("shop", "list_items", {"order_by": column})
    assert caught.value.code == "api.invalid-argument"


@pytest.mark.parametrize("sql", [*WRITES, "pragma query_only = off", "attach 'other.db' as o", "vacuum"])  # fmt: skip
@pytest.mark.parametrize("writable", [False, True])
def test_sqlite_query_cannot_write(lite: pathlib.Path, sql: str, writable: bool) -> None:
    with connected(lite, "sqlite:///shop.db", writable=writable) as box:
        with pytest.raises(AtipError) as caught:
            box.call("shop", "query", {"sql": sql})
        assert caught.value.code in {"api.not-a-select", "api.database"}
        assert box.call("shop", "query", {"sql": "select count(*) as n from items"}) == {
            "rows": [{"n": 0}],
            "more": False,
        }


def test_read_only_file_stays_read_only_even_for_a_forged_operation(lite: pathlib.Path) -> None:
    with connected(lite, "sqlite:///shop.db", writable=True):
        pass
    output = json.loads((lite / "codegen.config.json").read_text())
    output["sources"]["database"]["shop"]["writable"] = False
    (lite / "codegen.config.json").write_text(json.dumps(output))
    with (
        OperationCaller(load_config(str(lite)), access=ApiAccess(env={})) as box,
        pytest.raises(UsageError) as caught,
    ):
        box.call("shop", "insert_items", {"name": "x"})
    assert caught.value.code == "api.read-only"


def test_postgres_types_round_trip(server: str, tmp_path: pathlib.Path) -> None:
    row = {
        "name": HOSTILE,
        "price": "12345678901234.123456",
        "made": "2026-01-02T03:04:05+00:00",
        "born": "2000-02-29",
        "data": "AAEC/w==",
        "active": False,
        "tags": ["a'b", '"', "{}"],
        "doc": {"k": [1, None, "ü"]},
        "u": "12345678-1234-5678-1234-567812345678",
        "feeling": "happy",
        "big": 9007199254740993,
    }
    with connected(tmp_path, server, writable=True) as box:
        key = box.call("shop", "insert_items", row)["key"]
        assert box.call("shop", "get_items", key)["row"] == {**key, **row}
        with pytest.raises(UsageError):
            box.call("shop", "insert_items", {"name": "x", "feeling": "angry"})
        assert box.call("shop", "insert_parts", {"item": key["id"], "number": 1})["inserted"] == 1
        with pytest.raises(UsageError) as caught:
            box.call("shop", "delete_parts", {"item": key["id"]})
        assert caught.value.code == "api.invalid-argument"
        assert box.call("shop", "delete_parts", {"item": key["id"], "number": 1}) == {"deleted": 1}


def test_postgres_names_are_quoted(server: str, tmp_path: pathlib.Path) -> None:
    with connected(tmp_path, server, writable=True) as box:
        box.call("shop", "insert_we_ird_name", {"id": 7, "x_y": HOSTILE})
        assert box.call("shop", "list_we_ird_name", {"x_y": HOSTILE})["rows"] == [
            {"id": 7, "x'y": HOSTILE}
        ]


@pytest.mark.parametrize("sql", [*WRITES, "select set_config('transaction_read_only', 'off', false); delete from items", "copy items to '/tmp/x'", "do $$ begin delete from items; end $$"])  # fmt: skip
@pytest.mark.parametrize("writable", [False, True])
def test_postgres_query_cannot_write(
    server: str, tmp_path: pathlib.Path, sql: str, writable: bool
) -> None:
    with connected(tmp_path, server, writable=writable) as box:
        with pytest.raises(AtipError) as caught:
            box.call("shop", "query", {"sql": sql})
        assert caught.value.code in {"api.not-a-select", "api.database"}
        tables = "select count(*) as n from information_schema.tables where table_name = 'items'"
        assert box.call("shop", "query", {"sql": tables})["rows"] == [{"n": 1}]


def test_postgres_transaction_stays_read_only(server: str, tmp_path: pathlib.Path) -> None:
    with connected(tmp_path, server) as box:
        found = box.call("shop", "query", {"sql": "select current_setting('transaction_read_only') as r"})  # fmt: skip
        assert found["rows"] == [{"r": "on"}]
        with pytest.raises(AtipError):
            box.call("shop", "query", {"sql": "select set_config('transaction_read_only', 'off', false)"})  # fmt: skip
        bound = box.call("shop", "query", {"sql": "select cast(:v as text) as v", "values": {"v": HOSTILE}})  # fmt: skip
        assert bound["rows"] == [{"v": HOSTILE}]
        many = box.call("shop", "query", {"sql": "select * from generate_series(1, 50) n", "limit": 10})  # fmt: skip
        assert (len(many["rows"]), many["more"]) == (10, True)


def test_comments_become_descriptions(server: str, tmp_path: pathlib.Path) -> None:
    connected(tmp_path, server).close()
    lines = (tmp_path / "codegen/shop/operations.jsonl").read_text().splitlines()
    told = next(json.loads(line) for line in lines if line.startswith('{"name":"list_items"'))
    assert told["description"] == "what we sell"
    assert "in euros" in told["inputSchema"]["properties"]["price"]["description"]


@pytest.mark.parametrize("role", ["tester", "filer"])
def test_a_role_that_reads_files_of_the_server_is_refused(
    server: str, tmp_path: pathlib.Path, role: str
) -> None:
    address = server.replace("seller", role)
    with connected(tmp_path, address) as box:
        for name, words in (
            ("query", {"sql": "select pg_read_file('PG_VERSION')"}),
            ("list_items", {}),
        ):
            with pytest.raises(AtipError) as caught:
                box.call("shop", name, words)
            assert caught.value.code == "api.database-role"
    with connected(tmp_path, address, unsafe_superuser=True) as box:
        assert box.call("shop", "query", {"sql": "select 1 as n"})["rows"] == [{"n": 1}]


@pytest.mark.parametrize(
    "sql",
    [
        "select zeroblob(1600000000) as z",
        "select hex(zeroblob(100000000)) as z",
        "select group_concat(a.name || zeroblob(9000000)) from (select 'x' as name union all select 'y') a",
    ],
)
def test_sqlite_makes_no_huge_values(lite: pathlib.Path, sql: str) -> None:
    with connected(lite, "sqlite:///shop.db") as box, pytest.raises(AtipError) as caught:
        box.call("shop", "query", {"sql": sql})
    assert "too big" in caught.value.message or "string or blob" in caught.value.message


def test_sqlite_answers_are_bounded_as_a_whole(lite: pathlib.Path) -> None:
    sql = "with recursive n(i) as (select 1 union all select i+1 from n) select zeroblob(9000000) as z from n"
    with connected(lite, "sqlite:///shop.db") as box, pytest.raises(UsageError) as caught:
        box.call("shop", "query", {"sql": sql, "limit": 1000})
    assert caught.value.code == "api.too-large"


def test_sqlite_queries_end(lite: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atip.apis.database.engine.STATEMENT_MS", 300)
    sql = "with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n"
    with connected(lite, "sqlite:///shop.db") as box, pytest.raises(AtipError) as caught:
        box.call("shop", "query", {"sql": sql})
    assert "interrupted" in caught.value.message
