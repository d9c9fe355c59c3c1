"""`atip guard install`, `uninstall`, `status`, `off`, `on`, `log` and `statusline` on real settings files."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import subprocess
import sys
import time
import tomllib

import pytest

from atip.cli.guard.installation.clients import CLIENTS, find_client, hook_command
from atip.cli.guard.installation.installing import (
    Scope,
    file_of,
    hooks_of,
    plan_install,
    plan_uninstall,
)
from atip.discovery.mcp.json_comments import without_comments
from atip.errors import AtipError
from tests.cli.run import Ran, atip

CLAUDE = """\
{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}
        ],
        "Stop": []
    },
    "permissions": {"allow": ["Bash(ls:*)"]}
}
"""
GEMINI = """\
{
\t// mine
\t"theme": "dark", /* and this */
\t"hooks": {
\t\t"BeforeTool": [
\t\t\t{"matcher": "replace", "hooks": [{"type": "command", "command": "fmt"}]} // theirs
\t\t],
\t\t"AfterTool": []
\t}
}
"""
CURSOR = '{"version": 1, "hooks": {"beforeShellExecution": [{"command": "./mine.sh"}]}}'
KIMI = """\
# settings of mine
default_model = "k"

[[hooks]]
event = "PreToolUse"   # theirs
command = "check"

