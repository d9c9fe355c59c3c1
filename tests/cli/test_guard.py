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


def without_trial(answer: dict) -> dict:
    """An answer without the rewritten line by which an unknown client proves that it runs such lines."""
    block = answer.get("hookSpecificOutput", {})
    if "--token" not in json.dumps(block):
        return answer
    assert block.get("permissionDecision", "allow") == "allow"
    return {"decision": "allow"} if "tool_input" in block else {}


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
    assert without_trial(hook(tmp_path, tool_call(READ), "--for", "codex")) == {}
    answer = hook(tmp_path, tool_call(LOSS), "--for", "codex")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"


def test_gemini(tmp_path):
    def request(line: str) -> dict:
        return tool_call(line, "BeforeTool", "run_shell_command")

    said = without_trial(hook(tmp_path, request(READ), "--for", "gemini"))
    assert said == {"decision": "allow"}
    assert hook(tmp_path, request(LOSS), "--for", "gemini")["decision"] == "deny"


def test_cursor(tmp_path):
    request = {"hook_event_name": "beforeShellExecution", "command": LOSS, "cwd": "/tmp"}
    assert hook(tmp_path, request, "--for", "cursor")["permission"] == "ask"
    assert hook(tmp_path, request, "--for", "cursor", "--ask-as", "deny")["permission"] == "deny"


def test_other_tools_get_no_opinion(tmp_path):
    assert hook(tmp_path, tool_call("x", tool="TodoWrite"), "--for", "claude") == {}


def in_mode(tmp_path, line: str, mode: object) -> str:
    request = {**tool_call(line), "permission_mode": mode}
    answer = hook(tmp_path, request, "--for", "claude-code")["hookSpecificOutput"]
    return answer["permissionDecision"]


@pytest.mark.parametrize("mode", ["auto", "bypassPermissions", "new-mode", 5, ""])
def test_where_a_question_is_not_reliable_it_is_a_denial(tmp_path, mode):
    assert in_mode(tmp_path, LOSS, mode) == "deny"
    assert in_mode(tmp_path, READ, mode) == "allow"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "dontAsk"])
def test_where_a_person_is_asked_it_is_a_question(tmp_path, mode):
    assert in_mode(tmp_path, LOSS, mode) == "ask"
    assert in_mode(tmp_path, READ, mode) == "allow"


def test_a_plan_is_not_overridden_by_a_rule(tmp_path):
    folder = tmp_path / ".config/agent-tools"
    folder.mkdir(parents=True)
    rule = {"decision": "allow", "words": ["mkdir", "build"]}
    (folder / "policy.json").write_text(json.dumps({"policy": {"version": "1", "rules": [rule]}}))
    assert in_mode(tmp_path, "mkdir build", "default") == "allow"
    assert in_mode(tmp_path, "mkdir build", "plan") == "deny"
    assert in_mode(tmp_path, "git status", "plan") == "allow"


@pytest.mark.parametrize("event", ["PostToolUse", "Stop", "UserPromptSubmit", "SessionStart"])
@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "kimi"])
def test_other_events_get_no_answer(tmp_path, client, event):
    assert hook(tmp_path, tool_call(LOSS, event), "--for", client) == {}


@pytest.mark.parametrize("cwd", ["", "src", None, 7])
def test_a_line_that_runs_nobody_knows_where_is_not_allowed(tmp_path, cwd):
    request = {**tool_call("cat notes.txt"), "cwd": cwd}
    if cwd is None:
        del request["cwd"]
    answer = hook(tmp_path, request, "--for", "claude")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert hook(tmp_path, {"line": "ls"})["decision"] == "ask"


def test_a_folder_that_does_not_exist_is_judged_without_its_files(tmp_path):
    answer = hook(tmp_path, {"line": "ls", "cwd": "/nonexistent/folder"})
    assert answer["decision"] == "allow"


@pytest.mark.parametrize(
    "client", ["claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode", "kimi"]
)
@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"tool_name": "Bash"}', '{"tool_name": "Bash", "tool_input": {"command": 5}}'])  # fmt: skip
def test_what_cannot_be_read_stops_every_client(tmp_path, client, text):
    said = json.dumps(hook(tmp_path, text, "--for", client))
    assert '"deny"' in said or '"ask"' in said
    assert '"allow"' not in said


def test_copilot_writes_its_arguments_as_text(tmp_path):
    def request(line: str) -> dict:
        return {"toolName": "bash", "toolArgs": json.dumps({"command": line}), "cwd": "/tmp"}

    result = hook(tmp_path, request(READ), "--for", "copilot")
    assert result["permissionDecision"] == "allow"
    assert hook(tmp_path, request(LOSS), "--for", "copilot")["permissionDecision"] == "deny"


