"""Words: stems, what counts of a request, spelling, packed postings."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.search.requests.spelling import correct, is_one_edit
from atip.search.stems import stem
from atip.search.store.postings import FULL, impact_of, pack, unpack
from atip.search.store.segments import BLOCK, Directory, entries_at, packed, unpacked
from atip.search.store.text_rows import TextRow
from atip.search.store.text_rows import packed as packed_texts
from atip.search.text import (
    MAX_TERMS,
    name_terms,
    normal_phrase,
    phrase_key,
    read_request,
    terms_of,
    value_kinds,
    with_compounds,
    words_of,
)


@pytest.mark.parametrize(
    "family",
    [
        ("copy", "copies", "copied", "copying"),
        ("create", "creates", "created", "creating"),
        ("list", "lists", "listed", "listing"),
        ("stop", "stops", "stopped", "stopping"),
        ("file", "files"),
        ("archive", "archives", "archived", "archiving"),
        ("repository", "repositories"),
        ("convert", "converts", "converted", "converting"),
    ],
)
def test_a_family_of_words_has_one_stem(family):
    assert len({stem(word) for word in family}) == 1


def test_different_words_keep_different_stems():
    for left, right in (("contain", "container"), ("news", "new"), ("policy", "police")):
        assert stem(left) != stem(right)


@given(st.text(st.characters(categories=("Ll",)), max_size=20))
def test_any_word_has_a_stem_that_is_not_longer_by_more_than_a_letter(word):
    assert len(stem(word)) <= len(word) + 1


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    assert len(read_request(text)) <= MAX_TERMS
    assert all(term.weight > 0 for term in read_request(text))
    assert terms_of(text) == [term for word in words_of(text) for term in terms_of(word)]


def test_ascii_and_other_letters_are_cut_alike():
    assert words_of("Größe_der-Datei 42") == ["größe", "der", "datei", "42"]
    assert words_of("Size_of-file 42") == ["size", "of", "file", "42"]


def test_names_fall_apart():
    assert name_terms("listPods") == name_terms("list-pods") == name_terms("list_pods")
    assert name_terms("listPods") == [stem("list"), stem("pods")]


def test_values_and_filler_count_less_than_what_is_wanted():
    terms = {
        term.word: term.weight
        for term in read_request("find specific text 'secret word' in /etc/hosts")
    }
    assert terms["find"] == terms["text"] == 1.0
    assert terms["specific"] < 0.5
    assert terms["secret"] < 0.5
    assert terms["hosts"] < 0.5
    assert "in" not in terms


def test_what_is_wanted_counts_more_than_how_and_where():
    terms = read_request("list files in folders, sorted by size")
    assert [(term.word, term.aside) for term in terms] == [
        ("list", 0), ("files", 0), ("folders", 1), ("sorted", 2), ("size", 3),
    ]  # fmt: skip
    central = [term.central for term in terms]
    assert central[0] == central[1] == terms[0].weight
    assert central[1] > central[2] > central[3] > central[4]
    assert read_request("a, " * 50 + "b")[-1].central > 0


def test_two_words_are_one_where_a_name_is_written_so():
    def joined(text: str) -> list[str]:
        return [term.word for term in with_compounds(read_request(text), text, {"login", "backup"})]

    assert joined("log in to a server") == ["login", "log", "server"]
    assert joined("back up and log in") == ["backup", "back", "up", "login", "log"]
    assert joined("login, log in") == ["login", "log"]
    assert joined("check out a branch") == ["check", "out", "branch"]


def test_a_request_of_function_words_alone_is_still_read():
    assert [term.word for term in read_request("who is it")] == ["who", "is", "it"]
    assert read_request("") == []


def test_one_spelling_for_what_a_person_calls_the_same():
    assert normal_phrase("  Restore\tEMAILS!? ") == "restore emails"
    assert normal_phrase("ﬁnd") == "find"
    assert normal_phrase("delete") != normal_phrase("d\u0435lete")


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [
        ("commit", "comit", True),
        ("commit", "commmit", True),
        ("commit", "conmit", True),
        ("commit", "ocmmit", True),
        ("commit", "commit", False),
        ("commit", "omit", False),
        ("commit", "tommic", False),
    ],
)
def test_one_edit_is_one_letter_or_two_neighbours(left, right, near):
    assert is_one_edit(left, right) is near


def test_only_a_longer_word_is_corrected_and_only_by_its_first_letter():
    known = ["archiv", "archi", "zarchiv"]
    assert correct("archivve", lambda low, high: [t for t in known if low <= t < high]) == "archiv"
    assert correct("ls", lambda low, high: known) is None
    assert correct("42424242", lambda low, high: known) is None


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1))
def test_postings_come_back_as_they_were(entries):
    assert list(unpack(pack(array("I", entries)))) == entries


@pytest.mark.parametrize("damaged", [None, "text", b"abc", -1, 2**40, 1.5])
def test_damaged_postings_say_nothing(damaged):
    assert list(unpack(damaged)) == []


def test_a_word_matters_less_in_a_long_text_and_never_more_than_all():
    assert FULL >= impact_of(3.0, 2) > impact_of(1.0, 2) > impact_of(1.0, 20) > 0


# -- rows of the index ---------------------------------------------------------------------------


def test_a_segment_of_many_terms_comes_back_and_each_term_is_found():
    lists = {f"t{number}": array("I", range(number % 5 + 1)) for number in range(3 * BLOCK + 1)}
    blocks = dict(enumerate(packed(lists)))
    assert dict(pair for block in blocks.values() for pair in unpacked(*block)) == lists
    directory = Directory((7, number, block[0]) for number, block in blocks.items())
    for term, entries in lists.items():
        ((number, place),) = directory.find(term)
        assert entries_at(place, *blocks[number][1:]) == entries
    assert directory.find("nobody") == directory.find("") == directory.find("zzz") == []
    assert directory.between("t1", "t2") == {term for term in lists if "t1" <= term < "t2"}


def test_a_damaged_block_or_text_row_says_nothing():
    assert list(entries_at(3, b"", b"")) == []
    assert list(entries_at(0, b"abc", None)) == []
    assert TextRow(1, 2, b"", b"", "").row(1) is None


@given(st.lists(st.tuples(st.text(), st.text(), st.text(), st.integers(0, 2**11)), max_size=9))
def test_a_text_row_keeps_any_text(documents):
    texts = [text for document in documents for text in document[:3]]
    facts = [fact for *_, bits in documents for fact in (bits, bits)]
    row = TextRow(5, 5 + len(documents) - 1, *packed_texts(texts, facts))
    assert [row.row(5 + place) for place in range(len(documents))] == [
        (*document[:3], document[3], document[3]) for document in documents
    ]
    assert row.row(4) is None
    assert row.row(5 + len(documents)) is None


def test_words_of_speech_do_not_change_a_request():
    assert [term.word for term in read_request("which directory am I in right now, please")] == [
        "directory"
    ]
    assert phrase_key("which directory am I in right now") == phrase_key("which directory am I in")


def test_values_of_a_request_have_a_kind_that_it_does_not_say():
    assert value_kinds("unpack backup.tar.gz into /srv/www") == {"file", stem("directory")}
    assert value_kinds("is example.com or 10.0.0.1 reachable") == {"host"}


def test_project_files_are_not_values():
    assert all(term.weight == 1.0 for term in read_request("install from package.json"))
    assert read_request("open report.docx")[1].weight < 1.0
