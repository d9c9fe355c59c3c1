"""Templates with operators, for tools that the user named: values stay words, the rest is refused."""

from __future__ import annotations

import pytest

from atip.calls.templates.cmp import CmpIntent, Param
from atip.calls.templates.cmp_shell import build_line, needs_shell
from atip.errors import FormatError
from atip.knowledge.reading import load


def line(command: str, given: dict | None = None, **options) -> str:
    names = {name: Param(name=name, type="array<string>") for name in ("ids",)}
    params = tuple(names[name] for name in names if f"{{{name}}}" in command)
    made = CmpIntent(patterns=("x",), command=command, params=params)
    return build_line(made, given or {}, **options)


def code(command: str, given: dict | None = None, **options) -> str:
    with pytest.raises(FormatError) as caught:
        line(command, given, **options)
    problems = caught.value.problems
    return problems[0].code if problems else caught.value.code


def test_operators_stay_and_words_are_quoted():
    assert line("cat {f} | grep -c '{x}' > out.txt", {"f": "a b", "x": "$(id)"}) == (
        "cat 'a b' | grep -c '$(id)' > out.txt"
    )
    assert line("a && b || c ; d 2>&1", {}) == "a && b || c ; d 2>&1"
    assert line("a < {f} >> {g}", {"f": "x;y", "g": "-z"}) == "a < 'x;y' >> -z"
    assert line("a {ids} | b", {"ids": ["x", "y z"]}) == "a x 'y z' | b"


def test_globs_of_the_template_are_text_here_as_without_a_shell():
    assert line("ls *.txt | wc -l") == "ls '*.txt' | wc -l"


def test_a_program_may_be_started_by_another_word():
    assert line("own a | wc", rename=lambda name: f"/tools/{name}" if name == "own" else name) == (
        "/tools/own a | wc"
    )


@pytest.mark.parametrize(
    "command",
    ["a & b", "a &", "(a) | b", "a <<b", "a <<<b", "a |", "| a", "a > ", "a ;; b", "a >| b", "a &> f",
     "a | $(b)", "a | `b`", "a | {x}", "a >&{x}", "a | -b", "a > f > "],
)  # fmt: skip
def test_the_rest_of_the_shell_is_refused_even_here(command):
    assert code(command, {"x": "1"} if "{x}" in command else {}) == "cmp.template"


@pytest.mark.parametrize(
    ("command", "value", "expected"),
    [
        ("cat f | grep {x}", "-rf", "call.leading-dash"),
        ("cat f | sh -c {x}", "id", "call.code"),
        ("cat f | awk {x}", 'BEGIN{system("id")}', "call.code"),
    ],
)
def test_each_part_of_a_pipe_is_judged_by_what_is_known_of_it(command, value, expected):
    assert code(command, {"x": value}, lookup=load) == expected


def test_only_operators_need_a_shell():
    assert needs_shell("a | b")
    assert not needs_shell("a '|' b")
