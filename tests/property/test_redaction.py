"""Laws of redaction: pieces do not matter, twice is once, known values never survive."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.execution.redaction import secret_rules
from atip.execution.redaction.redact import Redactor, redact

TOKEN = b"ghp_" + b"a1B2c3D4e5F6" * 3
KEY = b"-----BEGIN PRIVATE KEY-----\n" + b"MIIEpAIBAAKCAQEAx3kQ9vZbT1wYc8\n" * 2
FRAGMENTS = [
    TOKEN,
    KEY,
    b"-----END PRIVATE KEY-----",
    b"password=hunter2x9",
    b"token: ",
    b"https://u:pw1234@h/",
    b"AKIAZ7Q4Z7Q4Z7Q4Z7Q4",
    b"[github-token:redacted]",
    b":redacted]",
    b"\x1b[31m",
    b"\x1b]0;title\x07",
    b"\xe2\x80\x8b",
    b"\n",
    b" ",
    b"secret='",
    b"'",
    b"s3same0pen",
    b"eyJhbGciOiJI.eyJzdWIiOiIx.c2ln",
    b"x" * 50,
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=12), max_size=12).map(b"".join)
KNOWN = (b"s3same0pen", b"redacted-ish", b"token")


def in_pieces(data: bytes, cuts: list[int], known=KNOWN) -> bytes:
    redactor = Redactor(known)
    out = b""
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        out += redactor.feed(data[start:end])
    return out + redactor.finish()


@settings(max_examples=1000, deadline=None)
@given(texts, st.data())
def test_pieces_do_not_matter(data, draw):
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=8).map(sorted))
    assert in_pieces(data, cuts) == redact(data, KNOWN).data


@settings(max_examples=1000, deadline=None)
@given(texts)
def test_twice_is_once(data):
    once = redact(data, KNOWN).data
    assert redact(once, KNOWN).data == once


@settings(max_examples=1000, deadline=None)
@given(
    st.text('abcXYZ019-_/+=[]:redact "\\', min_size=4, max_size=40).map(str.encode), texts, texts
)
def test_known_values_never_survive(value, before, after):
    shown = redact(before + value + after, (value,)).data
    for kind in secret_rules.KINDS:
        shown = shown.replace(b"[" + kind.encode() + b":redacted]", b"\0\0")
    assert value not in shown


@pytest.mark.parametrize("filler", [b"", b"A" * 9000, b"a b " * 6000])
def test_cut_at_every_byte_gives_the_same(filler):
    middle = b"x " + TOKEN + b" password='tr0ub4dor&3' " + KEY + b"-----END PRIVATE KEY-----\n"
    data = filler + middle + filler
    whole = redact(data).data
    assert TOKEN not in whole
    for cut in range(len(filler), len(filler) + len(middle) + 1):
        assert in_pieces(data, [cut], ()) == whole


def test_byte_by_byte_across_windows_gives_the_same():
    data = (b"A" * 8100 + b" token=" + TOKEN + b" ") * 4
    cuts = list(range(1, len(data), 97))
    assert in_pieces(data, cuts, ()) == redact(data).data
