"""The guard confines instead of asking: a client that is known to run rewritten lines runs `run --line`, and any other is asked as before."""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

from tests.cli.run import atip
from tests.shared import ROOT

pytestmark = pytest.mark.sandbox

CLIENT = """
import json, subprocess, sys, os
_, protocol, event, mode, ignores, *lines = sys.argv
for line in lines:
    asked = {"hook_event_name": event, "tool_name": "Bash", "cwd": os.getcwd(), "permission_mode": mode,
             "tool_input": {"command": line, "description": "x", "timeout": 9000}}
    hook = f"timeout 60 {sys.executable} -m atip.cli.main guard --for {protocol}"
    said = json.loads(subprocess.run(["sh", "-c", hook], input=json.dumps(asked), capture_output=True, text=True).stdout)
    block = said.get("hookSpecificOutput", {})
    decision = said.get("decision") or block.get("permissionDecision")
    given = block.get("updatedInput") or block.get("tool_input") or asked["tool_input"]
    run = line if ignores == "ignores" else given["command"]
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True) if decision == "allow" else None
    print(json.dumps({"decision": decision, "input": given, "code": done and done.returncode,
                      "out": done and done.stdout, "err": done and done.stderr}))
"""
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code-linux-x64", "2.1.197", "PreToolUse"),
    "codex": ("@openai/codex", "0.166.0", "PreToolUse"),
    "gemini": ("@google/gemini-cli", "0.61.0", "BeforeTool"),
}


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / "test.sh").write_text(
        "#!/bin/sh\necho built > built.txt; echo out > ../outside.txt\n"
    )
    (folder / "test.sh").chmod(0o755)
    return folder


