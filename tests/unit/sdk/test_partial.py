"""Partial discovery on the author's side says exactly what our own view of the same document says."""

from __future__ import annotations

import argparse
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.errors import NotFoundError
from atip.model.reading.decode import decode_tool
from atip.model.reading.encode import encode
from atip.model.shapes.check import check_tool
from atip.model.view.partial import view
from atip.sdk import describe
from atip.sdk.partial import UnknownCommand, part_of

FACT = st.sampled_from([None, True, False])
NAMES = st.sampled_from(["a", "b", "get", "list", "rm", "v1.x", "x"])
SAFE = {"network": False, "destructive": False, "filesystem": {"write": False}}


@st.composite
def effects(draw):
    if draw(st.booleans()):
        return SAFE
    plain = ("network", "destructive", "subprocess", "idempotent")
    facts = {key: draw(FACT) for key in plain}
    files = {key: draw(FACT) for key in ("write", "delete")}
    document = {key: value for key, value in facts.items() if value is not None}
    document["filesystem"] = {key: value for key, value in files.items() if value is not None}
    for key in ("creates", "deletes"):
        if draw(st.integers(0, 5)) == 0:
            document[key] = draw(st.sampled_from([[], ["thing"]]))
    if draw(st.integers(0, 5)) == 0:
        document["cost"] = {"billable": draw(st.booleans())}
    return document


@st.composite
def options(draw):
    option = {"name": "o", "flags": ["--o"], "type": "boolean", "description": "o"}
    if draw(st.booleans()):
        option["x-atip"] = {"effects": draw(effects())}
    return option


def commands(depth):
    command = st.fixed_dictionaries(
        {"description": st.just("one")},
        optional={
            "effects": effects(),
            "options": st.lists(options(), max_size=2),
            "aliases": st.lists(st.sampled_from(["y", "z.z"]), max_size=1),
            "x-atip": st.just({"note": 1}),
            **({"commands": commands(depth - 1)} if depth else {}),
        },
    )
    return st.dictionaries(NAMES, command, max_size=4)


@st.composite
def questions(draw):
    document = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1",
        "description": "A tool",
        "commands": draw(commands(3)),
        "effects": draw(effects()),
        "globalOptions": draw(st.lists(options(), max_size=1)),
    }
    paths = [path for path, _command in decode_tool(document).walk()]
    joined = [mark.join(path) for path in paths for mark in (" ", ".")]
    names = st.sampled_from([*joined, "y", "z.z", "tool", "nope", "a,b", "list,rm", ""])
    return document, draw(st.lists(names, max_size=3)), draw(st.sampled_from([None, 1, 2, 3]))


@pytest.mark.proves("ATIP6-3.1.1-01")
@settings(max_examples=150, deadline=None)
@given(questions())
def test_part_agrees_with_our_own_view(question):
    document, names, depth = question
    try:
        expected = encode(view(decode_tool(document), commands=names, depth=depth))
    except NotFoundError:
        with pytest.raises(UnknownCommand):
            part_of(document, names, depth)
        return
    part = part_of(document, names, depth)
    assert encode(decode_tool(part)) == expected
    assert check_tool(part, "strict") == []


def large() -> dict:
    parser = argparse.ArgumentParser(prog="cloud", description="350 commands")
    groups = parser.add_subparsers()
    for group in range(25):
        below = groups.add_parser(f"group{group}", help="a group of commands").add_subparsers()
        for number in range(14):
            command = below.add_parser(f"command{number}", help=f"does the {number}th thing")
            command.add_argument("name", help="which one")
            command.add_argument("--region", choices=["eu", "us", "ap"], help="where it lies")
            command.add_argument("--format", default="table", help="how it is shown")
    safe = {f"group{g} command{n}": SAFE for g in range(25) for n in range(14)}
    unsafe = {"group3 command3": {"destructive": True}}
    return describe(parser, version="1", effects={**safe, **unsafe})


@pytest.mark.proves("ATIP6-3.1.1-01")
def test_overview_of_350_commands_is_small_and_says_what_it_omitted():
    whole = large()
    part = part_of(whole, (), 1)
    size, small = (len(json.dumps(each, separators=(",", ":"))) for each in (whole, part))
    assert size > 100_000 and small < 3_000
    assert (part["totalCommands"], part["includedCommands"]) == (350, 0)
    assert part["omitted"] == {"reason": "depth-limited", "safetyAssumption": "known-unsafe"}
    assert part["commands"]["group7"]["x-atip"] == {"omittedCommands": 14}
    assert check_tool(part, "strict") == []
    subtree = part_of(whole, ["group3.command3,group4"])
    assert subtree["includedCommands"] == 15
    assert subtree["omitted"] == {"reason": "filtered", "safetyAssumption": "known-safe"}
