"""Laws of delegation: a delegate never gets more than its delegator."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.permissions.delegation import (
    Delegation,
    DelegationGrant,
    allows,
    decode_delegation,
    encode_delegation,
    intersect,
)
from atip.model.reading.decode import decode_effects

TOOLS = st.sampled_from(["gh", "git", "rm"])
WORDS = st.sampled_from(["repo", "delete", "push"])
FACTS = ["destructive", "network", "reversible", "idempotent", "filesystem.write"]
DENIED = st.builds(
    lambda tool, words, flags: " ".join([tool, *words, *flags]),
    TOOLS,
    st.lists(WORDS, max_size=2),
    st.lists(st.sampled_from(["--force", "-x"]), max_size=1),
)
DELEGATIONS = st.builds(
    Delegation,
    allowed_tools=st.none() | st.lists(TOOLS, unique=True, max_size=3).map(tuple),
    denied_commands=st.lists(DENIED, unique=True, max_size=2).map(tuple),
    effect_restrictions=st.dictionaries(st.sampled_from(FACTS), st.booleans(), max_size=3),
)


@st.composite
def effects(draw):
    facts = {key: draw(st.sampled_from([None, True, False])) for key in FACTS}
    write = facts.pop("filesystem.write")
    document = {key: value for key, value in facts.items() if value is not None}
    return decode_effects(
        document | ({"filesystem": {"write": write}} if write is not None else {})
    )


@st.composite
def calls(draw):
    flags = draw(st.none() | st.lists(st.sampled_from(["--force", "-x", "-v"]), max_size=2))
    path = tuple(draw(st.lists(WORDS, max_size=3)))
    return {"tool": draw(TOOLS), "path": path, "effects": draw(effects()), "flags": flags}


def permits(delegation: Delegation, call: dict) -> bool:
    return allows(delegation, **call) == DelegationGrant()


@given(DELEGATIONS, DELEGATIONS, st.lists(calls(), min_size=1, max_size=8))
def test_intersection_allows_exactly_what_both_allow(lead, asked, many):
    both = intersect(lead, asked)
    for call in many:
        assert permits(both, call) == (permits(lead, call) and permits(asked, call))


@given(st.lists(DELEGATIONS, min_size=1, max_size=5), calls())
def test_no_chain_of_delegations_gains_anything(chain, call):
    granted = chain[0]
    for following in chain[1:]:
        further = intersect(granted, following)
        assert permits(granted, call) or not permits(further, call)
        granted = further


@given(DELEGATIONS, DELEGATIONS)
def test_intersection_is_idempotent_and_everything_is_neutral(lead, asked):
    both = intersect(lead, asked)
    assert intersect(both, both) == intersect(both, Delegation()) == both


@given(DELEGATIONS)
def test_writing_and_reading_changes_nothing(delegation):
    assert decode_delegation(encode_delegation(delegation)) == delegation
