"""The public CMP vectors, and the blocks of the specification, through the adapter that outsiders use."""

from __future__ import annotations

import json

import pytest

from benchmarks.adapters.vectors import cmp_cases
from tests.shared import shared
from tests.unit.codecs.cmp_examples import jot, spec_tools


def misses(folder) -> list[tuple[str, str]]:
    cases = list(cmp_cases(folder))
    assert cases
    return [(name, why) for name, right, why in cases if not right]


@pytest.mark.proves("CMP-5.2-04", "CMP-4.1-07", "CMP-9-01")
def test_public_vectors():
    assert misses(shared("vectors/cmp")) == []


@pytest.mark.proves("CMP-4.1-01", "CMP-2-02")
def test_the_tools_of_the_text_and_our_own(tmp_path):
    for number, documents in enumerate([jot(), *spec_tools()]):
        folder = tmp_path / str(number) / "cmp"
        folder.mkdir(parents=True)
        for name, document in documents.items():
            (folder / f"{name}.json").write_text(json.dumps(document))
    assert misses(tmp_path) == []


def test_a_wrong_answer_is_a_miss(tmp_path):
    folder = tmp_path / "x" / "cmp"
    folder.mkdir(parents=True)
    documents = jot(version="wrong")
    documents["capability"]["intents"][1]["patterns"] = ["list notes"]
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    assert [name for name, _ in misses(tmp_path)] == [
        "x is valid",
        "x 'list notes'",
        "x 'list notes'",
    ]