def test_kimi_hears_denials_and_silence(tmp_path):
    result = hook(tmp_path, tool_call(READ, tool="Shell"), "--for", "kimi")
    assert without_trial(result) == {}
    answer = hook(tmp_path, tool_call(LOSS), "--for", "kimi")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"


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


# --- decisions on record -------------------------------------------------------------------------


def demand_records(home) -> None:
    folder = home / ".config/agent-tools"
    folder.mkdir(parents=True)
    policy = {"version": "1", "preset": "cautious", "execution": {"auditAllCalls": True}}
    (folder / "policy.json").write_text(json.dumps({"policy": policy}))


def decisions(home) -> list[dict]:
    return atip("audit", "show", "--decisions", "--json", home=home).document["records"]


def test_decisions_are_on_record_where_policy_demands_it(tmp_path):
    demand_records(tmp_path)
    assert hook(tmp_path, {"line": READ, "cwd": "/tmp"})["decision"] == "allow"
    hook(tmp_path, tool_call(LOSS), "--for", "claude")
    hook(tmp_path, {"line": "echo 'unfinished", "cwd": "/tmp"})
    first, second, third = decisions(tmp_path)
    assert (first["client"], first["decision"], first["line"]) == ("generic", "allow", READ)
    assert (second["client"], second["decision"], second["line"]) == ("claude-code", "ask", LOSS)
    assert third["decision"] == "ask"
    assert all(each["rule"] and each["reasons"] and each["time"] for each in (first, second, third))
    shown = atip("audit", "show", "--decisions", home=tmp_path).out.splitlines()
    assert len(shown) == 3
    assert f"ask  {LOSS}" in shown[1]
    assert atip("audit", "verify", home=tmp_path).code == 0


def test_only_decisions_are_shown(tmp_path):
    demand_records(tmp_path)
    audit = library.Toolbox(home=tmp_path).audit
    audit.append({"event": "refused", "argv": ["ls"]})
    audit.append({"event": "end", "run": "1"})
    hook(tmp_path, {"line": READ, "cwd": "/tmp"})
    assert atip("explain", READ, home=tmp_path).code == 0
    assert [decision["event"] for decision in decisions(tmp_path)] == [
        "refused",
        "decision",
        "decision",
    ]
    assert [decision.get("client") for decision in decisions(tmp_path)][-1] == "explain"
    records = atip("audit", "show", "--json", home=tmp_path).document["records"]
    assert [record["event"] for record in records] == ["refused", "end", "decision", "decision"]


def test_records_of_decisions_hold_no_secrets(tmp_path):
    demand_records(tmp_path)
    token, own = "ghp_" + "a1B2c3D4e5F6" * 3, "violet-harbour-93"
    line = f"curl -H 'Authorization: Bearer {token}' https://x.example/{own}"
    hook(tmp_path, {"line": line, "cwd": "/tmp"}, DEPLOY_TOKEN=own)
    (record,) = decisions(tmp_path)
    assert token not in json.dumps(record)
    assert own not in json.dumps(record)
    assert record["line"].startswith("curl -H ")


def test_a_long_line_has_its_record(tmp_path):
    demand_records(tmp_path)
    answer = hook(tmp_path, {"line": "true # " + "é" * 90_000, "cwd": "/tmp"})
    (record,) = decisions(tmp_path)
    assert record["decision"] == answer["decision"]
    assert record["line"].endswith("more characters]")


def test_no_record_no_permission(tmp_path):
    demand_records(tmp_path)
    folder = tmp_path / ".local/share/agent-tools"
    folder.mkdir(parents=True)
    (folder / "audit").write_text("in the way")
    answer = hook(tmp_path, {"line": READ, "cwd": "/tmp"})
    assert answer["decision"] == "ask"
    assert "cannot write the audit record" in answer["reason"]
    assert hook(tmp_path, {"line": "rm -rf /", "cwd": "/tmp"})["decision"] == "deny"


def test_without_that_policy_nothing_is_written_or_imported(tmp_path):
    request = json.dumps({"line": READ, "cwd": "/tmp"})
    ran = atip("guard", home=tmp_path, stdin=request, PYTHONPROFILEIMPORTTIME="1")
    assert ran.document["decision"] == "allow"
    assert "atip.workflows.judge" in ran.err
    assert "atip.execution" not in ran.err
    assert decisions(tmp_path) == []
    assert not (tmp_path / ".local/share/agent-tools/audit").exists()
