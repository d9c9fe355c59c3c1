"""Steps of a pattern: values stay words, and nothing runs that was not meant to."""

from __future__ import annotations

import pytest

from atip.calls.templates.pattern_steps import fill_pattern
from atip.errors import FormatError, PolicyError
from atip.model.tool import Pattern, PatternStep, Variable


def pattern(*steps: str, executable: bool | None = True, **variables: Variable) -> Pattern:
    return Pattern(
        name="p",
        steps=tuple(PatternStep(command=step) for step in steps),
        variables=variables or None,
        executable=executable,
    )


@pytest.mark.proves("ATIP6-3.9-06")
def test_values_fill_their_words_and_stay_one_word():
    found = fill_pattern(
        pattern("git checkout -b {branch}", "git commit -m 'work on {branch}' --author={who}"),
        {"branch": "a b; rm -rf $(x)", "who": "me"},
    )
    assert found == (
        ("git", "checkout", "-b", "a b; rm -rf $(x)"),
        ("git", "commit", "-m", "work on a b; rm -rf $(x)", "--author=me"),
    )


@pytest.mark.proves("ATIP6-3.9-05")
@pytest.mark.parametrize("executable", [False, None])
def test_a_suggestion_does_not_run(executable):
    with pytest.raises(PolicyError) as refusal:
        fill_pattern(pattern("ls", executable=executable), {})
    assert refusal.value.code == "pattern.advisory"


@pytest.mark.proves("ATIP6-3.9-07")
@pytest.mark.parametrize(
    ("step", "values", "code"),
    [
        ("git push {remote}", {}, "pattern.missing-variable"),
        ("git push {remote}", {"remote": "--mirror"}, "pattern.unsafe-value"),
        ("git push {remote}", {"remote": "a\nb"}, "pattern.unsafe-value"),
        ("git push {remote}", {"remote": "a", "other": "b"}, "pattern.unknown-variable"),
        ("git push {remote}", {"remote": ["a"]}, "pattern.unsafe-value"),
        ("{remote} push", {"remote": "git"}, "pattern.step"),
        ("git log | sh", {}, "pattern.shell"),
        ("echo `id`", {}, "pattern.shell"),
        ("echo 'open", {}, "pattern.step"),
        ("", {}, "pattern.step"),
    ],
)
def test_a_value_that_nobody_gave_or_that_is_not_safe_stops_the_pattern(step, values, code):
    with pytest.raises(FormatError) as refusal:
        fill_pattern(pattern(step), values)
    assert code in [problem.code for problem in refusal.value.problems]


@pytest.mark.parametrize(
    ("default", "safe"), [("origin", True), (8, True), ("--all", False), ("a b", False), ("$HOME", False)]
)  # fmt: skip
def test_a_default_counts_only_if_it_is_a_plain_word(default, safe):
    given = pattern("git push {remote}", remote=Variable(default=default))
    if safe:
        assert fill_pattern(given, {}) == (("git", "push", str(default)),)
    else:
        with pytest.raises(FormatError):
            fill_pattern(given, {})


def test_choices_and_numbers_are_checked():
    given = pattern("t {n} {c}", n=Variable(type="integer"), c=Variable(enum=("a", "b")))
    assert fill_pattern(given, {"n": 3, "c": "a"}) == (("t", "3", "a"),)
    for values in ({"n": "x", "c": "a"}, {"n": 3, "c": "z"}):
        with pytest.raises(FormatError):
            fill_pattern(given, values)
