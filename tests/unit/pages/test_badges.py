"""A page is never calmer than what is known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.effects import UNKNOWN, Effects, Filesystem, raised_by, union_of_steps
from atip.pages.badges import READ_ONLY, badges_of_any, badges_of_dangers, dangers_of

FACT = st.sampled_from([True, False, None])
EFFECTS = st.builds(
    Effects,
    filesystem=st.builds(Filesystem, read=FACT, write=FACT, delete=FACT),
    network=FACT,
    subprocess=FACT,
    destructive=FACT,
    reversible=FACT,
)


def badges_of(base, ceiling):
    is_final = base.reversible is False
    return badges_of_dangers(dangers_of(base), dangers_of(ceiling), ceiling.is_read_only, is_final)


@given(EFFECTS, EFFECTS)
def test_badges_of_a_tool_are_those_of_all_its_commands_in_a_row(first, second):
    parts = [(dangers_of(one), one.is_read_only) for one in (first, second)]
    assert badges_of_any(parts) == badges_of(UNKNOWN, union_of_steps(first, second))


@given(EFFECTS, EFFECTS)
def test_badges_are_never_calmer_than_the_ceiling(base, added):
    ceiling = raised_by(base, added)
    badges = badges_of(base, ceiling)
    assert badges
    labels = [badge["label"] for badge in badges]
    facts = {badge["fact"] for badge in badges}
    if READ_ONLY in labels:
        assert ceiling.is_read_only and "unknown" not in facts
    for fact, value in (
        ("destructive", ceiling.destructive),
        ("network", ceiling.network),
        ("filesystem.write", ceiling.filesystem.write),
        ("filesystem.delete", ceiling.filesystem.delete),
    ):
        assert (fact in facts) == (value is True)
        if value is None:
            assert "unknown" in facts


def test_unknown_effects_are_said():
    assert [badge["label"] for badge in badges_of(UNKNOWN, UNKNOWN)] == ["effects unknown"]


def test_what_an_option_may_bring_is_told_from_what_is_done():
    base = Effects(network=True, destructive=False)
    badges = badges_of(base, base.replace(destructive=True))
    assert {"fact": "network", "state": "does", "label": "uses the network"} in badges
    assert {"fact": "destructive", "state": "may", "label": "may destroy data"} in badges
