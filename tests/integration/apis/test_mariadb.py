"""A real MariaDB as a source: rows, types, injection, reading alone, rights of the account, limits."""

from __future__ import annotations

import json
import os
import typing

import pytest

from atip.errors import AtipError, UsageError
from tests.integration.apis.databases import HOSTILE, WRITES, connected
from tests.packages import package
from tests.simulators.mariadb import mariadb

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

SCHEMA = """
create database shop character set utf8mb4;
use shop;
create table items (id int auto_increment primary key, name varchar(200) not null, price decimal(20,6) comment 'in euros',
    made datetime(6), born date, opens time, data varbinary(100), picture mediumblob, active boolean,
    feeling enum('happy', 'sad'), tags set('a', 'b'), big bigint unsigned, year year, flags bit(9), doc json,
    ratio double, total decimal(20,6) as (price * 2) stored) comment 'what we sell';
create table parts (item int references items(id), number int, primary key (item, number));
create table `we;ird ``name` (id int primary key, `x'y` text);
create table memo (id int primary key, word text) engine=aria;
create view cheap as select id, name from items;
create sequence numbers;
create function sneak() returns int begin insert into memo values (1, 'x'); return 1; end;
create user seller; grant all on shop.* to seller;
create user filer; grant file on *.* to filer; grant select on shop.* to filer;
create role clerk; grant file on *.* to clerk; create user temp; grant clerk to temp;
grant select on shop.* to temp; set default role clerk for temp
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    package("sqlalchemy")
    pymysql = package("pymysql")
    with mariadb() as number:
        flags = pymysql.constants.CLIENT.MULTI_STATEMENTS
        with (
            pymysql.connect(host="127.0.0.1", port=number, user="root", client_flag=flags) as admin,
            admin.cursor() as cursor,
        ):
            cursor.execute(SCHEMA)
            while cursor.nextset():
                pass
        yield number


@pytest.fixture(params=["mysql", "mariadb"])
def server(port: int, request: pytest.FixtureRequest) -> str:
    return address(port, request.param)


def address(port: int, scheme: str = "mysql", user: str = "seller") -> str:
    return f"{scheme}://{user}@127.0.0.1:{port}/shop"


def code(box: typing.Any, name: str, words: dict[str, typing.Any]) -> str:
    with pytest.raises(AtipError) as caught:
        box.call("shop", name, words)
    return caught.value.code


@pytest.mark.proves("ATM-A-91")
def test_rows_and_types_round_trip(server: str, tmp_path: pathlib.Path) -> None:
    row = {
        "name": HOSTILE + "ü😀",
        "price": "12345678901234.123456",
        "made": "2026-01-02T03:04:05.000006",
        "born": "2000-02-29",
        "opens": "08:30:00",
        "data": "AAEC/w==",
        "picture": "iVBORw==",
        "active": 1,
        "feeling": "happy",
        "tags": ["a", "b"],
        "big": 18446744073709551615,
        "year": 1999,
        "flags": 257,
        "doc": '{"k": [1, null]}',
        "ratio": 0.1,
    }
    with connected(tmp_path, server, writable=True) as box:
        key = box.call("shop", "insert_items", row)["key"]
        found = box.call("shop", "get_items", key)["row"]
        assert found == {**key, **row, "total": "24691357802468.246912"}
        assert box.call("shop", "update_items", {**key, "name": "y"}) == {"updated": 1}
        assert box.call("shop", "count_items", {"name": "y"}) == {"count": 1}
        assert box.call("shop", "list_cheap", key)["rows"] == [{**key, "name": "y"}]
        assert code(box, "insert_items", {"name": "x", "feeling": "angry"}) == "api.invalid-argument"  # fmt: skip
        assert code(box, "insert_items", {"name": "x", "data": "not base64"}) == "api.invalid-argument"  # fmt: skip
        assert code(box, "delete_parts", {"item": 1}) == "api.invalid-argument"
        assert box.call("shop", "delete_items", key) == {"deleted": 1}
        assert box.call("shop", "get_items", key) == {"row": None}


def test_times_beyond_a_day_are_read_as_text(port: int, tmp_path: pathlib.Path) -> None:
    with connected(tmp_path, address(port)) as box:
        rows = box.call("shop", "query", {"sql": "select cast('-30:00:01' as time) as t"})["rows"]
        assert rows == [{"t": "-30:00:01"}]


def test_names_are_quoted_and_values_bound(server: str, tmp_path: pathlib.Path) -> None:
    hostile = [HOSTILE, "\\' or 1=1 -- ", "\\", "%s", ":name", "/*! drop table items */"]
    with connected(tmp_path, server, writable=True) as box:
        for number, text in enumerate(hostile):
            box.call("shop", "insert_we_ird_name", {"id": number, "x_y": text})
            rows = box.call("shop", "list_we_ird_name", {"x_y": text})["rows"]
            assert rows == [{"id": number, "x'y": text}]
            bound = {"sql": "select :v as v", "values": {"v": text}}
            assert box.call("shop", "query", bound)["rows"] == [{"v": text}]
            box.call("shop", "delete_we_ird_name", {"id": number})
        assert code(box, "list_items", {"order_by": "name; drop table items"}) == "api.invalid-argument"  # fmt: skip


def test_comments_become_descriptions(port: int, tmp_path: pathlib.Path) -> None:
    connected(tmp_path, address(port)).close()
    lines = (tmp_path / "codegen/shop/operations.jsonl").read_text().splitlines()
    told = next(json.loads(line) for line in lines if line.startswith('{"name":"list_items"'))
    assert told["description"] == "what we sell"
    assert "in euros" in told["inputSchema"]["properties"]["price"]["description"]


MYSQL_WRITES = [
    "/*!50000 delete from memo */",
    "/*M! delete from memo */",
    "select 5--1; delete from memo",
    "select 1 # ;\n; delete from memo",
    "select nextval(numbers)",
    "select sneak()",
    "set session transaction read write",
    "call sneak()",
    "load data local infile '/etc/passwd' into table memo",
    "handler memo open",
    "kill 1",
]


@pytest.mark.parametrize("writable", [False, True])
def test_query_cannot_write(port: int, tmp_path: pathlib.Path, writable: bool) -> None:
    with connected(tmp_path, address(port), writable=writable) as box:
        for sql in [*WRITES, *MYSQL_WRITES]:
            assert code(box, "query", {"sql": sql}) in {"api.not-a-select", "api.database"}, sql
        left = "select (select count(*) from memo) as rows_left, @@tx_read_only as locked"
        assert box.call("shop", "query", {"sql": left})["rows"] == [{"rows_left": 0, "locked": 1}]


def test_locks_of_a_query_end_with_it(port: int, tmp_path: pathlib.Path) -> None:
    with connected(tmp_path, address(port)) as box:
        box.call("shop", "query", {"sql": "select get_lock('shop-lock', 0) as got"})
        free = box.call("shop", "query", {"sql": "select is_free_lock('shop-lock') as free"})
        assert free["rows"] == [{"free": 1}]


@pytest.mark.parametrize("user", ["root", "filer", "temp"])
def test_an_account_that_reads_files_of_the_server_is_refused(
    port: int, tmp_path: pathlib.Path, user: str
) -> None:
    with connected(tmp_path, address(port, user=user)) as box:
        stolen = {"sql": "select load_file('/etc/hostname') as f"}
        assert code(box, "query", stolen) == "api.database-role"
        assert code(box, "list_memo", {}) == "api.database-role"
    with connected(tmp_path, address(port, user=user), unsafe_superuser=True) as box:
        assert box.call("shop", "query", {"sql": "select 1 as n"})["rows"] == [{"n": 1}]


def test_the_files_of_the_server_stay_closed(port: int, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out.txt"
    os.chmod(tmp_path, 0o777)
    with connected(tmp_path, address(port)) as box:
        read = box.call("shop", "query", {"sql": "select load_file('/etc/hostname') as f"})
        assert read["rows"] == [{"f": None}]
        assert code(box, "query", {"sql": f"select 1 into outfile '{out}'"}) == "api.database"
    assert not out.exists()


def test_queries_end_and_answers_are_bounded(
    port: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "with recursive n(i) as (select 1 union all select i+1 from n where i < 900) select * from n"
    large = "with recursive n(i) as (select 1 union all select i+1 from n where i < 60) select i, repeat('x', 1000000) as z from n"
    with connected(tmp_path, address(port)) as box:
        found = box.call("shop", "query", {"sql": many, "limit": 10})
        assert (len(found["rows"]), found["more"]) == (10, True)
        assert code(box, "query", {"sql": large, "limit": 1000}) == "api.too-large"
        monkeypatch.setattr("atip.apis.database.engine.STATEMENT_MS", 200)
        assert code(box, "query", {"sql": "select sleep(20)"}) == "api.database"


def test_reading_is_the_default_and_a_password_is_never_shown(
    port: int, tmp_path: pathlib.Path
) -> None:
    connected(tmp_path, address(port)).close()
    lines = (tmp_path / "codegen/shop/operations.jsonl").read_text()
    assert '"insert_items"' not in lines
    with pytest.raises(AssertionError) as caught:
        connected(tmp_path, address(port).replace("seller@", "seller:hunter2secret@"))
    assert "hunter2secret" not in str(caught.value)


def test_a_forged_operation_does_not_write(port: int, tmp_path: pathlib.Path) -> None:
    with connected(tmp_path, address(port), writable=True):
        pass
    config = tmp_path / "codegen.config.json"
    config.write_text(config.read_text().replace('"writable": true', '"writable": false'))
    from atip.apis.calling import OperationCaller
    from atip.apis.config import load_config
    from atip.apis.interface import ApiAccess

    with (
        OperationCaller(load_config(str(tmp_path)), access=ApiAccess(env={})) as box,
        pytest.raises(UsageError) as caught,
    ):
        box.call("shop", "insert_items", {"name": "x"})
    assert caught.value.code == "api.read-only"
