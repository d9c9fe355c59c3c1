"""Patterns of others are judged by an engine that cannot be made to run for ever, or refused."""

from __future__ import annotations

import time

import pytest

from atip.errors import FormatError
from atip.model.text.regex import compile_regex


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)b", "(?<!a)b", "a" * 600, "(a{1000}){1000}"])
def test_what_a_linear_engine_cannot_decide_is_refused(pattern):
    with pytest.raises(FormatError):
        compile_regex(pattern)


@pytest.mark.measured
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", r"(\d+)+$", "(.*)*x"])
def test_a_bad_pattern_costs_no_time(pattern):
    began = time.process_time()
    compile_regex(pattern).search("a1" * 15 + "!")
    assert time.process_time() - began < 0.1
