"""Output in a Result is redacted first, then cut, and says what is missing."""

from __future__ import annotations

import json

import pytest

from atip.execution.output.finish import add_counts
from atip.execution.output.result import CapturedStream, Result, clean_output
from tests.shared import shared

TOKEN = b"ghp_" + b"a1B2c3D4e5F6" * 3


def gathered(data: bytes, max_bytes: int, piece: int = 7, known=()) -> CapturedStream:
    stream = CapturedStream("stdout", known, max_bytes)
    for start in range(0, len(data), piece):
        stream.take(data[start : start + piece])
    stream.end()
    return stream


def test_what_fits_is_whole():
    stream = gathered("größer\n".encode() * 3, 1000)
    assert (stream.text(), stream.truncated) == ("größer\n" * 3, False)


@pytest.mark.proves("ATIP6-11-10")
def test_what_does_not_fit_loses_its_middle_and_says_so():
    stream = gathered(b"".join(b"line %d\n" % n for n in range(10000)), 400)
    text = stream.text()
    assert stream.truncated
    assert text.startswith("line 0\n")
    assert text.endswith("line 9999\n")
    assert "bytes of stdout left out here" in text
    assert "--max-bytes" in text
    assert len(text) < 700


@pytest.mark.parametrize("max_bytes", range(40, 120, 3))
def test_no_part_of_a_secret_survives_the_cut(max_bytes):
    stream = gathered(b"a" * 40 + b" " + TOKEN + b" " + b"b" * 60, max_bytes)
    text = stream.text()
    assert all(TOKEN[place : place + 8].decode() not in text for place in range(len(TOKEN) - 8))


def test_memory_is_bounded():
    stream = CapturedStream("stdout", (), 10_000)
    for _ in range(200):
        stream.take(b"0123456789abcde\n" * 1024)
    stream.end()
    assert len(stream.text()) < 10_400


def test_counts_add_up():
    assert add_counts((("a", 1),), (("a", 2), ("b", 1))) == (("a", 3), ("b", 1))


def test_shown_text_has_nothing_that_moves_or_hides():
    for line in (shared("corpora/security/terminal") / "escapes.jsonl").read_text().splitlines():
        text = bytes.fromhex(json.loads(line)["bytes_hex"]).decode("utf-8", "surrogateescape")
        shown = Result(argv=("x",), exit_code=0, stdout=text, stderr=text).text
        assert all(character.isprintable() or character in "\n\t" for character in shown)


def test_lines_and_tabs_stay():
    assert clean_output("a\tb\r\nc\n") == "a\tb\nc\n"
    assert clean_output("hidden\rshown") == "hidden\\u{d}shown"
