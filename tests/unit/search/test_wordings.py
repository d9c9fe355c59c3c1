"""A request is like a curated intent whatever the order of its words, its values and its synonyms."""

from __future__ import annotations

import pytest

from atip import Tool
from atip.search.index import SearchIndex
from atip.search.store.wordings import FLOOR, MOST, likeness, strength, wording_postings
from atip.search.text import terms_of

PHRASES = (
    "restart a service",
    "delete a user",
    "show the size of a folder",
    "list open files of a process",
)
POSTINGS = wording_postings([terms_of(phrase) for phrase in PHRASES])
NEAR = {"remov": [("delet", 1.0)], "directori": [("folder", 1.0)]}


def like(words):
    request = dict.fromkeys(terms_of(words), 1.0)
    found = likeness(request, NEAR, POSTINGS, len(PHRASES))
    return {PHRASES[number]: value for number, value in found.items()}


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ("a service to restart", "restart a service"),
        ("restart the service nginx", "restart a service"),
        ("remove user bob", "delete a user"),
        ("size of the directory", "show the size of a folder"),
        ("which files has process 4312 open", "list open files of a process"),
    ],
)
def test_a_request_in_other_words_is_like_the_phrase(words, phrase):
    found = like(words)
    assert max(found, key=found.__getitem__) == phrase


@pytest.mark.parametrize("words", ["open", "restart every container of the cluster", "mail"])
def test_one_shared_word_of_several_is_not_enough(words):
    assert like(words) == {}


def test_the_phrase_itself_is_most_like_it():
    assert like("restart a service")["restart a service"] == pytest.approx(1.0, abs=0.01)
    assert like("delete a user")["delete a user"] > like("remove a user")["delete a user"] > FLOOR


def test_strength_grows_from_the_floor():
    assert strength(FLOOR, 3) == 0.0
    assert 0.0 < strength(FLOOR + 0.1, 3) < strength(1.0, 3) == MOST[0]


def test_long_request_gives_a_phrase_less_strength():
    assert [strength(1.0, words) for words in (1, 4, 5, 6, 20)] == [
        MOST[0],
        MOST[0],
        MOST[1],
        MOST[2],
        MOST[2],
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("service logs: show them for sshd", "journalctl"),
        ("the uuid a partition of /dev/sda1 has", "blkid"),
        ("change the owner of all the files in /srv/www to bob", "chown"),
    ],
)
def test_the_shipped_phrases_are_matched_in_any_order(words, expected):
    names = ("journalctl", "blkid", "chown", "logtool", "partman", "owners")
    texts = {
        "logtool": "Show service logs of a cloud",
        "partman": "Change a partition",
        "owners": "List owners of projects",
    }
    with SearchIndex() as index:
        index.put([Tool(name=name, description=texts.get(name, "A program")) for name in names])
        assert index.search(words)[0].tool == expected
