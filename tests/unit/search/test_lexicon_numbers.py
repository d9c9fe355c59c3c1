"""The shipped lexicon: programs share a number, and so their phrases, only while the pack describes them together."""

from __future__ import annotations

import pytest

from atip.search.lexicon import Lexicon
from scripts.compile_lexicon import THIN, add, intents, read_bags


@pytest.fixture(scope="module")
def numbers() -> dict[str, int]:
    return Lexicon().names()


def test_commands_of_different_entries_have_numbers_of_their_own(numbers):
    owners: dict[int, set[str]] = {}
    for one in intents():
        if one.line in numbers and any((*one.phrases, *one.below, one.summary)):
            name = "python" if one.line == "python3" else one.line  # a version of it
            owners.setdefault(numbers[one.line], set()).add(name)
    assert {n: found for n, found in owners.items() if len(found) > 1} == {}


def test_versions_of_a_program_share_the_number_of_its_plain_name(numbers):
    assert numbers["pip3.11 install"] == numbers["pip install"]
    assert numbers["gcc-12"] == numbers["g++-12"] == numbers["gcc"]


def test_further_texts_raise_impacts_and_count_less_where_much_is_known():
    known = {f"word{at}": [2 << 8 | 50] for at in range(THIN + 1)}
    profile = {"copi": [1 << 8 | 200], **known}
    texts = [
        '{"name": "one", "text": "copy folders folders folders"}',
        '{"name": "two", "text": "folders folders folders"}',
    ]
    add(profile, {"one": 1, "two": 2}, read_bags(texts))
    assert profile["copi"] == [1 << 8 | 200]  # what was said more strongly stays
    thin, known_well = profile["folder"]
    assert (thin >> 8, known_well >> 8) == (1, 2)
    assert known_well & 255 == (thin & 255) // 2
