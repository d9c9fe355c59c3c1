"""Laws of the diff, on generated tools."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.diff.compare import diff
from atip.model.reading.decode import decode
from atip.model.reading.encode import encode

FACTS = st.fixed_dictionaries(
    {},
    optional={
        name: st.booleans() for name in ("network", "destructive", "idempotent", "reversible")
    },
)
PARAMETER = {
    "name": st.sampled_from("abc"),
    "type": st.sampled_from(["string", "integer", "boolean", "file"]),
    "description": st.sampled_from(["One", "Two"]),
}
OPTIONAL = {
    "required": st.booleans(),
    "default": st.sampled_from([None, 1, True, "x"]),
    "variadic": st.booleans(),
}
ARGUMENTS = st.lists(
    st.fixed_dictionaries(PARAMETER, optional=OPTIONAL), max_size=3, unique_by=lambda a: a["name"]
)
OPTIONS = st.lists(
    st.fixed_dictionaries(
        {**PARAMETER, "flags": st.lists(st.sampled_from(["-a", "-b", "--c"]), min_size=1)},
        optional=OPTIONAL,
    ),
    max_size=3,
    unique_by=lambda option: option["name"],
)
COMMANDS = st.dictionaries(
    st.sampled_from(["x", "y", "z"]),
    st.fixed_dictionaries(
        {"description": st.sampled_from(["One", "Two"])},
        optional={
            "effects": FACTS,
            "arguments": ARGUMENTS,
            "options": OPTIONS,
            "deprecated": st.booleans(),
            "aliases": st.lists(st.sampled_from(["x", "q"]), max_size=1),
            "x-vendor": st.integers(),
        },
    ),
)


@st.composite
def tools(draw):
    document = {
        "atip": {"version": draw(st.sampled_from(["0.4", "0.6"]))},
        "name": "tool",
        "version": "1",
        "description": "A tool",
        "commands": draw(COMMANDS),
        "effects": draw(FACTS),
    }
    return decode(document).tool


@given(tools())
def test_a_tool_does_not_differ_from_itself(tool):
    assert diff(tool, tool).changes == ()


@given(tools(), tools())
def test_nothing_differs_unseen(old, new):
    if encode(old) != encode(new):
        assert diff(old, new).changes


@given(tools(), tools())
def test_effects_move_the_other_way_when_read_backwards(old, new):
    opposite = {
        "more-dangerous": "less-dangerous",
        "less-dangerous": "more-dangerous",
        "changed": "changed",
    }
    there = {c.path: c.direction for c in diff(old, new).of("effects") if "effects" in c.path}
    back = {c.path: c.direction for c in diff(new, old).of("effects") if "effects" in c.path}
    for path in there.keys() & back.keys():
        assert opposite[there[path]] == back[path]


@given(tools(), tools())
def test_a_major_step_is_advised_exactly_when_something_breaks(old, new):
    found = diff(old, new)
    assert (found.semver == "major") == bool(found.of("breaking"))
    assert (found.semver == "none") == (not found.changes)
