"""Laws of the partial view, on generated tools."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.model.reading.decode import decode
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from atip.model.view.partial import count_commands, leaves_of, view
from atip.model.view.size import size_of

FACT = st.sampled_from([None, True, False])
NAMES = st.sampled_from(["a", "b", "get", "list", "rm", "v1.x", "x"])


@st.composite
def effects(draw):
    facts = {key: draw(FACT) for key in ("network", "destructive", "idempotent")}
    files = {key: draw(FACT) for key in ("write", "delete")}
    document = {key: value for key, value in facts.items() if value is not None}
    return document | {"filesystem": {k: v for k, v in files.items() if v is not None}}


def commands(depth):
    inner = st.fixed_dictionaries(
        {"description": st.sampled_from(["One", "Another thing", "long " * 90])},
        optional={
            "effects": effects(),
            "deprecated": st.booleans(),
            "hidden": st.booleans(),
            **({"commands": commands(depth - 1)} if depth else {}),
        },
    )
    return st.dictionaries(NAMES, inner, max_size=4)


@st.composite
def tools(draw):
    document = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1",
        "description": "A tool",
        "commands": draw(commands(3)),
        "effects": draw(effects()),
    }
    return decode(document, strict=True).tool


@st.composite
def asked(draw, tool):
    paths = [" ".join(path) for path, _command in tool.walk()]
    chosen = draw(st.lists(st.sampled_from(paths), max_size=3)) if paths else []
    return {"commands": chosen, "depth": draw(st.sampled_from([None, 1, 2, 3]))}


@given(tools())
def test_nothing_asked_is_the_identity(tool):
    assert view(tool) == tool


@given(st.data(), tools())
def test_a_view_of_a_strict_document_is_strict(data, tool):
    part = view(tool, **data.draw(asked(tool)))
    assert check_tool(encode(part), "strict") == []
    assert decode(encode(part)).tool == part


@given(st.data(), tools())
def test_counts_are_the_leaves(data, tool):
    part = view(tool, **data.draw(asked(tool)))
    if part.partial:
        assert part.total_commands == count_commands(tool) == len(list(leaves_of(tool)))
        assert part.included_commands == len(list(leaves_of(part)))
        assert {path for path, _ in leaves_of(part)} <= {path for path, _ in leaves_of(tool)}


@given(st.data(), tools())
def test_viewing_twice_the_same_way_changes_no_command(data, tool):
    wanted = data.draw(asked(tool))
    once = view(tool, **wanted)
    twice = view(once, **wanted)
    assert (twice.commands, twice.total_commands, twice.filter) == (
        once.commands,
        once.total_commands,
        once.filter,
    )


@given(tools(), st.integers(1, 4), st.integers(1, 4))
def test_depths_compose_to_the_smaller(tool, first, second):
    assert (
        view(view(tool, depth=first), depth=second).commands
        == view(tool, depth=min(first, second)).commands
    )


@given(st.data(), tools())
def test_known_safe_is_never_said_of_something_unsafe(data, tool):
    """A41; unknown is not safe."""
    part = view(tool, **data.draw(asked(tool)))
    if part.omitted is None or part.omitted.safety_assumption != "known-safe":
        return
    included = {path for path, _command in part.walk()}
    for path, command in tool.walk():
        if path not in included and not command.commands:
            assert command.effects.destructive is not True
            assert tool.effects.destructive is not True


@settings(max_examples=60)
@given(tools(), st.integers(50, 3000))
def test_a_budget_is_kept_or_nothing_is_left(tool, budget):
    part = view(tool, max_bytes=budget)
    assert size_of(part) <= budget or not part.commands
    assert (part is tool) == (size_of(tool) <= budget)
    if part is not tool:
        assert part.omitted.reason == "size-limited"
        assert check_tool(encode(part), "strict") == []
