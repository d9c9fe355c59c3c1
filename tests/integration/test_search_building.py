"""A search while the index is being built says so and answers from what is there; after a scan it builds nothing."""

from __future__ import annotations

import os

import pytest

import atip
from atip.model.tool import Tool
from atip.search.upkeep import FILE, LOCK, open_index
from atip.system.files import locked
from atip.workflows.search.find import BUILDING
from tests.cli.run import atip as run_atip

MANY = {f"tool{n}": "1" for n in range(300)}


def load(name: str) -> Tool:
    return Tool(name=name, description=f"does what {name} does")


def refuse(name: str) -> Tool:
    raise AssertionError(f"{name} was read")


def test_while_another_holds_the_lock_the_index_is_what_is_there(tmp_path):
    folder = str(tmp_path)
    open_index(folder, "a", lambda: {"tool7": "1"}, load).close()
    with (
        locked(os.path.join(folder, LOCK)),
        open_index(folder, "b", lambda: MANY, refuse) as index,
    ):
        assert not index.is_complete
        assert [hit.tool for hit in index.search("tool7")] == ["tool7"]
    with open_index(folder, "b", lambda: MANY, load) as index:
        assert index.is_complete
        assert len(index.storage.stamps()) == 300
    with open_index(folder, "b", lambda: MANY, refuse) as index:
        assert index.is_complete


def test_a_build_that_was_interrupted_goes_on_with_the_rest(tmp_path):
    read: list[str] = []

    def interrupted(name: str) -> Tool:
        read.append(name)
        if len(read) == 250:
            raise KeyboardInterrupt
        return load(name)

    with pytest.raises(KeyboardInterrupt):
        open_index(str(tmp_path), "a", lambda: MANY, interrupted)
    rest: list[str] = []

    def noted(name: str) -> Tool:
        rest.append(name)
        return load(name)

    with open_index(str(tmp_path), "a", lambda: MANY, noted) as index:
        assert len(index.storage.stamps()) == 300
    assert len(rest) == 100
    assert set(read[:200]).isdisjoint(rest)


def test_the_first_search_after_a_scan_writes_nothing_to_the_index(tmp_path):
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    (programs / "leaf").write_text("#!/bin/sh\necho 'Count the pages of a book'\n")
    (programs / "leaf").chmod(0o755)
    assert run_atip("scan", "--path", str(programs), home=home).code == 0
    index = next(home.rglob(FILE))
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    assert run_atip("search", "leaf", home=home).code == 0
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before


def test_the_command_line_says_that_the_index_is_being_built(tmp_path):
    box = atip.Toolbox(home=str(tmp_path))
    box.store.put({name: {"path": "/bin/true", "hash": "sha256:00"} for name in MANY})
    with locked(os.path.join(box.places.data, LOCK)):
        ran = run_atip("search", "tool7", home=tmp_path)
        assert BUILDING in ran.err
        document = run_atip("search", "tool7", "--json", home=tmp_path).document
    assert document["notices"] == [BUILDING]
