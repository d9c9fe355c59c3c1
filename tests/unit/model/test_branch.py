"""Branches of a large document: what a line could mean is whole, and all branches together are what was split."""

from __future__ import annotations

import copy

import pytest

from atip.model.reading.branch import LARGE, OVERVIEW, is_large, is_part, joined, split
from atip.model.reading.decode import decode_tool
from atip.model.shapes.check import check_tool


def document(services: int) -> dict:
    operation = {"description": "Do it", "options": [{"name": "x", "flags": ["--x"]}]}
    commands = {
        f"service{number}": {
            "description": f"Service {number}",
            "aliases": [f"s{number}"],
            "commands": {f"op{one}": operation for one in range(30)},
        }
        for number in range(services)
    }
    return {"atip": {"version": "0.6"}, "name": "cloud", "version": "1", "commands": commands}


def kept(whole: dict) -> tuple[dict, dict[str, dict]]:
    branches: dict[str, dict] = {}

    def keep(branch: dict) -> str:
        branches[f"place {len(branches)}"] = branch
        return f"place {len(branches) - 1}"

    return split(whole, keep), branches


MANY = LARGE // 30 + 5


def test_all_branches_together_are_the_document():
    whole = document(MANY)
    whole["commands"]["alone"] = {"description": "No branch"}
    before = copy.deepcopy(whole)
    outline, branches = kept(whole)
    assert len(branches) == MANY and len(str(outline)) < len(str(whole)) / 10
    assert joined(outline, (), branches.__getitem__) == whole == before
    assert not is_part(whole)
    assert joined(outline, ("nothing", "of it"), branches.__getitem__) == whole
    assert joined(whole, ("service1",), branches.__getitem__) is whole  # was never split


def test_an_outline_says_what_it_leaves_out():
    outline, branches = kept(document(MANY))
    assert outline["partial"] and outline["totalCommands"] == MANY * 30
    assert outline["omitted"]["safetyAssumption"] == "unknown"
    assert [p for p in check_tool(outline, "lenient") if p.severity == "error"] == []
    assert is_part(outline) and not is_large(outline)
    assert joined(outline, OVERVIEW, branches.__getitem__) is outline
    part = joined(outline, ("service3",), branches.__getitem__)
    assert is_part(part) and part["includedCommands"] == 30 + MANY - 1


@pytest.mark.parametrize("word", ["service7", "s7"])
def test_the_branch_that_a_line_names_is_whole_and_nothing_else_is_read(word):
    whole = document(MANY)
    outline, branches = kept(whole)
    read: list[str] = []
    fetch = lambda place: read.append(place) or branches[place]  # noqa: E731
    part = joined(outline, ("--region", "north", word, "op3"), fetch)
    assert read == ["place 7"]
    assert part["commands"]["service7"] == whole["commands"]["service7"]
    assert list(part["commands"]) == list(whole["commands"])
    assert decode_tool(part).find(("service7", "op3")) == decode_tool(whole).find(
        ("service7", "op3")
    )


@pytest.mark.parametrize("commands", [None, [], "x", {}, {"a": 1}, {"a": {"x-atip": 1}}])
def test_a_small_or_strange_document_is_left_alone(commands):
    strange = {"name": "x", "commands": commands}
    assert not is_large(strange)
    assert joined(strange, ("a",), lambda place: {}) is strange
    assert not is_large(document(3))