def drive(
    work: pathlib.Path,
    *lines: str,
    protocol: str = "claude",
    version: str = "",
    mode: str = "default",
    ignores: str = "",
    at: pathlib.Path | None = None,
) -> list[dict]:
    """Run lines through a client of this package and version, as its hook and its shell would."""
    name, proven, event = PACKAGES[protocol]
    folder = (at or work.parent.parent) / "lib/node_modules" / name
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"name": name, "version": version or proven}))
    script = folder / "bin/client.py"
    if not script.exists():
        script.write_text(CLIENT)
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    words = [sys.executable, str(script), protocol, event, mode, ignores, *lines]
    done = subprocess.run(words, cwd=work, env=env, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_inside_of_a_clients_own_sandbox_nothing_is_confined(work: pathlib.Path) -> None:
    result = drive(work, "./test.sh", "ls", protocol="codex")
    assert [each["decision"] for each in result] == [
        "deny",
        None,
    ]  # silence: the client's own rules


@pytest.mark.parametrize("protocol", sorted(PACKAGES))
def test_what_the_sandbox_settles_runs_confined(work: pathlib.Path, protocol: str) -> None:
    (said,) = drive(work, "./test.sh", protocol=protocol, ignores="danger-full-access")
    assert said["decision"] == "allow" and said["code"] is not None, said
    command = said["input"].pop("command")
    assert said["input"] == {"description": "x", "timeout": 9000}
    assert os.path.isabs(shlex.split(command)[0]) and " -I " in command
    assert shlex.split(command)[-1] == "./test.sh"
    assert (work / "built.txt").exists() and not (work.parent / "outside.txt").exists()


def test_what_the_sandbox_does_not_settle_is_asked_about_and_reading_is_left_alone(
    work: pathlib.Path,
) -> None:
    pushed, opened, read = drive(work, "git push", "echo 'open", "ls")
    assert pushed["decision"] == opened["decision"] == "ask"
    assert read["decision"] == "allow" and read["input"]["command"] == "ls"


def test_the_rewritten_line_repeated_by_an_agent_is_not_confined_twice(work: pathlib.Path) -> None:
    (first,) = drive(work, "./test.sh")
    (again,) = drive(work, first["input"]["command"])
    (short,) = drive(work, "atip run --line ./test.sh")
    assert again["input"] == first["input"] == short["input"]


def test_a_plan_can_write_nothing(work: pathlib.Path) -> None:
    (said,) = drive(work, "./test.sh", mode="plan")
    assert said["decision"] == "allow" and "--read-only" in said["input"]["command"]
    assert "built.txt" in said["err"] and not (work / "built.txt").exists(), said


def test_an_unknown_version_is_asked_until_it_has_proved_itself(work: pathlib.Path) -> None:
    first, read, then = drive(work, "./test.sh", "ls", "./test.sh", version="9.9.9")
    assert first["decision"] == "ask"
    assert read["decision"] == "allow" and read["out"] == "test.sh\n" and read["code"] == 0
    assert "--token" in read["input"]["command"]
    assert then["decision"] == "allow" and (work / "built.txt").exists()
    script = next(work.parent.parent.glob("lib/**/client.py"))
    script.write_text(CLIENT + "# a new version\n")
    (changed,) = drive(work, "./test.sh", version="9.9.10")
    assert changed["decision"] == "ask"


def test_a_client_that_ignores_rewriting_is_never_trusted_and_left_alone(
    work: pathlib.Path,
) -> None:
    result = drive(work, *["ls"] * 6, "./test.sh", version="9.9.9", ignores="ignores")
    assert [("--token" in each["input"]["command"]) for each in result] == [True] * 5 + [False] * 2
    assert result[-1]["decision"] == "ask" and not (work / "built.txt").exists()


def test_a_token_of_another_program_proves_nothing(work: pathlib.Path) -> None:
    (read,) = drive(work, "ls", version="9.9.9", ignores="ignores")
    done = subprocess.run(
        ["bash", "-c", read["input"]["command"]],
        cwd=work,
        env={"PATH": os.environ["PATH"], "HOME": str(work.parent)},
        capture_output=True,
    )
    assert done.returncode == 0
    (said,) = drive(work, "./test.sh", version="9.9.9", ignores="ignores")
    assert said["decision"] == "ask"


def test_a_client_in_the_workspace_proves_nothing(work: pathlib.Path) -> None:
    (said,) = drive(work, "./test.sh", at=work)
    assert said["decision"] == "ask"


def test_where_no_sandbox_can_be_built_it_asks(work: pathlib.Path) -> None:
    """Inside of a sandbox that forbids new user namespaces, as a client's own may."""
    drive(work)
    script = next(work.parent.parent.glob("lib/**/client.py"))
    words = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--"]
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("bubblewrap cannot forbid user namespaces here")
    client = [sys.executable, str(script), "claude", "PreToolUse", "default", "", "./test.sh"]
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    done = subprocess.run([*words, *client], cwd=work, env=env, capture_output=True, text=True)
    assert json.loads(done.stdout)["decision"] == "ask", done


def test_a_caller_that_is_not_known_is_asked(work: pathlib.Path) -> None:
    asked = {
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(work),
        "tool_input": {"command": "./test.sh"},
    }  # fmt: skip
    result = atip("guard", "--for", "claude", home=work.parent, stdin=json.dumps(asked), cwd=work)
    assert result.document["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_unattended_asks_nobody_and_narrowing_options_need_a_line(work: pathlib.Path) -> None:
    result = atip("run", "--line", "--unattended", "git push", home=work.parent, cwd=work)
    assert result.code == 126 and "no terminal" in result.err
    for option in ("--read-only", "--unattended"):
        assert "run.line-only" in atip("run", option, "ls", home=work.parent, cwd=work).err


AFTERWARDS = """
import json, subprocess, sys, os
_, ignores, *lines = sys.argv
hook = f"timeout 60 {sys.executable} -m atip.cli.main guard hook --record --for claude"
def call(event, line):
    asked = {"hook_event_name": event, "tool_name": "Bash", "cwd": os.getcwd(), "permission_mode": "default", "tool_input": {"command": line}}
    done = subprocess.run(["sh", "-c", hook], input=json.dumps(asked), capture_output=True, text=True)
    return json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
for line in lines:
    block = call("PreToolUse", line)
    given = block.get("updatedInput", {}).get("command", "")
    if block.get("permissionDecision") == "allow":
        subprocess.run(["bash", "-c", "true" if ignores else given or line], capture_output=True)
        call("PostToolUse", line)
    print(json.dumps({"decision": block.get("permissionDecision"), "confined": bool(given)}))
"""


@pytest.mark.parametrize("ignores", ["", "ignores"])
def test_what_ran_is_checked_and_a_client_that_ignored_the_answer_gets_no_second_one(
    work: pathlib.Path, ignores: str
) -> None:
    name, version, _event = PACKAGES["claude"]
    folder = work.parent.parent / "lib/node_modules" / name
    (folder / "bin").mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"name": name, "version": version}))
    (folder / "bin/client.py").write_text(AFTERWARDS)
    # the tree under test, also where it is a copy with a defence switched off
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent), "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, str(folder / "bin/client.py"), ignores, "./test.sh", "./test.sh"]
    done = subprocess.run(words, cwd=work, env=env, capture_output=True, text=True, check=True)
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert first == {"decision": "allow", "confined": True}
    assert second == ({"decision": "ask", "confined": False} if ignores else first)
    shown = atip("audit", "show", "--json", home=work.parent, cwd=work).out
    assert ("outside the sandbox, although the guard confined it" in shown) is bool(ignores)
