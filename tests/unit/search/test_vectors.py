"""Vectors of words: the shipped table is whole, small and says where it is from; sums and cosines are exact."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest

from atip.search.stems import stem
from atip.search.store.vectors import MOST_WORDS, NOUGHT, PATH, WordVectors
from atip.search.text import terms_of

BUDGET = 4_000_000


def parts() -> tuple[dict, list[str], bytes]:
    with open(PATH, "rb") as file:
        about = json.loads(file.readline())
        data = file.read()
    end = len(data) - about["words"] * about["dimensions"]
    return about, data[:end].decode().splitlines(), data[end:]


def test_the_shipped_table_is_whole_and_small():
    about, words, rows = parts()
    assert len(words) == about["words"] > 10_000
    assert words == sorted(set(words))
    assert all(word == word.strip() and word for word in words)
    assert len(rows) == about["words"] * about["dimensions"]
    assert 0 not in rows  # a row is a byte from 1 to 255 around NOUGHT
    assert os.path.getsize(PATH) <= BUDGET


def test_the_shipped_table_says_model_and_license():
    about, _, _ = parts()
    assert "all-MiniLM-L6-v2" in about["source"]
    assert "Apache License 2.0" in about["source"]


def table(path, words: dict[str, list[int]]) -> WordVectors:
    about = {"dimensions": len(next(iter(words.values()))), "words": len(words), "source": "a test"}
    rows = b"".join(bytes(value + NOUGHT for value in words[word]) for word in sorted(words))
    path.write_bytes(f"{json.dumps(about)}\n{chr(10).join(sorted(words))}\n".encode() + rows)
    return WordVectors(str(path))


def test_nearness_is_the_cosine_of_sums(tmp_path):
    words = {"a": [127, 0, -127], "b": [0, 50, 3], "c": [-1, 2, 3]}
    vectors = table(tmp_path / "v", words)
    aim = [2 * a + 0.5 * b for a, b in zip(words["a"], words["b"], strict=True)]
    text = [a + 2 * c for a, c in zip(words["a"], words["c"], strict=True)]
    expected = sum(map(float.__mul__, map(float, aim), map(float, text))) / (
        math.hypot(*aim) * math.hypot(*text)
    )
    direction = vectors.direction([("a", 2.0), ("unknown", 9.0), ("b", 0.5)])
    assert vectors.nearness(direction, ["a", "c", "nothing", "c"]) == pytest.approx(
        expected, abs=1e-6
    )


def test_a_long_text_does_not_overflow(tmp_path):
    vectors = table(tmp_path / "v", {"a": [127, -127], "b": [127, 127]})
    direction = vectors.direction([("a", 1.0)])
    assert vectors.nearness(direction, ["a"] * 10 * MOST_WORDS) == pytest.approx(1.0)
    assert vectors.nearness(direction, ["b"] * 10 * MOST_WORDS) == pytest.approx(0.0)


def test_unknown_words_are_near_nothing(tmp_path):
    vectors = table(tmp_path / "v", {"a": [1, 2]})
    assert vectors.direction([("z", 1.0)]) is None
    assert vectors.nearness(None, ["a"]) == 0.0
    assert vectors.nearness(vectors.direction([("a", 1.0)]), ["z"]) == 0.0
    assert vectors.nearness(vectors.direction([("a", 1.0)]), []) == 0.0


def test_without_the_file_nothing_is_near(tmp_path):
    vectors = WordVectors(str(tmp_path / "missing"))
    assert vectors.direction([("copi", 1.0)]) is None


@pytest.mark.parametrize(
    ("request_", "near", "far"),
    [
        ("shrink a picture", "Resize images", "Print the calendar"),
        ("fetch a web page", "Download files over HTTP", "Sort lines of text"),
        ("remove a directory", "Delete folders", "Show the system time"),
        ("talk to a database", "An interactive SQL client", "Compress archives"),
    ],
)
def test_texts_without_a_common_word_are_near_in_meaning(request_, near, far):
    vectors = WordVectors()
    assert not set(terms_of(request_)) & set(terms_of(near))
    direction = vectors.direction([(stem(word), 1.0) for word in request_.split()])
    found = [vectors.nearness(direction, terms_of(text)) for text in (near, far)]
    assert found[0] > found[1] + 0.1


def test_the_table_is_read_by_a_search_only():
    code = (
        "import sys, atip.search.index as i; from atip import Tool; x = i.SearchIndex();"
        "x.put([Tool(name='a', description='copy files'), Tool(name='b', description='copy folders')]);"
        "before = x.vectors.dimensions; x.search('copy things'); print(before, x.vectors.dimensions)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["0", "128"]
