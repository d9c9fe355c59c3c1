"""One index over everything: bundles that are installed, APIs that were synced."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3

import pytest

from atip.apis.config import load_config
from atip.apis.interface import ApiAccess
from atip.apis.sync.syncing import sync
from atip.bundles.state import Installation
from atip.toolbox import Toolbox
from tests.packages import package
from tests.shared import ROOT


@pytest.fixture
def box(tmp_path, monkeypatch) -> Toolbox:
    for name in [name for name in os.environ if name.startswith(("XDG_", "ATIP_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Toolbox(home=str(tmp_path))


def tools_found(box: Toolbox, words: str) -> set[str]:
    return {hit.tool for hit in box.search(words, 20)}


def test_operations_of_a_synced_api_are_found(box, tmp_path):
    package("sqlalchemy")
    folder = tmp_path / "work"
    with sqlite3.connect(folder / "shop.db") as database:
        database.execute("create table invoices (id integer primary key, customer text)")
    told = {
        "sources": {
            "database": {"shop": {"type": "database", "url": f"sqlite:///{folder}/shop.db"}}
        }
    }
    (folder / "codegen.config.json").write_text(json.dumps(told))
    assert tools_found(box, "list invoices") == set()
    config = load_config(str(folder))
    assert sync(config, ApiAccess(env={})).is_complete
    assert box.apis.remember(config, "shop") == "shop-api"
    hits = box.search("list invoices")
    assert hits[0].tool == "shop-api"
    assert "invoices" in hits[0].line.lower()
    assert {hit.tool for hit in box.search("invoices", available=True)} == {"shop-api"}


def test_an_installed_bundle_is_found(box, tmp_path):
    folder = tmp_path / "bundles" / "jq"
    shutil.copytree(ROOT / "examples" / "bundles" / "jq", folder)
    host = box.bundles()
    bundle = host.load(str(folder))
    assert tools_found(box, "filter json") == set()
    host.store.save(
        Installation(
            key=bundle.key,
            folder=str(folder),
            binary="/usr/bin/jq",
            digest="sha256:0",
            version="1.6",
            method="present",
        )
    )
    assert tools_found(box, bundle.manifest.description) == {f"bundle:{bundle.key}"}
    shutil.rmtree(folder)
    assert box.search("jq") is not None
