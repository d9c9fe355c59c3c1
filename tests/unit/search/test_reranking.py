"""The second pass: what each feature says of a command, and that the first hits change places and nothing else."""

from __future__ import annotations

import math
import random

import pytest

from atip import Command, Tool
from atip.search.index import SearchIndex
from atip.search.reranking import (
    FIRST,
    GIANT,
    OVER_ALL,
    WEIGHTS,
    FirstHit,
    RequestWord,
    SearchRequest,
    order,
)
from atip.search.stems import stem
from atip.search.store.vectors import WordVectors


class AsFound(SearchIndex):
    """Without a second pass."""

    def _order(self, request, candidates):
        return list(range(len(candidates)))


class Weighted(SearchIndex):
    """With other weights."""

    weights: tuple[float, ...] = ()

    def _order(self, request, candidates):
        return order(request, candidates, self.weights)


def request(*words: str) -> SearchRequest:
    return SearchRequest([RequestWord(stem(word), 1.0) for word in words])


def feature(name: str, asked: SearchRequest, one: FirstHit) -> float:
    return dict(zip(WEIGHTS, asked.features(one), strict=True))[name]


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("score", ["copy", "file"], 0.7),
        ("score", ["all", "copy"], 0.7 + 2 / 3),
        ("score", ["store", "copy", "all"], 1.7),
        ("score", ["store", "copy"], 0.7),
        ("text", ["copy", "file"], 1.0),
        ("text", ["copy", "store", "book", "page"], 0.5),
        ("unknown", ["copy"], 1.0),
        ("answered", ["copy", "file", "folder"], 1.0),
        ("answered", ["copy"], 1 / 3),
        ("named", ["copy"], 0.5),
        ("named", ["all", "copy"], 1.0),
        ("named", ["store"], 0.0),
        ("own name", ["copy"], 1.0),
        ("own name", ["store"], 0.0),
        ("verb", ["copy", "book"], 1.0),
        ("verb", ["book", "copy"], 0.0),
        ("pairs", ["copy", "file"], 1.0),
        ("pairs", ["file", "copy"], 0.0),
        ("pairs", ["copy"], 0.0),
        ("depth", ["copy"], 1.0),
    ],
)
def test_a_feature_says_what_it_is_named_after(name, words, expected):
    one = FirstHit("store", ["copy-all"], "Copy files to another folder", score=0.7)
    assert feature(name, request(*words), one) == pytest.approx(expected)


def test_a_near_synonym_answers_a_word_of_the_summary():
    asked = SearchRequest([RequestWord("duplic", 1.0, ["copi"])])
    one = FirstHit("store", [], "Copy files")
    assert feature("answered", asked, one) == 0.5
    assert feature("text", asked, one) == 0.0


def test_what_the_lexicon_knows_of_a_command_counts_beside_its_text():
    asked = SearchRequest(
        [RequestWord("book", 1.0, lexicon=([3 << 8 | 51, 7 << 8 | 255], [7 << 8 | 102]))]
    )
    known = {number: FirstHit("a", [], "", number=number) for number in (3, 5, 7, None)}
    found = {number: feature("lexicon", asked, one) for number, one in known.items()}
    assert found == {3: pytest.approx(0.2), 5: 0.0, 7: 1.0, None: 0.0}
    said = FirstHit("a", [], "a book", number=3)
    assert (feature("text", asked, said), feature("lexicon", asked, said)) == (
        1.0,
        pytest.approx(0.2),
    )


def test_a_command_is_unknown_if_the_lexicon_does_not_have_it_and_its_tool_is_no_giant():
    asked = request("copy")
    assert feature("unknown", asked, FirstHit("a", [], "", number=0)) == 0.0
    assert feature("unknown", asked, FirstHit("a", [], "", commands=GIANT + 1)) == 0.0
    assert feature("unknown", asked, FirstHit("a", [], "")) == 1.0


def test_the_commands_of_a_tool_count_where_the_lexicon_does_not_have_it():
    asked = request("copy")
    assert feature("commands", asked, FirstHit("a", [], "")) == 0.0
    assert feature("commands", asked, FirstHit("a", [], "", commands=20)) == math.log(20)
    assert feature("commands", asked, FirstHit("a", [], "", commands=20, number=3)) == 0.0
    assert feature("commands", asked, FirstHit("a", [], "", commands=GIANT + 1)) == 0.0


