"""A database as the source `shop` of a project, and the lines that must not change it."""

from __future__ import annotations

import json
import typing

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.interface import ApiAccess
from atip.apis.sync.syncing import sync

if typing.TYPE_CHECKING:
    import pathlib

HOSTILE = "x'; drop table items; --"


def connected(folder: pathlib.Path, url: str, **more: typing.Any) -> OperationCaller:
    told = {"sources": {"database": {"shop": {"type": "database", "url": url, **more}}}, "language": "python"}  # fmt: skip
    (folder / "codegen.config.json").write_text(json.dumps(told))
    access = ApiAccess(env={"PW": "unused"})
    report = sync(load_config(str(folder)), access)
    assert report.is_complete, report.sources[0].to_json()
    return OperationCaller(load_config(str(folder)), access=access)


WRITES = [
    "insert into items (name) values ('x')",
    "delete from items",
    "drop table items",
    "update items set name = 'x'",
    "select 1; delete from items",
    "/* select */ delete from items",
    "-- select\ndelete from items",
    "with x as (select 1) delete from items",
    "create table y (a int)",
]
