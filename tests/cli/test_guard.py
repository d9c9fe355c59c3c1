"""The hook: every client's protocol, and nothing that goes wrong becomes a permission."""

from __future__ import annotations

import json

import pytest

import atip as library
from tests.cli.run import atip
from tests.shared import shared

READ, LOSS = "git status | head", "git status && rm -rf build"


def hook(tmp_path, request: object, *words: str, **env: str) -> dict:
    text = request if isinstance(request, (str, bytes)) else json.dumps(request)
    ran = atip("guard", *words, home=tmp_path, stdin=text, **env)
    assert ran.code == 0, ran.err
    assert ran.out.count("\n") == 1
    return ran.document


def tool_call(line: str, event: str = "PreToolUse", tool: str = "Bash") -> dict:
    return {
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": {"command": line},
        "cwd": "/tmp",
    }


def test_generic(tmp_path):
    assert hook(tmp_path, {"line": READ, "cwd": "/tmp"})["decision"] == "allow"
    answer = hook(tmp_path, {"line": LOSS, "cwd": "/tmp"})
    assert answer["decision"] == "ask"
    assert "rm -rf build" in answer["reason"]


def test_claude(tmp_path):
    for line, decision in ((READ, "allow"), (LOSS, "ask")):
        answer = hook(tmp_path, tool_call(line), "--for", "claude")["hookSpecificOutput"]
        assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", decision)
        assert answer["permissionDecisionReason"]


def test_permission_requests_are_left_to_the_person(tmp_path):
    assert hook(tmp_path, tool_call(LOSS, "PermissionRequest"), "--for", "codex") == {}
    answer = hook(tmp_path, tool_call(READ, "PermissionRequest"), "--for", "codex")
    assert answer["hookSpecificOutput"]["decision"] == {"behavior": "allow"}


def test_codex_hears_no_question_and_so_is_denied(tmp_path):
    assert hook(tmp_path, tool_call(READ), "--for", "codex") == {}
    answer = hook(tmp_path, tool_call(LOSS), "--for", "codex")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"


def test_gemini(tmp_path):
    def request(line: str) -> dict:
        return tool_call(line, "BeforeTool", "run_shell_command")

    assert hook(tmp_path, request(READ), "--for", "gemini") == {"decision": "allow"}
    assert hook(tmp_path, request(LOSS), "--for", "gemini")["decision"] == "deny"


def test_cursor(tmp_path):
    request = {"hook_event_name": "beforeShellExecution", "command": LOSS, "cwd": "/tmp"}
    assert hook(tmp_path, request, "--for", "cursor")["permission"] == "ask"
    assert hook(tmp_path, request, "--for", "cursor", "--ask-as", "deny")["permission"] == "deny"


def test_other_tools_get_no_opinion(tmp_path):
    assert hook(tmp_path, tool_call("x", tool="Edit"), "--for", "claude") == {}


@pytest.mark.parametrize(
    "request_text",
    ["", "not json", "[]", "{}", '{"line": 5}', '{"line": null}', "[" * 5000, b"\xff\xfe", '{"line": "\\ud800"}',
     json.dumps({"line": "ls", "cwd": 7})[:-3], "x" * 1_100_000],
)  # fmt: skip
def test_what_cannot_be_read_is_a_question(tmp_path, request_text):
    assert hook(tmp_path, request_text)["decision"] == "ask"


def test_a_broken_policy_is_a_question(tmp_path):
    folder = tmp_path / ".config" / "agent-tools"
    folder.mkdir(parents=True)
    (folder / "policy.json").write_text('{"policy": {"version": "1", "rulez": []}}')
    assert hook(tmp_path, {"line": "ls", "cwd": "/tmp"})["decision"] == "ask"


def test_answers_carry_no_control_characters(tmp_path):
    answer = hook(tmp_path, {"line": "rm \x1b[2K x", "cwd": "/tmp"})
    assert "\x1b" not in answer["reason"]


@pytest.mark.proves("ATIP6-7.1-03", "ATIP6-11-04")
def test_the_development_half_of_the_guard_benchmark_has_no_bypass(tmp_path):
    box = library.Toolbox(home=str(tmp_path), policy="cautious")
    records = [
        json.loads(text)
        for text in (shared("guardbench") / "guard.dev.jsonl").read_text().splitlines()
    ]
    decided = {r["id"]: box.explain(r["line"], cwd=r["cwd"]).decision.outcome for r in records}
    bypasses = [
        r["id"] for r in records if r["expect"] == "must_not_allow" and decided[r["id"]] == "allow"
    ]
    prompts = [
        r["id"] for r in records if r["expect"] == "should_allow" and decided[r["id"]] != "allow"
    ]
    differ = [
        r["id"]
        for r in records
        if r.get("pair") in decided and decided[r["id"]] != decided[r["pair"]]
    ]
    assert bypasses == []
    assert len(prompts) <= 5
    assert len(differ) <= 2
