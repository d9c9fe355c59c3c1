"""JSON without `json`: the same values, the same refusals."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.model.reading import plain_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_writing_is_what_json_writes(value):
    assert plain_json.dumps(value) == json.dumps(value, ensure_ascii=False)


@given(st.text(alphabet=' \t\n\r{}[]",:0123456789.eE+-tfnuralsINy\\u00e4\ufeff\x00', max_size=30))
def test_reading_is_what_json_reads(text):
    def outcome(read):
        try:
            return repr(read(text))
        except ValueError as error:
            return f"{type(error).__name__}: {error}"

    assert outcome(plain_json.loads) == outcome(json.loads)


@given(VALUES, st.sampled_from(["", " ", "\n\t", " x"]))
def test_reading_what_was_written_with_space_around(value, around):
    text = around + json.dumps(value) + around
    try:
        expected = repr(json.loads(text))
    except ValueError as error:
        with pytest.raises(ValueError, match=r"Expecting|Extra"):
            plain_json.loads(text)
        assert str(error)
        return
    assert repr(plain_json.loads(text)) == expected


def test_hooks_are_called():
    text = '{"a": 1, "a": 2.5, "b": NaN}'
    found = plain_json.loads(
        text,
        object_pairs_hook=list,
        parse_int=str,
        parse_float=lambda t: t + "!",
        parse_constant=str.lower,
    )
    assert found == [("a", "1"), ("a", "2.5!"), ("b", "nan")]


def test_what_cannot_be_written_is_refused():
    with pytest.raises(TypeError):
        plain_json.dumps({"a": object()})
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError):
        plain_json.dumps(loop)


def test_a_good_document_is_read_without_json_or_re():
    code = (
        "import sys; from atip.model.reading.plain_json import dumps, loads; dumps(loads('{\"a\": [1, 2.5, null]}'));"
        "print(sorted({'json', 're', 'enum'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_broken_document_is_refused_where_json_was_never_imported():
    program = (
        "import sys; from atip.model.reading.plain_json import loads\n"
        "assert 'json' not in sys.modules\n"
        "try: loads('{\"a\" 1}')\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("Expecting ':' delimiter"), done.stderr
