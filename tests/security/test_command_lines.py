"""A value never becomes an option, at the place where words are written (the reader checks it once more)."""

from __future__ import annotations

import pytest

from atip.calls.spelling import SpellingProblem, spell_option
from atip.model.tool import Option


def option(*flags: str, **own: object) -> Option:
    return Option(name="o", flags=flags, type="string", description="x", extra={"x-atip": own})


@pytest.mark.parametrize(
    "one", [option("--out", join="space"), option("out")], ids=["space", "word"]
)
@pytest.mark.parametrize("value", ["-rf", "--exec=sh", "-"])
def test_a_value_with_a_dash_is_refused_where_it_would_stand_alone(one, value):
    with pytest.raises(SpellingProblem):
        spell_option(one, one.flags, value)


def test_a_value_with_a_dash_is_joined_where_it_can_be():
    assert spell_option(option("--out"), ("--out",), "-rf") == ["--out=-rf"]
    assert spell_option(option("-o"), ("-o",), "-rf") == ["-o-rf"]
