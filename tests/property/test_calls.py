"""Laws of calls: building and reading are inverse, names are unique, values stay values."""

from __future__ import annotations

import getopt

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from atip.calls.build import arguments_of, build
from atip.calls.functions import find_function, function_table, functions_of
from atip.calls.names import function_name
from atip.calls.parse import parse
from atip.calls.spelling import is_default
from atip.errors import FormatError
from atip.model.reading.decode import decode_tool
from tests.property.calls import HOSTILE, TEXT, calls, tools

SLOW = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
REFUSALS = {
    # what may be refused although the types fit: nothing else
    "call.injection", "call.ambiguous", "call.no-negation", "call.ambiguous-value", "call.gap",
    "call.shadowed-option", "call.leading-dash", "call.missing-argument",
}  # fmt: skip


def without_defaults(function, values):
    return {k: v for k, v in values.items() if not is_default(function.parameters[k], v)}


@pytest.mark.proves(
    "ATIP6-3.2-07", "ATIP6-3.4-04", "ATIP6-3.5-02", "ATIP6-3.5-07", "ATIP6-4.5-05", "ATIP6-11-08"
)
@SLOW
@given(calls())
def test_reading_an_argv_gives_back_the_call(call):
    function, values = call
    try:
        built = build(function, values)
    except FormatError as error:
        assert {problem.code for problem in error.problems} <= REFUSALS, error.problems
        return
    assert all(isinstance(word, str) and "\0" not in word for word in built.argv)
    assert built.argv[0] == function.tool.name
    if len(function.nodes) == len(function.path):
        read = arguments_of(function, parse(function.tool, built.argv))
        places = {k for k, i in function.parameters.items() if not hasattr(i, "flags")}
        read = {k: v for k, v in read.items() if k in values or k not in places}
        assert without_defaults(function, read) == without_defaults(function, values)


PLAIN = decode_tool(
    {
        "atip": {"version": "0.6"}, "name": "t", "version": "1", "description": "d",
        "commands": {"do": {
            "description": "d",
            "arguments": [
                {"name": "src", "type": "file", "description": ""},
                {"name": "rest", "type": "string", "variadic": True, "required": False, "description": ""},
            ],
            "options": [
                {"name": "msg", "flags": ["-m", "--msg"], "type": "string", "description": ""},
                {"name": "out", "flags": ["-o"], "type": "file", "description": ""},
                {"name": "tag", "flags": ["--tag"], "type": "string", "variadic": True, "description": ""},
                {"name": "force", "flags": ["-f", "--force"], "type": "boolean", "description": ""},
            ],
        }},
    }
)  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(
    st.fixed_dictionaries(
        {"src": HOSTILE | TEXT},
        optional={
            "rest": st.lists(HOSTILE | TEXT, max_size=3),
            "msg": HOSTILE | TEXT,
            "out": HOSTILE | TEXT,
            "tag": st.lists(HOSTILE | TEXT, max_size=3),
            "force": st.booleans(),
        },
    )
)
def test_hostile_values_add_no_options_for_another_parser(values):
    """The standard library's getopt is the reference parser: it counts exactly the options that were given."""
    function = find_function(PLAIN, ("do",))
    try:
        argv = build(function, values).argv
    except FormatError:
        return
    assert argv[:2] == ("t", "do")
    seen, rest = getopt.gnu_getopt(list(argv[2:]), "m:o:f", ["msg=", "tag=", "force"])
    expected = [("--msg", values["msg"])] if "msg" in values else []
    expected += [("-o", values["out"])] if "out" in values else []
    expected += [("--tag", tag) for tag in values.get("tag", ())]
    expected += [("--force", "")] if values.get("force") else []
    assert seen == expected
    assert rest == [values["src"], *values.get("rest", ())]


@SLOW
@given(tools())
def test_every_function_has_a_legal_name_of_its_own(tool):
    table = function_table([tool])
    assert len(table) == len(functions_of(tool))
    assert len({function.path for function in table.values()}) == len(table)
    for name, function in table.items():
        assert 1 <= len(name) <= 64
        assert name.isascii() and all(c.isalnum() or c in "_-" for c in name)
        assert name[0].isalpha() or name[0] == "_"
        assert function.name == name


WORD = st.text("ab_-.é 7", min_size=1, max_size=4) | st.text("ab_", min_size=1, max_size=40)


@settings(max_examples=3000, deadline=None)
@given(st.lists(WORD, min_size=1, max_size=4), st.lists(WORD, min_size=1, max_size=4))
def test_two_paths_never_share_a_name(left, right):
    assume(left != right)
    assert function_name(left[0], tuple(left[1:])) != function_name(right[0], tuple(right[1:]))
