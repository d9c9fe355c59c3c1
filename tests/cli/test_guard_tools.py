"""Tools of coding agents beyond the shell: files, addresses, MCP tools – by the same policy (`conformance/hooks/tools.tsv`)."""

from __future__ import annotations

import argparse
import json
import pathlib
import typing

import pytest

from atip.cli.guard.installation.clients import find_client, without_tools
from atip.cli.guard.judging import judge_request
from atip.cli.guard.modes import in_mode
from atip.cli.guard.protocols import answer, read_request
from atip.errors import NotFoundError
from atip.system.programs.own_program import own_program
from tests.cli.run import atip
from tests.shared import ROOT

EVENTS = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini-cli": "BeforeTool", "kimi": "PreToolUse"}  # fmt: skip
OPTIONS = argparse.Namespace(policy=None, record=False)


def read_rows() -> list[list[str]]:
    text = (ROOT / "conformance/hooks/tools.tsv").read_text()
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


ROWS = read_rows()


@pytest.fixture
def work(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / ".ssh/id_rsa")
    return folder


def request_of(client: str, mode: str, tool: str, arguments: typing.Any, cwd: pathlib.Path) -> dict:
    """As each client writes it."""
    frame: dict[str, typing.Any] = {"cwd": str(cwd), "hook_event_name": EVENTS.get(client, "")}
    if mode != "-":
        frame["permission_mode"] = mode
    if client in ("generic", "opencode"):
        return {"tool": tool, "arguments": arguments, "cwd": str(cwd)}
    if client == "copilot":
        return {"toolName": tool, "toolArgs": json.dumps(arguments), "cwd": str(cwd)}
    return {**frame, "tool_name": tool, "tool_input": arguments}


def judged(client: str, document: dict) -> dict:
    """The answer, as `guard hook` makes it."""
    request = read_request(client, document)
    try:
        found = judge_request(request, client, OPTIONS)
        outcome, reason = found.outcome, found.reason
    except ValueError as error:
        outcome, reason = "ask", str(error)
    if outcome is not None:
        outcome, reason = in_mode(client, request.mode, outcome, reason)
    return answer(client, request.event, outcome, reason)


def said(client: str, told: dict) -> str:
    inner = told.get("hookSpecificOutput", told)
    found = inner.get("permissionDecision", inner.get("decision", inner.get("permission", "none")))
    return str(found)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[2]}-{at}" for at, row in enumerate(ROWS)])  # fmt: skip
def test_a_tool_is_judged_by_the_same_policy(work: pathlib.Path, row: list[str]) -> None:
    client, mode, tool, arguments, expected = row
    text = arguments.replace("WORK", str(work)).replace("HOME", str(work.parent))
    document = request_of(client, mode, tool, json.loads(text), work)
    try:
        told = judged(client, document)
    except ValueError:  # `guard hook` says this as a question
        told = answer(client, EVENTS.get(client, ""), "ask", "cannot be read")
    assert said(client, told) == expected


def write_policy(home: pathlib.Path, **parts: object) -> None:
    config = home / ".config/agent-tools"
    config.mkdir(parents=True, exist_ok=True)
    (config / "policy.json").write_text(json.dumps({"policy": {"version": "1", **parts}}))
    (config / "policy.json").chmod(0o600)


def ask(work: pathlib.Path, tool: str, arguments: dict, mode: str = "default") -> str:
    document = request_of("claude-code", mode, tool, arguments, work)
    return said("claude-code", judged("claude-code", document))


def test_rules_hold_for_paths_and_hosts(work: pathlib.Path) -> None:
    write_policy(work.parent, preset="cautious", rules=[
        {"decision": "deny", "paths": [f"{work}/vendor/**"], "reason": "vendored"},
        {"decision": "allow", "hosts": ["docs.python.org"]},
        {"decision": "deny", "hosts": ["*.evil.example"]},
    ])  # fmt: skip
    assert ask(work, "Edit", {"file_path": f"{work}/vendor/x.py"}) == "deny"
    assert ask(work, "WebFetch", {"url": "https://docs.python.org/"}, "bypassPermissions") == "allow"  # fmt: skip
    assert ask(work, "WebFetch", {"url": "https://a.evil.example/"}) == "deny"


@pytest.mark.parametrize(("preset", "edit"), [("read-only", "deny"), ("cautious", "none"), ("workspace", "none"), ("ci", "none")])  # fmt: skip
def test_presets(work: pathlib.Path, preset: str, edit: str) -> None:
    write_policy(work.parent, preset=preset)
    assert ask(work, "Edit", {"file_path": f"{work}/src/a.py"}) == edit
    assert ask(work, "Read", {"file_path": f"{work}/src/a.py"}) == "none"
    protected = ask(work, "Edit", {"file_path": f"{work}/.envrc"})
    assert protected == ("deny" if preset in ("read-only", "ci") else "ask")


