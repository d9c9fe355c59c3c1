"""The strict reader: what it refuses, with which code and path."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.model.reading.reader import ReadLimits, read_json
from atip.model.reading.yaml_reader import WrittenFloat, read_yaml, split_front_matter


def refusal(read, data, **given):
    with pytest.raises(FormatError) as caught:
        read(data, **given)
    problem = caught.value.problems[0]
    return problem.code, problem.path


@pytest.mark.proves("ATIP6-3.1-03")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', ("format.duplicate-key", "$.b.c")),
        (b'{"a": [1, NaN]}', ("format.not-finite", "$.a[1]")),
        (b'{"a": -Infinity}', ("format.not-finite", "$.a")),
        (b'{"a": 1e999}', ("format.number-range", "$.a")),
        (b'{"a": 123456789012345678901234}', ("format.number-range", "$.a")),
        (b'{"a": {"\\ud800": 1}}', ("format.surrogate", '$.a["?"]')),
        (b'{"a": "\\udfff"}', ("format.surrogate", "$.a")),
        (b"[" * 100 + b"]" * 100, ("format.too-deep", "$")),
        (b"[" * 100_000, ("format.too-deep", "$")),
        (b"\xef\xbb\xbf{}", ("format.bom", "$")),
        (b'{"a": "\xff"}', ("format.not-utf8", "$")),
        ('{"a": 1}'.encode("utf-16"), ("format.not-utf8", "$")),
        (b"", ("format.syntax", "$")),
        (b"{} {}", ("format.syntax", "$")),
        (b'{"a": 1,}', ("format.syntax", "$")),
        (b"{'a': 1}", ("format.syntax", "$")),
    ],
)
def test_json_that_could_mean_two_things_is_refused(data, expected):
    assert refusal(read_json, data) == expected
    assert refusal(read_json, data, fast_bytes=0) == expected


def test_limits_are_limits():
    tight = ReadLimits(max_bytes=20, max_keys=2, max_items=3)
    assert refusal(read_json, b'"' + b"x" * 20 + b'"', limits=tight)[0] == "format.too-large"
    assert refusal(read_json, b'{"a":1,"b":2,"c":3}', limits=tight)[0] == "format.too-many"
    assert refusal(read_json, b"[1,2,3,4]", limits=tight)[0] == "format.too-many"


def test_a_large_document_is_read_like_a_small_one():
    body = ", ".join(f'"k{i}": {{"text": "{"x" * 60}"}}' for i in range(4000))
    document = read_json(f"{{{body}}}".encode())
    assert len(document) == 4000
    twice = f'{{{body}, "k7": 1}}'.encode()
    assert refusal(read_json, twice) == ("format.duplicate-key", "$.k7")
    long = f'{{{body}, "long": -9999999999999999999}}'.encode()
    assert refusal(read_json, long) == ("format.number-range", "$.long")
    assert read_json(f'{{{body}, "float": 1.50, "escape": "\\u00e9"}}'.encode())["escape"] == "é"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"a: no\nb: on\nc: ~\nd: true", {"a": "no", "b": "on", "c": None, "d": True}),
        (b"0: zero\n1: one", {"0": "zero", "1": "one"}),
        (b"when: 2026-01-05", {"when": "2026-01-05"}),
        (b"n: 12\nm: 0.5", {"n": 12, "m": 0.5}),
    ],
)
def test_yaml_has_no_implicit_surprises(data, value):
    assert read_yaml(data) == value


def test_yaml_keeps_the_text_of_a_number_that_would_lose_it():
    version = read_yaml(b"version: 1.10")["version"]
    assert isinstance(version, WrittenFloat)
    assert version.text == "1.10"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"a: 1\na: 2", "format.duplicate-key"),
        (b"a: &x 1\nb: {<<: *x}", "format.merge-key"),
        (b"a: !!python/object:os.system x", "format.tag"),
        (b"a: .inf", "format.not-finite"),
        (b"a: 1\n---\nb: 2", "format.two-documents"),
        (b"? [a]\n: b", "format.key"),
        (b"a:\n\tb: 1", "format.tab-indent"),
        (b"[" * 3000, "format.too-deep"),
        (b"a: [1", "format.syntax"),
        (b"a: *missing", "format.syntax"),
        (b"a: &a [x]\n" + b"\n".join(b"k%d: *a" % i for i in range(70)), "format.too-many"),
    ],
)
def test_yaml_that_could_mean_two_things_is_refused(data, code):
    assert refusal(read_yaml, data)[0] == code


@pytest.mark.parametrize(("start", "end"), [(b'{"a":', b"}"), (b"[", b"]")])
def test_the_depth_limit_is_exact(start, end):
    limits = ReadLimits(max_depth=5)
    assert read_json(start * 5 + b"1" + end * 5, limits=limits)
    assert refusal(read_json, start * 6 + b"1" + end * 6, limits=limits)[0] == "format.too-deep"


def test_yaml_alias_bombs_are_bounded_by_what_they_stand_for():
    layers = [b"a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    layers += [
        b"a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d]" % (i, i, *[i - 1] * 6)
        for i in range(1, 10)
    ]
    assert refusal(read_yaml, b"\n".join(layers))[0] == "format.too-many"


def test_front_matter_ends_at_the_second_rule():
    assert split_front_matter("---\na: 1\n---\nbody\n---\nmore\n") == (
        "a: 1\n",
        "body\n---\nmore\n",
    )
    with pytest.raises(FormatError) as caught:
        split_front_matter("# no front matter\n")
    assert caught.value.code == "format.no-front-matter"
