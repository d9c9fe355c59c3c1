"""What a person who tries the Python API for the first time gets wrong."""

from __future__ import annotations

import traceback

import pytest

import atip
from atip.errors import AtipError, UsageError


@pytest.mark.parametrize("method", ["run", "observe"])
def test_a_string_is_not_run_letter_by_letter(method, tmp_path):
    box = atip.Toolbox(home=tmp_path)
    with pytest.raises(UsageError) as caught:
        getattr(box, method)("wc -l notes.txt")
    assert caught.value.code == "run.not-a-list"


def test_a_traceback_shows_the_hint(tmp_path):
    with pytest.raises(AtipError) as caught:
        atip.Session([], provider="anthropc")
    assert "did you mean `anthropic`?" in "".join(traceback.format_exception(caught.value))
