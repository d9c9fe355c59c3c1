from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.pages.search_pieces import BLOCK, MAX_PIECE, SHOWN, index_files, words_of

WORDS = st.text("abcdefgs0é_- ", min_size=1, max_size=12)


def lookup(files, word):
    """As the script of the page does."""
    top = json.loads(files["search/index.json"])
    if not (word[:8].isascii() and word[:8].isalnum()):
        piece = "_"
    else:
        piece = max((p for p in top["pieces"] if word.startswith(p)), key=len, default="")
    postings = json.loads(files[f"search/p-{piece}.json"])["words"][word]
    found = set()
    for _weight, *distances in postings:
        number = 0
        for distance in distances:
            number += distance
            found.add(number)
    return found


@settings(deadline=None)  # a busy machine is not a fault
@given(st.dictionaries(st.integers(0, 200), st.tuples(WORDS, WORDS), max_size=40))
def test_every_word_leads_to_its_documents(texts):
    documents = {n: (f"t/{n}/", name, text, "safe") for n, (name, text) in texts.items()}
    files = index_files(documents)
    for number, (name, text) in texts.items():
        block = json.loads(files[f"search/d-{number // BLOCK}.json"])
        assert block[str(number)] == [f"t/{number}/", name, text, "safe"]
        for word in {*words_of(name), *words_of(text)}:
            assert number in lookup(files, word)


def test_one_piece_holds_all_that_a_query_of_one_word_shows():
    documents = {
        n: (f"t/{n}/", f"tool{n} list" if n % 2 else f"list{n}", "list", "safe") for n in range(50)
    }
    held = json.loads(index_files(documents)["search/p-l.json"])
    [[_weight, first, *distances], *_lighter] = held["words"]["list"]
    best = [first + sum(distances[:count]) for count in range(SHOWN)]
    assert best == list(range(1, 20, 2))
    assert [held["documents"][str(number)][1] for number in best] == [f"tool{n} list" for n in best]


def test_numbers_beyond_the_count_of_documents_are_covered():
    documents = {0: ("t/a/", "a1", "", "safe"), 7: ("t/b/", "b1", "", "safe")}
    assert json.loads(index_files(documents)["search/index.json"])["documents"] == 8


def test_large_pieces_are_split():
    documents = {
        n: (f"t/tool{n}/", f"tool{n:05d} list", f"lists things of kind c{n % 977:03d}x", "safe")
        for n in range(5000)
    }
    files = index_files(documents)
    pieces = {name: data for name, data in files.items() if "/p-" in name}
    assert max(map(len, pieces.values())) < 2 * MAX_PIECE
    assert 4999 in lookup(files, "tool04999")
    assert len(files["search/index.json"]) < 20_000


def test_words_of_ascii_are_those_of_any_text():
    text = "The snake_case, kebab-case & CamelCase of 2 files' \x1f names\x7f (v1.2)\n\tend"
    assert words_of(f"{text} é") == [*words_of(text), "é"]
    assert words_of(text)[:5] == ["snake", "case", "kebab", "case", "camelcase"]
