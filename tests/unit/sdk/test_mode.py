"""Who is reading, and dual output (CMP 0.2.0 §6)."""

from __future__ import annotations

import io
import json
import sys

import pytest

from atip.sdk import facet, fail, is_agent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.proves("CMP-6-02")
@pytest.mark.parametrize(
    "env",
    [
        {"CMP_AGENT": "1"},
        {"AGENT": "goose"},
        {"AI_AGENT": "some-agent"},
        {"CLAUDECODE": "1"},
        {"CODEX_SANDBOX": "seatbelt"},
        {"CODEX_SANDBOX_NETWORK_DISABLED": "1"},
        {"GEMINI_CLI": "1"},
        {"CURSOR_AGENT": "1"},
        {"OPENCODE": "1"},
    ],
)
def test_variable_of_an_agent_selects_agent_mode(env):
    assert is_agent(env, argv=[]) is True


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"AGENT": "0"},
        {"AGENT": ""},
        {"CMP_AGENT": "0", "CLAUDECODE": "1"},
        {"CURSOR_TRACE_ID": "x"},
        {"CODEX_HOME": "/home/x/.codex"},
        {"SSH_AGENT_PID": "7"},
    ],
)
def test_person_stays_a_person(env):
    assert is_agent(env, argv=[]) is False


@pytest.mark.proves("CMP-6-03")
def test_piped_output_counts_only_when_asked_for():
    """C17: `tool | less` is a person."""
    assert is_agent({}, argv=[]) is False
    assert is_agent({}, stdout=io.StringIO(), argv=[]) is True
    assert is_agent({}, stdout=Terminal(), argv=[]) is False
    assert is_agent({"CMP_AGENT": "0"}, stdout=io.StringIO(), argv=[]) is False


@pytest.mark.proves("CMP-6-04")
def test_explicit_flag_selects_agent_mode(monkeypatch):
    assert is_agent({}, argv=["list", "--json"]) is True
    assert is_agent({}, argv=["--agent"]) is True
    assert is_agent({}, argv=["--", "--json"]) is False
    monkeypatch.setattr(sys, "argv", ["tool", "--json"])
    assert is_agent({"CMP_AGENT": "0"}) is True


@pytest.mark.proves("CMP-6-01", "CMP-6-05", "CMP-6-06")
def test_each_reader_gets_its_own_form():
    for_human, for_agent = io.StringIO(), io.StringIO()
    result = {"message": "\x1b[32mdone\x1b[0m", "links": ["\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\"]}
    human = "\x1b[32m✓ done\x1b[0m"
    facet(human=human, agent=result, out=for_human, for_agent=False)
    facet(human=human, agent=result, out=for_agent, for_agent=True)
    assert for_human.getvalue() == "\x1b[32m✓ done\x1b[0m\n"
    assert json.loads(for_agent.getvalue()) == {"message": "done", "links": ["x"]}
    assert "\x1b" not in for_agent.getvalue() and "u001b" not in for_agent.getvalue()


def test_form_that_is_not_wanted_is_not_made():
    out = io.StringIO()
    facet(human=lambda: 1 / 0, agent=lambda: [1], out=out, for_agent=True)
    facet(human=lambda: None, agent=lambda: 1 / 0, out=out, for_agent=False)
    assert out.getvalue() == "[1]\n"


@pytest.mark.proves("CMP-6-06", "CMP-6-05")
def test_errors_have_codes_for_agents_and_words_for_people(capsys):
    with pytest.raises(SystemExit) as ended:
        fail("note.missing", "no such note", hint="list them", exit_code=3, for_agent=True)
    assert ended.value.code == 3
    error = {"code": "note.missing", "message": "no such note", "hint": "list them"}
    assert json.loads(capsys.readouterr().out) == {"error": error}
    with pytest.raises(SystemExit):
        fail("note.missing", "no such note", hint="list them", for_agent=False)
    assert capsys.readouterr().err == "error: no such note\nhint: list them\n"
