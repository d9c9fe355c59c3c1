"""A branch of a large document: what a line could mean stays whole, whatever else is cut."""

from __future__ import annotations

import pytest

from atip.model.branch import LARGE, branch_of
from atip.model.decode import decode_tool


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


@pytest.mark.parametrize("word", ["service7", "s7"])
def test_the_branch_that_a_line_names_is_whole_and_the_rest_an_outline(word):
    whole = document(LARGE // 30 + 5)
    before = repr(whole)
    part = branch_of(whole, ["--region", "north", word, "op3"])
    assert part["commands"]["service7"] == whole["commands"]["service7"]
    assert list(part["commands"]) == list(whole["commands"])
    assert part["commands"]["service8"] == {"description": "Service 8", "aliases": ["s8"]}
    assert decode_tool(part).find(("service7", "op3")) == decode_tool(whole).find(
        ("service7", "op3")
    )
    assert repr(whole) == before


@pytest.mark.parametrize("words", [(), ("nothing", "of", "it")])
def test_without_a_word_of_it_nothing_is_cut(words):
    whole = document(LARGE // 30 + 5)
    assert branch_of(whole, words) is whole


def test_a_small_document_is_never_cut_and_a_strange_one_left_alone():
    small = document(3)
    assert branch_of(small, ["service1"]) is small
    for commands in (None, [], "x", {"a": 1}):
        strange = {"name": "x", "commands": commands}
        assert branch_of(strange, ["a"]) == strange
