"""`run --line`: a whole shell line in one sandbox, as a shell would run it, and no way to widen it."""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.run import Ran, atip

pytestmark = pytest.mark.sandbox


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "work"
    (folder / ".git/hooks").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".env").write_text("PASSWORD=hunter2hunter2\n")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/id_ed25519").write_text("the key itself")
    return folder


def line(work: pathlib.Path, text: str, *options: str, **more: str) -> Ran:
    return atip("run", "--line", *options, text, home=work.parent, cwd=work, **more)


def test_streams_exit_code_and_pipes_are_those_of_a_shell(work: pathlib.Path) -> None:
    result = line(work, "echo out; echo err >&2; printf 'b\\na\\n' | sort; x=1; cd /; pwd; exit 7")
    assert (result.code, result.out) == (7, "out\na\nb\n/\n")
    assert result.err.startswith("err\n")
    assert line(work, "true").code == 0 and line(work, "false || exit 9").code == 9
    assert line(work, "kill -KILL $$").code == 137


def test_input_is_passed_on(work: pathlib.Path) -> None:
    result = atip(
        "run", "--line", "cat; wc -c < /dev/stdin", home=work.parent, cwd=work, stdin="abc"
    )
    assert result.out.startswith("abc")


def test_what_is_built_in_the_workspace_runs_and_stays(work: pathlib.Path) -> None:
    result = line(
        work, "printf '#!/bin/sh\\necho built\\n' > made && chmod +x made && ./made > out.txt"
    )
    assert result.code == 0 and (work / "out.txt").read_text() == "built\n", result


def test_secrets_home_network_and_what_runs_later_are_out_of_reach(work: pathlib.Path) -> None:
    text = (
        "cat .env; grep -q hunter .env && echo visible; cat ~/.ssh/id_ed25519; echo evil > .git/hooks/pre-commit; echo evil > .envrc; ls -A ~; "
        "(echo > /dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected; env; chmod 4755 out 2>/dev/null; echo end"
    )
    (work / "test.sh").write_text(text)
    result = line(
        work,
        "bash test.sh",
        GITHUB_TOKEN="ghs_" + "x1" * 20,
        SSH_AUTH_SOCK="/tmp/agent",
        BASH_ENV="/tmp/evil",
    )
    assert "end" in result.out and "connected" not in result.out
    for word in ("hunter2", "visible", "key itself", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "BASH_ENV"):
        assert word not in result.out + result.err, word
    assert os.listdir(work / ".git/hooks") == [] and not (work / ".envrc").exists()


@pytest.mark.parametrize(
    "options",
    [("--yes",), ("--policy", "workspace"), ("--preview",), ("--raw",), ("--timeout", "5")],
)
def test_no_option_widens_a_line(work: pathlib.Path, options: tuple[str, ...]) -> None:
    result = line(work, "echo ran", *options)
    assert result.code != 0 and "run.line-options" in result.err and "ran" not in result.out
    assert atip("run", "--line", "echo", "ran", home=work.parent, cwd=work).code != 0


@pytest.mark.parametrize(
    "text",
    ["rm -rf .git src", "git push", "sudo true", "curl -T x https://example.com/", "echo 'open"],
)
def test_what_a_sandbox_does_not_settle_is_not_run(work: pathlib.Path, text: str) -> None:
    result = line(work, f"{text}")
    assert result.code == 126, result
    assert (work / ".git/HEAD").exists()


def test_a_denied_line_stays_denied(work: pathlib.Path) -> None:
    rules = [{"name": "none", "decision": "deny", "tools": ["echo"]}]
    folder = work.parent / ".config/agent-tools"
    folder.mkdir(parents=True)
    policy = {"policy": {"version": "1", "preset": "cautious", "rules": rules}}
    (folder / "policy.json").write_text(json.dumps(policy))
    result = line(work, "./unknown; echo ran")
    assert result.code == 126 and "ran" not in result.out


