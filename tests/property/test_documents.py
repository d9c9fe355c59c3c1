"""Laws of reading and writing documents."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.errors import FormatError
from atip.model.reading.decode import decode
from atip.model.reading.encode import encode
from atip.model.reading.reader import read_json
from atip.model.reading.yaml_reader import read_yaml
from atip.model.shapes.check import check_tool
from tests.property import documents
from tests.property.random_documents import random_document

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.proves("ATIP6-12.2-03", "ATIP6-12.2-01")
@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(documents.TOOL)
def test_encode_after_decode_is_the_identity(document):
    assert encode(decode(json.dumps(document).encode()).tool) == document


@pytest.mark.proves("ATIP6-12.2-03")
def test_two_thousand_random_documents_come_back_as_they_were():
    for seed in range(2000):
        document = random_document(random.Random(seed))
        assert encode(decode(json.dumps(document).encode(), strict=True).tool) == document, seed


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(documents.TOOL)
def test_decode_after_encode_is_the_identity(document):
    tool = decode(document).tool
    assert decode(encode(tool)).tool == tool


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(documents.TOOL)
def test_generated_documents_have_no_errors_in_strict_mode(document):
    assert [p for p in check_tool(document, "strict") if p.severity == "error"] == []


@settings(max_examples=1000, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_raise_anything_but_format_error(data):
    for read in (read_json, read_yaml):
        try:
            read(data)
        except FormatError as error:
            assert error.problems


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
@given(
    documents.TOOL.flatmap(
        lambda document: st.tuples(
            st.just(document), st.sampled_from(sorted(document)), documents.JSON
        )
    )
)
def test_no_value_in_any_field_makes_decode_raise_anything_but_format_error(case):
    document, field, value = case
    for mode in (True, False):
        try:
            decode({**document, field: value}, strict=mode)
        except FormatError as error:
            assert all(problem.path.startswith("$") for problem in error.problems)


@settings(max_examples=500, deadline=None)
@given(documents.JSON)
def test_json_that_python_can_write_is_read_as_python_reads_it(value):
    text = json.dumps(value)
    assert read_json(text.encode()) == json.loads(text)
