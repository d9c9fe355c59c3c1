"""One command of a stored document on plain values says what `view` says of the decoded tool."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.reading.decode import decode_tool
from atip.model.reading.encode import encode
from atip.model.view.partial import view
from atip.model.view.plain import plain_part

NAMES = st.sampled_from(["a", "b", "c", "add", "x.y"])
EFFECTS = st.sampled_from(
    [None, {"destructive": True}, {"destructive": False, "network": False}, {"deletes": ["x"]},
     {"filesystem": {"delete": True}}, {"filesystem": {"write": True}}]
)  # fmt: skip
FLAG = {"name": "force", "flags": ["--force"], "type": "boolean", "description": "do it",
        "x-atip": {"effects": {"destructive": True}}}  # fmt: skip


def command(below):
    return st.builds(
        lambda effects, flag, commands, noted: {
            "description": "does it",
            **({"effects": effects} if effects else {}),
            **({"options": [FLAG]} if flag else {}),
            **({"commands": commands} if commands else {}),
            **({"x-atip": {"omittedCommands": noted}} if noted else {}),
        },
        EFFECTS, st.booleans(), below, st.sampled_from([0, 0, 0, 2]),
    )  # fmt: skip


COMMANDS = st.recursive(
    st.just({}), lambda below: st.dictionaries(NAMES, command(below), max_size=4), max_leaves=12
)


@given(COMMANDS, st.lists(NAMES, min_size=1, max_size=3))
def test_a_plain_part_is_the_view_of_the_decoded_tool(commands, words):
    document = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1",
        "description": "a tool",
        "commands": commands,
    }
    part = plain_part(document, words)
    if part is None:
        return
    told = encode(view(decode_tool(document), commands=[" ".join(words)]))
    for key in (
        "partial",
        "filter",
        "totalCommands",
        "includedCommands",
        "omitted",
        "commands",
        "name",
    ):
        assert part[key] == told[key], key