def test_a_line_that_is_ended_leaves_nothing_behind(work: pathlib.Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    words = [sys.executable, "-m", "atip.cli.main", "run", "--line"]
    text = "echo evil > .envrc; echo up; sleep 271.828"
    with subprocess.Popen([*words, text], cwd=work, env=env, stdout=subprocess.PIPE) as going:
        assert going.stdout is not None and going.stdout.readline() == b"up\n"
        going.send_signal(signal.SIGTERM)
        assert going.wait(timeout=20) == 143
    assert not (work / ".envrc").exists()
    assert subprocess.run(["pgrep", "-f", "sleep 271.828"], capture_output=True).stdout == b""


@pytest.mark.parametrize(
    ("number", "to_group"), [(signal.SIGINT, True), (signal.SIGHUP, False), (signal.SIGKILL, False)]
)
def test_a_client_that_gives_up_ends_the_line(
    work: pathlib.Path, number: int, to_group: bool
) -> None:
    """A time-out of a client is a signal to the program that it started, or to its group."""
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    mark = f"sleep 314.{number}"
    words = [sys.executable, "-m", "atip.cli.main", "run", "--line", f"{mark} & echo up; {mark}"]
    with subprocess.Popen(
        words, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as going:  # fmt: skip
        assert going.stdout is not None and going.stdout.readline() == b"up\n"
        (os.killpg if to_group else os.kill)(going.pid, number)
        assert going.wait(timeout=20) in (128 + number, -number)
    for _ in range(100):
        left = subprocess.run(["pgrep", "-f", mark], capture_output=True).stdout
        if not left:
            break
        time.sleep(0.05)
    assert left == b""


CLIENT = """
import subprocess, sys
done = subprocess.run(["sh", "-c", sys.argv[1]], capture_output=True, text=True)
print(done.returncode, done.stdout.strip(), flush=True)
sys.stdin.readline()
"""


def test_jobs_in_the_background_live_as_long_as_the_client(work: pathlib.Path) -> None:
    """The line is over at once, as in a shell; its job goes on in the same sandbox until the client ends."""
    script = work.parent / "client.py"
    script.write_text(CLIENT)
    job = "sh -c 'while :; do date +%N > alive.txt; sleep 0.1; done'"
    own = f"{sys.executable} -m atip.cli.main run --line --unattended"
    inner = shlex.quote(f"{job} >/dev/null 2>&1 & echo started; (exit 3)")
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    with subprocess.Popen(
        [sys.executable, str(script), f"{own} {inner}"],
        cwd=work, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as client:  # fmt: skip
        assert client.stdout is not None and client.stdin is not None
        assert client.stdout.readline() == "3 started\n"
        alive = work / "alive.txt"
        wait_until(alive.exists)
        before = alive.read_text()
        wait_until(lambda: alive.read_text() not in ("", before))
        client.stdin.write("\n")
        client.stdin.close()
        assert client.wait(timeout=20) == 0
    wait_until(lambda: is_still(alive))


def is_still(path: pathlib.Path) -> bool:
    before = path.stat().st_mtime_ns
    time.sleep(1.0)
    return path.stat().st_mtime_ns == before


def wait_until(check: typing.Callable[[], bool], limit_s: float = 60.0) -> None:
    end = time.monotonic() + limit_s
    while not check():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_run_is_on_record(work: pathlib.Path) -> None:
    line(work, "./unknown || true")
    result = atip("audit", "show", "--json", home=work.parent)
    assert "./unknown || true" in result.out


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
def test_a_line_survives_as_one_quoted_word(text: str) -> None:
    for shell in ("bash", "dash", "zsh"):
        if not os.path.exists(f"/bin/{shell}"):
            continue
        script = f"printf %s {shlex.quote(text)}"
        result = subprocess.run([f"/bin/{shell}", "-c", script], capture_output=True, check=True)
        assert result.stdout == text.encode()
