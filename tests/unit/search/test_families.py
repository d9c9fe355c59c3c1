"""Programs that the knowledge pack describes together: a phrase means the main one, and the others where that is not installed."""

from __future__ import annotations

import pytest

from atip import Tool
from atip.search.index import SearchIndex
from atip.search.store.places import find_places
from atip.search.text import VALUE_WEIGHT, read_request


def first(words, *names):
    with SearchIndex() as index:
        index.put([Tool(name=name, description=f"The program {name}") for name in names])
        return index.search(words)[0].line


@pytest.mark.parametrize(
    ("words", "main", "other"),
    [
        ("number of cpus", "lscpu", "lsblk"),
        ("list sessions", "loginctl", "timedatectl"),
        ("add a user to a group", "usermod", "chage"),
    ],
)
def test_a_phrase_means_the_main_program_and_else_a_relative(words, main, other):
    assert first(words, other, main) == main
    assert first(words, other, "tar") == other


def test_an_equal_phrase_beats_every_word_of_another_program():
    with SearchIndex() as index:
        index.put([Tool(name="whoami"), Tool(name="usertool", description="Which user am I, user")])
        assert index.search("which user am i")[0].line == "whoami"


def test_the_main_name_stands_for_all_names_of_a_number():
    places = find_places(
        [(1, 10), (1, 20), (2, 30)],
        3,
        lambda numbers: dict.fromkeys(numbers, "main"),
        [(2, 3)],
        {"main": (20, 20)}.get,
    )
    assert list(places.documents) == [0, 20, 30, 30]
    assert places.twins == [(20, 10)]
    assert places.numbers == {10: 1, 20: 1, 30: 2}


@pytest.mark.parametrize("value", ["20", "example.org", "10.0.0.1", "notes.txt"])
def test_numbers_hosts_and_paths_count_as_values(value):
    weights = {term.word: term.weight for term in read_request(f"show {value}")}
    assert weights.pop("show") == 1.0
    assert set(weights.values()) == {VALUE_WEIGHT}
