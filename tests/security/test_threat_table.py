"""Every row of the threat table and every known way out has a test; every patch of the mutation check names rows."""

from __future__ import annotations

import ast
import functools
import tomllib

import pytest

from tests.shared import ROOT

TABLE = tomllib.loads((ROOT / "conformance/threats.toml").read_text())
DEFENCES = tomllib.loads((ROOT / "conformance/mutations.toml").read_text())["defence"]
ROWS = {row["row"]: row for row in TABLE["threat"]}


@functools.cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and (
        not name or name.split("[")[0].rpartition("::")[2] in names_in(path)
    )


def test_the_table_is_whole():
    assert sorted(ROWS) == list(range(1, len(TABLE["threat"]) + 1))
    assert len(ROWS) >= 36


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: str(row["row"]))
def test_every_threat_has_tests_or_says_why_not(row):
    assert bool(row["tests"]) != bool(row.get("open"))
    assert [test for test in row["tests"] if not exists(test)] == []


def test_every_way_out_is_tried():
    assert [test for test in TABLE["escape"].values() if not exists(test)] == []


def test_every_patch_still_applies_once_and_names_its_row_and_tests():
    for defence in DEFENCES:
        assert (ROOT / defence["file"]).read_text().count(defence["old"]) == 1, defence["id"]
        assert set(defence["threats"]) <= ROWS.keys(), defence["id"]
        assert defence["tests"] and all(exists(test) for test in defence["tests"]), defence["id"]


def test_every_threat_that_is_met_here_has_a_patch():
    """A defence that no patch switches off has not been seen to matter."""
    patched = {row for defence in DEFENCES for row in defence["threats"]}
    assert [number for number, row in ROWS.items() if row["tests"] and number not in patched] == []
