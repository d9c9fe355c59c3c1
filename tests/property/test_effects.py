"""Laws of the effects algebra: danger wins, silence changes nothing, flags only raise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.model.effects import UNKNOWN, join, raised_by, union_of_steps
from atip.model.reading.decode import decode_effects
from tests.property.documents import EFFECTS

VALUES = EFFECTS.map(decode_effects) | st.just(UNKNOWN)
DANGERS = ("network", "subprocess", "destructive")
ASSURANCES = ("idempotent", "reversible")
FILES = ("read", "write", "delete")


def facts(effects):
    """All facts as numbers: the larger, the more dangerous; unknown in between."""
    rank = {None: 1, False: 0, True: 2}
    found = [rank[getattr(effects, name)] for name in DANGERS]
    found += [rank[getattr(effects.filesystem, name)] for name in FILES]
    found += [{None: 1, True: 0, False: 2}[getattr(effects, name)] for name in ASSURANCES]
    found.append(rank[effects.cost.billable])
    return found


@pytest.mark.proves("ATIP6-3.6-01", "ATIP6-3.6-02", "ATIP6-3.6-03", "ATIP6-3.6-04", "ATIP6-3.6-05")
@settings(max_examples=500, deadline=None)
@given(VALUES, VALUES)
def test_a_flag_never_lowers_an_effect(base, flag):
    """Safety rule 1, A42."""
    assert all(
        after >= before
        for before, after in zip(facts(base), facts(raised_by(base, flag)), strict=True)
    )


@settings(max_examples=500, deadline=None)
@given(VALUES, VALUES)
def test_join_is_commutative_on_facts(left, right):
    assert facts(join(left, right)) == facts(join(right, left))


@settings(max_examples=500, deadline=None)
@given(VALUES, VALUES, VALUES)
def test_join_is_associative_on_facts(a, b, c):
    assert facts(join(join(a, b), c)) == facts(join(a, join(b, c)))


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_silence_changes_nothing(effects):
    assert facts(join(effects, UNKNOWN)) == facts(effects)
    assert facts(raised_by(effects, UNKNOWN)) == facts(effects)


@pytest.mark.proves("ATIP6-3.2-08")
@settings(max_examples=500, deadline=None)
@given(VALUES, VALUES)
def test_what_one_source_calls_dangerous_stays_dangerous(left, right):
    """RESOLUTIONS rule 2: danger ORs, safety ANDs."""
    for before, after in zip(facts(left), facts(join(left, right)), strict=True):
        assert before != 2 or after == 2


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_an_unknown_step_makes_the_whole_unknown(effects):
    both = facts(union_of_steps(effects, UNKNOWN))
    assert all(value >= 1 for value in both)
