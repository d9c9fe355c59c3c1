"""Quoting is that of `shlex`."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from atip.calls.shell.quoting import quote


@given(st.text())
def test_as_shlex(word: str) -> None:
    assert quote(word) == shlex.quote(word)


@given(st.text(alphabet="aZ9_@%+=:,./-'\"$ é\n"))
def test_as_shlex_near_the_edge(word: str) -> None:
    assert quote(word) == shlex.quote(word)
