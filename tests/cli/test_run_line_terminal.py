"""A line at a terminal gets one of its own, and servers of a line are reached where policy says so."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.cli.test_run_line import CLIENT

pytestmark = pytest.mark.sandbox
RUN = [sys.executable, "-m", "atip.cli.main", "run", "--line", "--unattended"]
SERVER = "python3 serve.py {port}"
PROGRAM = """import http.server, sys
handler = http.server.SimpleHTTPRequestHandler
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), handler).serve_forever()
"""


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / "page.txt").write_text("served from inside\n")
    (folder / "serve.py").write_text(PROGRAM)
    (folder / "look.sh").write_text(
        "test -t 0 && test -t 1 && echo terminal; stty size; read -r word; echo got=$word; sleep 60\n"
    )
    return folder


def environment(work: pathlib.Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(work.parent), "TERM": "xterm"}


def read_until(handle: int, text: bytes, limit_s: float = 60.0) -> bytes:
    found, end = b"", time.monotonic() + limit_s
    while text not in found:
        assert time.monotonic() < end, found
        if select.select([handle], [], [], 0.2)[0]:
            found += os.read(handle, 4096)
    return found


def test_a_line_at_a_terminal_has_one_of_its_own(work: pathlib.Path) -> None:
    child, handle = pty.fork()
    if child == 0:
        os.chdir(work)
        os.execve(RUN[0], [*RUN, "sh look.sh"], environment(work))
    try:
        shown = read_until(handle, b"terminal")
        assert b"terminal" in shown
        os.write(handle, b"typed\r")
        read_until(handle, b"got=typed")
        os.write(handle, b"\x03")  # an interrupt is the business of the line's own terminal
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) in (130, 128 + signal.SIGINT, -signal.SIGINT)
    finally:
        os.close(handle)


def test_without_a_terminal_there_is_none(work: pathlib.Path) -> None:
    done = subprocess.run(
        [*RUN, "sh -c 'test -t 0 || test -t 1 || echo none'"],
        cwd=work,
        env=environment(work),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "none\n", done


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""


def grant(work: pathlib.Path, port: int) -> None:
    folder = work.parent / ".config/agent-tools"
    folder.mkdir(parents=True)
    grants = {"ingress": [f"http://127.0.0.1:{port}/**"]}
    policy = {"policy": {"version": "1", "preset": "cautious", "grants": grants}}
    (folder / "policy.json").write_text(json.dumps(policy))


def wait_for(port: int, limit_s: float = 60.0) -> None:
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens at {port}")


def test_a_server_is_reached_at_a_port_that_policy_grants(work: pathlib.Path) -> None:
    port = free_port()
    grant(work, port)
    line = SERVER.format(port=port) + " >/dev/null 2>&1"
    with subprocess.Popen([*RUN, line], cwd=work, env=environment(work)) as going:
        wait_for(port)
        for _ in range(20):  # more than a callback would need
            assert fetch(port, "/page.txt") == (200, b"served from inside\n")
        # SECURITY: a page elsewhere may lead a browser here under another name
        assert fetch(port, "/page.txt", Host="evil.example")[0] == 403
        # another line beside it does not fail because the port is taken
        beside = [*RUN, "sh -c 'echo beside; ./unknown || true'"]
        done = subprocess.run(beside, cwd=work, env=environment(work), stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "beside\n"), done
        going.terminate()
        assert going.wait(timeout=30) == 143
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_server_is_not_reached_without_a_grant(work: pathlib.Path) -> None:
    port = free_port()
    line = f"{SERVER.format(port=port)} & sleep 2; echo up; sleep 60"
    with subprocess.Popen(
        [*RUN, line], cwd=work, env=environment(work), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as going:  # fmt: skip
        assert going.stdout is not None and going.stdout.readline() == b"up\n"
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
        going.kill()


def test_a_server_in_the_background_is_reached_after_the_line(work: pathlib.Path) -> None:
    port = free_port()
    grant(work, port)
    script = work.parent / "client.py"
    script.write_text(CLIENT)
    line = shlex.quote(f"{SERVER.format(port=port)} >/dev/null 2>&1 & echo up")
    argv = [sys.executable, str(script), f"{shlex.join(RUN)} {line}"]
    with subprocess.Popen(
        argv, cwd=work, env=environment(work), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:  # fmt: skip
        assert client.stdout is not None and client.stdout.readline() == "0 up\n"
        assert fetch(port, "/page.txt") == (200, b"served from inside\n")
        client.communicate("\n", timeout=30)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server outlives its client")
