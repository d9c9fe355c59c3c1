"""What was observed travels in a description, and hostile blocks say nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.diff.compare import diff
from atip.model.observed import read_observed
from atip.model.reading.decode import decode_tool
from atip.pages.tool_data import evidence_list

DIGEST = "sha256:" + "a" * 64


def tool(facts: dict[str, object]):
    block = {"digest": DIGEST, "version": "1", "cases": 3, "facts": facts}
    return decode_tool(
        {"atip": {"version": "0.6"}, "name": "tool", "version": "1", "description": "A tool",
         "x-atip": {"observed": block}}
    )  # fmt: skip


READ = {"filesystem.read": {"verdict": "agrees", "line": "tool a"}}
WIDER = {**READ, "network": {"verdict": "unsaid", "line": "tool b"}}


def test_pages_name_what_was_observed() -> None:
    assert evidence_list(tool(WIDER).own) == ["observed in 3 cases: filesystem.read, network"]


def test_only_what_is_new_is_wider() -> None:
    kinds = [change.kind for change in diff(tool(READ), tool(WIDER)).changes]
    assert kinds.count("observed-wider") == 1
    assert "observed-wider" not in [change.kind for change in diff(tool(WIDER), tool(READ)).changes]
    assert "observed-wider" not in [
        change.kind for change in diff(tool(WIDER), tool(WIDER)).changes
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(json_values)
def test_anything_else_is_survived(value: object) -> None:
    for own in (
        {"observed": value},
        {"observed": {"facts": value, "cases": value, "digest": value}},
    ):
        block = read_observed(own)
        assert block is None or len(block.facts) <= 50