[loop_control]
max_steps = 3
"""
CODEX = '{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "x"}]}]}}\n'
GIVEN = {"claude-code": CLAUDE, "gemini-cli": GEMINI, "cursor": CURSOR, "kimi": KIMI, "codex": CODEX}  # fmt: skip
NAMES = list(CLIENTS)


def scope(home: pathlib.Path, *, project: bool = False) -> Scope:
    return Scope(home=str(home), cwd=str(home), project=project)


def parsed(path: pathlib.Path) -> dict:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(without_comments(text))


@pytest.mark.parametrize("name", NAMES)
def test_an_installed_hook_answers_through_the_file_of_its_client(tmp_path, name):
    ran = atip("guard", "install", name, "--json", home=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.document["works"] is True
    (row,) = [r for r in status(tmp_path)["clients"] if r["client"] == name]
    assert (row["installed"], row["works"], row["lastCall"]) == (True, True, None)


def status(home: pathlib.Path) -> dict:
    return atip("guard", "status", "--json", home=home).document


@pytest.mark.parametrize("name", NAMES)
def test_a_second_installation_changes_nothing(tmp_path, name):
    atip("guard", "install", name, home=tmp_path)
    again = atip("guard", "install", name, "--json", home=tmp_path).document
    assert (again["written"], again["backups"]) == ([], [])


@pytest.mark.parametrize("name", GIVEN)
def test_everything_else_in_the_file_stays_and_the_way_back_leads_to_it(tmp_path, name):
    path = pathlib.Path(file_of(find_client(name), scope(tmp_path)))
    path.parent.mkdir(parents=True)
    path.write_text(GIVEN[name])
    path.chmod(0o640)
    before = parsed(path)
    ran = atip("guard", "install", name, "--json", home=tmp_path)
    assert pathlib.Path(ran.document["backups"][0]).read_text() == GIVEN[name]
    assert path.stat().st_mode & 0o777 == 0o640
    installed = path.read_text()
    for comment in ("// mine", "/* and this */", "// theirs", "# theirs"):
        assert (comment in installed) == (comment in GIVEN[name])
    assert [key for key in parsed(path) if key in before] == list(before)
    for change in plan_uninstall(find_client(name), scope(tmp_path)):
        if change.path == str(path):
            path.write_text(str(change.after))
    left = parsed(path)
    if name in ("gemini-cli", "claude-code"):  # an event that was empty before may be gone
        before["hooks"] = {k: v for k, v in before["hooks"].items() if v}
        left["hooks"] = {k: v for k, v in left.get("hooks", {}).items() if v}
    assert left == before
    assert ("// theirs" in path.read_text()) == ("// theirs" in GIVEN[name])


def test_a_damaged_file_is_left_alone(tmp_path):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {')
    ran = atip("guard", "install", "claude", home=tmp_path)
    assert ran.code != 0
    assert "config.damaged" in ran.err
    assert path.read_text() == '{"hooks": {'


@pytest.mark.parametrize("name", ["claude-code", "codex"])
@pytest.mark.parametrize(
    "text", ['{\n  // mine\n  "a": 1\n}\n', '{"a": 1,}\n'], ids=["comment", "comma"]
)
def test_comments_are_refused_where_the_client_would_ignore_the_file(tmp_path, name, text):
    """Seen with Claude Code 2.1.197 and Codex 0.166.0: the hook in such a file is never called."""
    path = pathlib.Path(file_of(find_client(name), scope(tmp_path)))
    path.parent.mkdir(parents=True)
    path.write_text(text)
    ran = atip("guard", "install", name, "--json", home=tmp_path)
    assert ran.document["error"]["code"] == "config.damaged"
    assert "comments or trailing commas" in ran.document["error"]["message"]
    assert path.read_text() == text


def test_a_comment_added_later_is_reported_and_does_not_keep_the_hook_in(tmp_path):
    assert atip("guard", "install", "claude-code", home=tmp_path).code == 0
    path = tmp_path / ".claude/settings.json"
    path.write_text(path.read_text().replace("{", "{\n  // mine\n", 1))
    ran = atip("guard", "status", "claude-code", "--json", home=tmp_path)
    assert (ran.code, ran.document["clients"][0]["works"]) == (1, False)
    assert "plain JSON" in ran.document["clients"][0]["says"]
    (change,) = plan_uninstall(find_client("claude-code"), scope(tmp_path))
    assert change.after is not None and "guard" not in change.after and "// mine" in change.after


def test_a_foreign_plugin_is_left_alone(tmp_path):
    path = tmp_path / ".config/opencode/plugins/atip-guard.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    assert "config.elsewhere" in atip("guard", "install", "opencode", home=tmp_path).err
    assert path.read_text() == "export const Mine = 1\n"


def test_a_dry_run_writes_nothing_and_shows_the_change(tmp_path):
    ran = atip("guard", "install", "claude-code", "--dry-run", home=tmp_path)
    assert "guard hook --for claude-code" in ran.out
    assert not (tmp_path / ".claude").exists()


def test_a_hook_of_before_is_replaced_where_it_stands(tmp_path):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    old = {"type": "command", "command": "atip guard --for claude", "timeout": 10}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old]}]}}))
    atip("guard", "install", "claude-code", home=tmp_path)
    (group,) = parsed(path)["hooks"]["PreToolUse"]
    assert len(group["hooks"]) == 1
    assert "--record" in group["hooks"][0]["command"]


def test_codex_trusts_the_hook_by_the_hash_of_its_normal_form(tmp_path):
    atip("guard", "install", "codex", home=tmp_path)
    state = parsed(tmp_path / ".codex/config.toml")["hooks"]["state"]
    hooks = str(tmp_path / ".codex/hooks.json")
    assert set(state) == {f"{hooks}:pre_tool_use:0:0", f"{hooks}:permission_request:0:0"}
    assert all(entry["trusted_hash"].startswith("sha256:") for entry in state.values())
    changes = plan_uninstall(find_client("codex"), scope(tmp_path))
    assert [str(c.after).strip() for c in changes if c.path.endswith("toml")] == [""]


def test_the_project_has_files_of_its_own(tmp_path):
    for name in NAMES:
        ran = atip("guard", "install", name, "--project", "--json", home=tmp_path)
        if name == "kimi":
            assert ran.document["error"]["code"] == "guard.no-project-file"
        else:
            assert ran.document["path"].startswith(str(tmp_path))
    assert atip("guard", "install", "codex", "--user", "--project", home=tmp_path).code == 2


def test_an_unknown_client_is_told_which_there_are(tmp_path):
    assert "did you mean `codex`" in atip("guard", "install", "codx", home=tmp_path).err
    assert atip("guard", "instal", "codex", home=tmp_path).code == 2


# --- fails closed ----------------------------------------------------------------------------------

BROKEN = {
    "missing": "exec /nonexistent/atip",
    "fails": "exit 1",
    "killed": "kill -9 $$",
    "stops": "kill -STOP $$",
}


@pytest.mark.parametrize("name", [n for n in NAMES if n != "opencode"])
@pytest.mark.parametrize("way", BROKEN)
def test_a_guard_that_does_not_answer_stops_the_line(tmp_path, monkeypatch, name, way):
    monkeypatch.setattr("atip.cli.guard.installation.clients.LIMIT_S", 1)
    program = tmp_path / "atip with space"
    program.write_text(f"#!/bin/sh\n{BROKEN[way]}\n")
    program.chmod(0o755)
    client = find_client(name)
    command = hook_command(client, client.events[0], str(program), "/usr/bin/timeout")
    ran = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True)
    if name == "copilot":  # this client reads the answer, not the code
        assert json.loads(ran.stdout)["permissionDecision"] == "deny"
        return
    assert ran.returncode == 2
    assert b"did not answer" in ran.stderr + ran.stdout


def test_status_says_that_a_hook_does_not_work(tmp_path):
    atip("guard", "install", "codex", "--command", "/nonexistent/atip", home=tmp_path)
    ran = atip("guard", "status", "codex", home=tmp_path)
    assert ran.code == 1
    assert "ended with status 2" in ran.out


def test_plans_only_ever_touch_files_of_the_client(tmp_path):
    for name in NAMES:
        for change in plan_install(
            find_client(name), scope(tmp_path), program="/x/atip", limiter=""
        ):
            assert change.path.startswith(str(tmp_path))
        assert hooks_of(find_client(name), file_of(find_client(name), scope(tmp_path))) == []


# --- switch and log --------------------------------------------------------------------------------


def on_terminal(
    home: pathlib.Path, answer: bytes, *words: str, cwd: pathlib.Path | None = None
) -> Ran:
    """Run with a terminal of its own, and type the answer."""
    leader, follower = pty.openpty()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ATIP_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "atip.cli.main", *words], stdin=follower, stderr=follower,
        stdout=subprocess.PIPE, env={**env, "HOME": str(home)}, cwd=cwd or home, start_new_session=True,
    )  # fmt: skip
    os.close(follower)
    os.write(leader, answer)
    out, _ = process.communicate(timeout=60)
    os.close(leader)
    return Ran(process.returncode, out.decode(), "")


def ask(home: pathlib.Path, line: str, *words: str) -> dict:
    request = json.dumps({"line": line, "cwd": str(home)})
    return atip("guard", "hook", "--record", *words, home=home, stdin=request).document


def test_the_guard_is_switched_off_on_a_terminal_only_and_the_never_list_holds(tmp_path):
    assert atip("guard", "off", "--for", "1h", home=tmp_path).code != 0
    assert ask(tmp_path, "rm -rf build")["decision"] == "ask"
    assert on_terminal(tmp_path, b"n\n", "guard", "off", "--for", "1h").code == 1
    assert on_terminal(tmp_path, b"y\n", "guard", "off", "--for", "1h").code == 0
    assert ask(tmp_path, "rm -rf build")["decision"] == "allow"
    assert ask(tmp_path, "rm -rf /")["decision"] == "deny"
    request = {"tool_name": "Bash", "tool_input": {"command": "make"}, "cwd": "/tmp"}
    ran = atip("guard", "--for", "claude", home=tmp_path, stdin=json.dumps(request))
    assert ran.document == {}
    assert "off until" in atip("guard", "statusline", home=tmp_path).out
    assert atip("guard", "on", home=tmp_path).code == 0
    assert ask(tmp_path, "rm -rf build")["decision"] == "ask"
    events = [r for r in atip("audit", "show", "--json", home=tmp_path).document["records"] if r["event"] == "guard"]  # fmt: skip
    assert [record["state"] for record in events] == ["off", "on"]


@pytest.mark.parametrize("time", ["0s", "2d", "soon", "-1h"])
def test_the_time_has_an_end(tmp_path, time):
    assert atip("guard", "off", f"--for={time}", home=tmp_path).code == 2


def test_a_switch_that_was_forged_or_is_over_counts_for_nothing(tmp_path):
    folder = tmp_path / ".config/agent-tools"
    folder.mkdir(parents=True)
    for until in (time.time() - 1, time.time() + 10 * 86400):
        (folder / "guard-off.json").write_text(json.dumps({"until": until}))
        assert ask(tmp_path, "rm -rf build")["decision"] == "ask"
    (folder / "guard-off.json").write_text("not json")
    assert ask(tmp_path, "pwd")["decision"] == "ask"


def test_the_log_has_what_why_and_how_long(tmp_path):
    ask(tmp_path, "pwd")
    ask(tmp_path, "rm -rf build")
    claude = {"tool_name": "Bash", "tool_input": {"command": "make"}, "cwd": "/tmp", "permission_mode": "auto"}  # fmt: skip
    atip("guard", "--for", "claude", "--record", home=tmp_path, stdin=json.dumps(claude))
    records = atip("guard", "log", "--json", home=tmp_path).document["decisions"]
    assert [r["answer"] for r in records] == ["allow", "ask", "deny"]
    assert (records[2]["decision"], records[2]["mode"]) == ("ask", "auto")
    assert all(record["durationMs"] > 0 and record["reasons"] for record in records)
    only = atip("guard", "log", "--only", "ask", "--json", home=tmp_path).document["decisions"]
    assert [r["line"] for r in only] == ["rm -rf build"]
    shown = atip("guard", "log", "--last", "1", home=tmp_path).out
    assert "claude-code  deny" in shown
    assert " ms" in shown
    assert atip("guard", "statusline", home=tmp_path).out == "atip: 1 allowed · 0 confined · 1 asked · 1 denied\n"  # fmt: skip
    assert atip("audit", "verify", home=tmp_path).code == 0


def test_a_log_that_cannot_be_written_does_not_stop_what_policy_allows(tmp_path):
    (tmp_path / ".local/share/agent-tools/audit").mkdir(parents=True)
    os.symlink("/nonexistent/x", tmp_path / ".local/share/agent-tools/audit/audit.jsonl")
    answer = ask(tmp_path, "pwd")
    assert answer["decision"] == "allow"


def test_reading_backwards_finds_every_record(tmp_path):
    from atip.execution.audit.chain import Audit

    audit = Audit(str(tmp_path), max_file=3000)
    for number in range(40):
        audit.append({"event": "x", "number": number, "text": "é" * number})
    assert [r["number"] for r in audit.newest()] == list(reversed(range(40)))
    assert list(Audit(str(tmp_path / "none")).newest()) == []


def test_an_unknown_client_raises():
    with pytest.raises(AtipError):
        find_client("nano")