def test_of_equal_commands_that_with_a_similar_intent_is_first():
    plain, similar = FirstHit("a", [], "Copy"), FirstHit("b", [], "Copy", similar=0.3)
    assert order(request("copy"), [plain, similar], OVER_ALL) == [1, 0]


def test_the_size_of_a_tool_is_the_number_of_its_commands_and_itself():
    tools = [
        Tool(name="store", commands={"add": Command(), "list": Command()}),
        Tool(name="alone", description="Alone"),
    ]
    with SearchIndex() as index:
        index.put(tools)
        assert index.storage.sizes({"store", "alone", "missing"}) == {"store": 3, "alone": 1}


def test_meaning_is_told_of_words_that_differ():
    words = [RequestWord(stem(word), 1.0) for word in ("shrink", "picture")]
    asked = SearchRequest(words, WordVectors())
    near, far = FirstHit("a", [], "Resize images"), FirstHit("b", [], "Print the calendar")
    assert feature("meaning", asked, near) > feature("meaning", asked, far) + 0.1
    assert feature("meaning", SearchRequest(words), near) == 0.0


def test_of_a_long_description_the_first_sentence_is_read():
    long = f"Copy files. {'More about books and how they are kept here. ' * 5}"
    assert feature("text", request("book"), FirstHit("store", [], long)) == 0.0


def test_equal_commands_keep_their_order():
    one = FirstHit("store", [], "Copy files")
    assert order(request("copy"), [one, one, one], OVER_ALL) == [0, 1, 2]


def test_of_equal_scores_the_command_that_says_the_words_side_by_side_is_first():
    apart = FirstHit("a", [], "Copy folders and merge files")
    together = FirstHit("b", [], "Merge folders and copy files")
    assert order(request("copy", "file"), [apart, together], OVER_ALL) == [1, 0]


VERBS = ("list", "copy", "delete", "rename", "print", "sort", "count", "merge")
THINGS = ("files", "books", "users", "lines", "images", "branches", "ports", "archives")


def library(chance: random.Random) -> list[Tool]:
    def text() -> str:
        words = chance.sample(VERBS, 2) + chance.sample(THINGS, 2)
        return f"{words[0]} {words[2]} and {words[1]} {words[3]}"

    def commands() -> dict[str, Command]:
        return {
            f"{chance.choice(VERBS)}-{place}": Command(description=text())
            for place in range(chance.randrange(4))
        }

    return [
        Tool(name=f"tool{number}", description=text(), commands=commands()) for number in range(60)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_only_the_first_hits_change_places(seed):
    chance = random.Random(seed)
    tools = library(chance)
    with AsFound() as plain, Weighted() as again:
        again.weights = tuple(chance.uniform(-2, 2) for _ in WEIGHTS)
        plain.put(tools)
        again.put(tools)
        moved = 0
        for _ in range(20):
            words = f"{chance.choice(VERBS)} {chance.choice(THINGS)} {chance.choice(THINGS)}"
            before, after = (index.search(words, limit=50) for index in (plain, again))
            moved += before != after
            assert {hit.line for hit in before[:FIRST]} == {hit.line for hit in after[:FIRST]}
            assert before[FIRST:] == after[FIRST:]
            assert [hit.score for hit in before] == [hit.score for hit in after]
            few, more = (again.search(words, limit=limit) for limit in (3, FIRST // 2))
            assert few == more[:3]
        assert moved


def test_within_a_tool_other_weights_hold():
    commands = {
        "reduce": Command(description="Make images smaller"),
        "tell": Command(description="Print the calendar"),
    }
    with SearchIndex() as index:
        index.put([Tool(name="big", description="", commands=commands)])
        questions = []
        index._order = lambda request, hits: questions.append(request) or list(range(len(hits)))
        index.search("make a picture", tool="big")
        index.search("make a picture of the calendar")
        assert [question.is_within for question in questions] == [True, False]


def test_a_curated_intent_stays_first_whatever_the_weights():
    with Weighted() as index:
        index.weights = (-1.0, *[1.0] * (len(WEIGHTS) - 1))
        others = [Tool(name=f"open{n}", description="list open ports") for n in range(30)]
        index.put([Tool(name="ss", description="another utility"), *others])
        assert index.search("list open ports")[0].tool == "ss"
        assert index.search("list some other open ports now")[0].tool != "ss"
