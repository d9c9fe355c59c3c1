"""Sync of what changed gives the same files as a sync in full."""

from __future__ import annotations

import copy
import json
import pathlib
import typing

import pytest

from atip.apis.config import load_config
from atip.apis.interface import open_access
from atip.apis.sync.syncing import sync

BASE: dict[str, typing.Any] = {
    "openapi": "3.0.3",
    "info": {"title": "T", "version": "1"},
    "servers": [{"url": "https://a.example.org"}],
    "components": {
        "schemas": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
            "B": {"type": "object", "properties": {"x": {"type": "string"}}},
            "C": {"type": "object", "properties": {"y": {"type": "string"}}},
        }
    },
    "paths": {
        f"/{name.lower()}": {
            "post": {
                "operationId": f"make{name}",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}},
            }
        }
        for name in "ABC"
    },
}  # fmt: skip


def changed(change: str) -> dict[str, typing.Any]:
    told = copy.deepcopy(BASE)
    if change == "summary":
        told["paths"]["/a"]["post"]["summary"] = "Changed"
    elif change == "shared part":
        told["components"]["schemas"]["B"]["properties"]["x"] = {"type": "integer"}
    elif change == "new operation":
        told["paths"]["/d"] = {"get": {"operationId": "getD"}}
    elif change == "removed operation":
        del told["paths"]["/b"]
    elif change == "new name that is taken":
        told["paths"]["/e"] = {"get": {"operationId": "make-A"}}
    elif change == "server":
        told["servers"] = [{"url": "https://b.example.org"}]
    elif change == "new method":
        told["paths"]["/a"]["get"] = {"operationId": "getA"}
    return told


def files(folder: pathlib.Path) -> dict[str, str]:
    """Everything generated, without the order of lists and without the state."""
    made = {}
    for path in sorted((folder / "codegen").rglob("*")):
        if path.is_file() and path.name != "state.json":
            text = path.read_text()
            lines = path.name in {"operations.jsonl", "index.txt", "index.ts", "__init__.py"}
            made[str(path.relative_to(folder))] = "\n".join(sorted(text.splitlines())) if lines else text  # fmt: skip
    manifest = json.loads((folder / ".agent-ready.json").read_text())
    del manifest["generated"]
    made["manifest"] = json.dumps(manifest, sort_keys=True)
    return made


def synced(folder: pathlib.Path, *documents: dict[str, typing.Any]) -> list[typing.Any]:
    folder.mkdir(exist_ok=True)
    told = {"sources": {"openapi": {"t": {"type": "openapi", "spec": "t.json"}}}}
    (folder / "codegen.config.json").write_text(json.dumps(told))
    reports = []
    for document in documents:
        (folder / "t.json").write_text(json.dumps(document))
        reports.append(sync(load_config(str(folder)), open_access()).sources[0])
    return reports


CHANGES = ["nothing", "summary", "shared part", "new operation", "removed operation", "new name that is taken", "server", "new method"]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_partial_sync_equals_a_full_one(tmp_path: pathlib.Path, change: str) -> None:
    synced(tmp_path / "partial", BASE, changed(change))
    synced(tmp_path / "full", changed(change))
    assert files(tmp_path / "partial") == files(tmp_path / "full")


@pytest.mark.parametrize(("change", "wrappers"), [("nothing", set()), ("summary", {"make_a"}), ("shared part", {"make_a", "make_b"})])  # fmt: skip
def test_only_what_is_touched_is_written(
    tmp_path: pathlib.Path, change: str, wrappers: set[str]
) -> None:
    folder = tmp_path / "partial"
    synced(folder, BASE)
    before = {path: path.stat().st_ino for path in (folder / "codegen/t").glob("make_*.py")}
    synced(folder, changed(change))
    after = {path: path.stat().st_ino for path in (folder / "codegen/t").glob("make_*.py")}
    assert {path.stem for path in after if before[path] != after[path]} == wrappers


def test_lost_state_means_a_full_sync(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "partial"
    synced(folder, BASE)
    (folder / "codegen/t/state.json").write_text("{")
    assert synced(folder, changed("summary"))[0].written >= 1
    synced(tmp_path / "full", changed("summary"))
    assert files(folder) == files(tmp_path / "full")


def test_one_source_of_several_leaves_the_others_in_the_manifest(tmp_path: pathlib.Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(BASE))
    told = {"sources": {"openapi": {name: {"type": "openapi", "spec": "t.json"} for name in ("one", "two")}}}  # fmt: skip
    (tmp_path / "codegen.config.json").write_text(json.dumps(told))
    config = load_config(str(tmp_path))
    sync(config, open_access())
    before = (tmp_path / ".agent-ready.json").read_text()
    report = sync(config, open_access(), only=("two",))
    assert [source.name for source in report.sources] == ["two"]
    assert (tmp_path / ".agent-ready.json").read_text() == before
