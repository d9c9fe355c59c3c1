"""Bindings of `fzf`: the lines that they run are found, and what is not understood is unknown code."""

from __future__ import annotations

import pytest

from atip.calls.effects.bindings import inner_of_bindings


def lines(value: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in inner_of_bindings(value, "--bind")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ctrl-y:preview-up", []),
        ("ctrl-/:toggle-preview,ctrl-a:select-all+accept", []),
        ("ctrl-p:put(text)", []),
        ("ctrl-r:reload(find .)", [("shell", "find .")]),
        ("change:reload:rg --files", [("shell", "rg --files")]),
        ("enter:execute(cat {})+abort", [("shell", "cat {}")]),
        ("enter:become[less {}]", [("shell", "less {}")]),
        ("start:execute~rm x~", [("shell", "rm x")]),
        ("focus:transform-header:echo {}", [("shell", "echo {}")]),
    ],
)
def test_actions_are_read(value, expected):
    assert lines(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "enter:transform(echo execute:rm x)",
        "enter:transform:echo 'execute(rm x)'",
        "enter:new-action(rm x)",
        "enter",
        "enter:",
        "enter:put(a)+execute(rm x)",
        "enter:change-prompt(a),ctrl-a:execute(rm x)",
        "enter:put:a+execute(rm x)",
        "enter:EXECUTE(rm x)",
        "load:bg-transform(rm x)",
    ],
)
def test_what_is_not_understood_is_unknown_code(value):
    assert [kind for kind, _ in lines(value)] == ["code"]


@pytest.mark.parametrize(
    "value",
    [
        "enter:abort+execute(rm x)",
        "ctrl-a:abort,enter:execute(rm x)",
        "enter:change-preview(rm x)",
        "enter:execute-silent(rm x)+reload(ls)",
        "enter:put(a)+execute:rm x",
        "enter:execute(rm x)ctrl-a:abort",
    ],
)
def test_a_line_behind_harmless_actions_is_seen(value):
    assert "rm x" in " ".join(text for _, text in lines(value))
