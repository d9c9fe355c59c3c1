"""Main names: a program with several names is shown under its main one, unless the request says another."""

from __future__ import annotations

from atip.search.requests.main_names import by_main_names, mains_first
from atip.search.store.hits import to_hit
from atip.search.store.places import LexiconPlaces

PLACES = LexiconPlaces(documents=[1], twins=[(1, 2)], numbers={1: 0, 2: 0})


def shown(words: list[str], summary: str = "Compile") -> list[str]:
    hits = [
        to_hit(("c++", "", summary, 0, 0), 2.0),
        to_hit(("gcc", "", "Compile", 0, 0), 1.0),
    ]
    documents = {("c++", ()): 2, ("gcc", ()): 1}
    return [
        f"{hit.line} {hit.score}" for hit in by_main_names(hits[:1], hits, documents, PLACES, words)
    ]


def test_main_name_stands_in_the_place_of_another():
    assert shown(["compile", "main", "c"]) == ["gcc 2.0"]


def test_name_that_the_request_says_stays():
    assert shown(["compile", "with", "c++"]) == ["c++ 2.0"]


def test_program_with_another_summary_stays():
    assert shown(["compile"], summary="Compile C++") == ["c++ 2.0"]


def test_main_name_comes_before_its_other_names_unless_the_request_says_one():
    hits = [
        to_hit(("slogin", "", "Log in", 0, 0), 3.0),
        to_hit(("scp", "", "Copy", 0, 0), 2.0),
        to_hit(("ssh", "", "Secure shell", 0, 0), 1.0),
    ]
    documents = {("ssh", ()): 1, ("slogin", ()): 2, ("scp", ()): 3}

    def order(words: list[str]) -> list[str]:
        return [f"{hit.line} {hit.score}" for hit in mains_first(hits, documents, PLACES, words)]

    assert order(["log", "in"]) == ["ssh 3.0", "scp 2.0", "slogin 1.0"]
    assert order(["slogin"]) == ["slogin 3.0", "scp 2.0", "ssh 1.0"]
