"""How a tool speaks: JSON flags, exit codes, streams, values."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.execution.output.conventions import (
    USUAL,
    message_of,
    parse_output,
    read_conventions,
    with_json,
)


def test_a_block_is_read_with_the_reserved_meanings():
    found = read_conventions(
        {"default_format": "json", "json_flag": "--json", "json_flag_args": ["number,title"],
         "exit_codes": {"3": "nothing_found", 4: "auth_required"}, "stream": "mixed", "error_stream": "stdout"}
    )  # fmt: skip
    assert found.json_flag == ("--json", "number,title")
    assert (found.exit_codes[3], found.exit_codes[124], found.exit_codes[0]) == (
        "nothing_found",
        "timeout",
        "ok",
    )
    assert (found.stream, found.error_stream) == ("mixed", "stdout")
    assert read_conventions(None) is USUAL


@pytest.mark.parametrize(
    "block",
    [
        [], {"unknown": 1}, {"stream": "nowhere"}, {"json_flag": "rm"}, {"json_flag": "--a b c"},
        {"json_flag": "--json", "json_flag_args": ["--exec=x"]}, {"exit_codes": {"x": "y"}},
        {"exit_codes": {"999": "y"}}, {"default_format": "html"}, {"json_flag": "-o --x"},
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(block):
    with pytest.raises(FormatError):
        read_conventions(block)


def test_the_flag_is_added_once_and_before_the_operands_that_follow_dashes():
    gh = read_conventions({"json": "--output json"})
    assert with_json(("t", "list"), gh) == ("t", "list", "--output", "json")
    assert with_json(("t", "--output", "text"), gh) == ("t", "--output", "text")
    assert with_json(("t", "--output=text"), gh) == ("t", "--output=text")
    assert with_json(("t", "--", "x"), gh) == ("t", "--output", "json", "--", "x")
    assert with_json(("t",), USUAL) == ("t",)


def test_documents_and_lines_become_values():
    assert parse_output('{"a": [1, 2]}\n') == {"a": [1, 2]}
    assert parse_output('{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]
    for text in ("", "hello", '{"a": 1, "a": 2}', '{"a": 1}\nhello\n', "NaN"):
        with pytest.raises(FormatError):
            parse_output(text)


def test_the_exit_code_says_which_stream_speaks():
    mixed = read_conventions({"stream": "stderr", "error_stream": "mixed"})
    assert message_of("out", "err", failed=False, conventions=USUAL) == "out"
    assert message_of("out", "err", failed=True, conventions=USUAL) == "err"
    assert message_of("out", "", failed=True, conventions=USUAL) == "out"
    assert message_of("out", "err", failed=False, conventions=mixed) == "err"
    assert message_of("out", "err", failed=True, conventions=mixed) == "out\nerr"