SERVER = {"mcpServers": {"github": {"command": "gh-mcp", "args": ["serve"]}}}


def test_only_a_pinned_mcp_tool_that_a_person_approved_is_allowed(work: pathlib.Path) -> None:
    from atip.toolbox import Toolbox

    config = work.parent / ".claude.json"
    config.write_text(json.dumps(SERVER))
    name = "mcp__github__list_issues"
    write_policy(work.parent, preset="cautious", rules=[{"decision": "allow", "tools": ["mcp__*"]}, {"decision": "allow", "words": [name]}])  # fmt: skip
    assert ask(work, name, {}, "bypassPermissions") == "deny"
    pin = Toolbox(cwd=str(work)).client_tools.pin_of("github")
    rule = {"decision": "allow", "words": [name], "pin": pin}
    write_policy(work.parent, preset="cautious", rules=[rule])
    assert ask(work, name, {}, "bypassPermissions") == "allow"
    assert ask(work, name, {"file": "~/.aws/credentials"}) == "ask"
    assert ask(work, "mcp__github__other", {}, "bypassPermissions") == "deny"
    config.write_text(json.dumps({"mcpServers": {"github": {"command": "evil"}}}))
    assert ask(work, name, {}, "bypassPermissions") == "deny"


def test_annotations_alarm_and_never_allow(work: pathlib.Path) -> None:
    for told, expected in (({"destructiveHint": True}, "ask"), ({"readOnlyHint": True}, "none")):
        document = request_of("claude-code", "default", "mcp__x__get", {}, work)
        assert said("claude-code", judged("claude-code", {**document, "annotations": told})) == expected  # fmt: skip
    document = request_of("claude-code", "auto", "mcp__x__get", {}, work)
    calm = {**document, "annotations": {"readOnlyHint": True}}
    assert said("claude-code", judged("claude-code", calm)) == "deny"


def test_a_foreign_server_with_our_name_is_judged(work: pathlib.Path) -> None:
    def configure(command: str) -> None:
        servers = {"atip": {"command": command, "args": ["mcp", "serve"]}}
        (work.parent / ".claude.json").write_text(json.dumps({"mcpServers": servers}))

    configure(own_program())
    assert ask(work, "mcp__atip__run", {}, "bypassPermissions") == "none"
    configure("/opt/other/atip")  # another program of our name
    assert ask(work, "mcp__atip__run", {}, "bypassPermissions") == "deny"
    configure("./atip")
    assert ask(work, "mcp__atip__run", {}, "bypassPermissions") == "deny"
    configure(own_program())
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"atip": {"command": "evil"}}}))
    assert ask(work, "mcp__atip__run", {}, "bypassPermissions") == "deny"


def test_policy_allow_pins_the_server_of_an_mcp_tool(tmp_path: pathlib.Path) -> None:
    ran = atip("policy", "allow", "mcp__nowhere__x", "--json", home=tmp_path)
    assert ran.document["error"]["code"] == "policy.no-such-server"


def test_a_tool_can_be_left_out_and_the_shell_cannot(tmp_path: pathlib.Path) -> None:
    client = without_tools(find_client("claude-code"), ["Read", "mcp"])
    matcher = client.events[0].matcher
    assert "Bash" in matcher and "Read" not in matcher and "mcp" not in matcher
    for name in ("Bash", "Nothing"):
        with pytest.raises(NotFoundError, match="judged"):
            without_tools(find_client("claude-code"), [name])
    ran = atip("guard", "install", "claude-code", "--without", "Read", home=tmp_path)
    assert ran.code == 0, ran.err
    text = (tmp_path / ".claude/settings.json").read_text()
    assert "Grep" in text and "Read" not in text
    assert atip("guard", "install", "claude-code", home=tmp_path).code == 0
    again = json.loads((tmp_path / ".claude/settings.json").read_text())
    assert [group["matcher"] for group in again["hooks"]["PreToolUse"]] == [find_client("claude-code").events[0].matcher]  # fmt: skip


def test_an_explanation_of_a_judged_tool_is_recorded(tmp_path: pathlib.Path) -> None:
    document = request_of("claude-code", "default", "Read", {"file_path": str(tmp_path / ".env")}, tmp_path)  # fmt: skip
    atip("guard", "hook", "--for", "claude-code", "--record", home=tmp_path, stdin=json.dumps(document))  # fmt: skip
    (record,) = atip("guard", "log", "--json", home=tmp_path).document["decisions"]
    assert (record["line"], record["answer"]) == (f"Read {tmp_path}/.env", "ask")
