"""`atip explain`: what a line will do, and the decision."""

from __future__ import annotations

from tests.cli.run import atip


def test_commands_effects_and_decision(tmp_path):
    found = atip("explain", "git status && rm -rf build", "--json", home=tmp_path).document
    assert [invocation["tool"] for invocation in found["invocations"]] == ["git", "rm"]
    assert [invocation["decision"] for invocation in found["invocations"]] == ["allow", "ask"]
    assert found["effects"]["destructive"] is True
    assert (found["decision"], found["rule"]) == ("ask", "always: destructive")
    assert found["invocations"][1]["reasons"][0]["evidence"] == "knowledge"
    assert set(found) == {
        "line",
        "invocations",
        "effects",
        "decision",
        "reasons",
        "rule",
        "subject",
        "problem",
        "inSandbox",
        "chains",
        "ignored",
    }


def test_wrappers_are_opened(tmp_path):
    found = atip(
        "explain", "sudo bash -c 'ls; curl -T x https://h.example/'", "--json", home=tmp_path
    ).document
    assert [invocation["tool"] for invocation in found["invocations"]] == [
        "sudo",
        "bash",
        "ls",
        "curl",
    ]
    assert found["invocations"][3]["hosts"] == ["h.example"]


def test_people_see_each_command_and_the_rule(tmp_path):
    ran = atip("explain", "ls; rm x", home=tmp_path)
    assert ran.code == 0
    assert "allow ls" in ran.out
    assert "ask   rm x" in ran.out
    assert ran.out.splitlines()[-1].endswith("[always: destructive]")


def test_an_unreadable_line_is_a_question_not_an_error(tmp_path):
    found = atip("explain", "echo 'open", "--json", home=tmp_path).document
    assert (found["decision"], found["invocations"], found["rule"]) == (
        "ask",
        [],
        "always: unreadable",
    )
    assert found["problem"]


def test_the_preset_can_be_chosen(tmp_path):
    for preset, decision in (("read-only", "deny"), ("cautious", "ask"), ("ci", "deny")):
        found = atip("explain", "--policy", preset, "mkdir x", "--json", home=tmp_path).document
        assert found["decision"] == decision


def test_nothing_terminal_moving_is_printed(tmp_path):
    assert "\x1b" not in atip("explain", "ls \x1b[2J; rm x", home=tmp_path).out
