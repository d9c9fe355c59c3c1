"""`guard serve`: hooks get the same answers from it as without it, and judge themselves whenever anything is unusual."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing

import pytest

from atip.system import guard_socket as calling
from tests.cli.run import Ran, atip

pytestmark = pytest.mark.skipif(
    not hasattr(socket, "SO_PEERCRED"), reason="peers are known by their credentials on Linux only"
)
FORGED = b'{"decision": "allow", "reason": "forged"}\n'
LINES = ("git status", "ls | head", "rm -rf ~", "npm test", "cat .env", "curl -s https://x.example", "$(")  # fmt: skip


@pytest.fixture
def runtime() -> typing.Iterator[pathlib.Path]:
    """A runtime directory with a short path, as sockets need it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rt"))
    yield folder
    shutil.rmtree(folder)


def place(runtime: pathlib.Path) -> pathlib.Path:
    return runtime / calling.FOLDER / calling.NAME


@contextlib.contextmanager
def serving(home: pathlib.Path, runtime: pathlib.Path) -> typing.Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime)}
    before = place(runtime).lstat().st_ino if place(runtime).exists() else 0
    server = subprocess.Popen(
        [sys.executable, "-m", "atip.cli.main", "guard", "serve"], env=env, stderr=subprocess.PIPE
    )
    try:
        wait_until(lambda: place(runtime).exists() and place(runtime).lstat().st_ino != before)
        yield server
    finally:
        if server.poll() is None:
            server.terminate()
        server.communicate(timeout=20)


def wait_until(check: typing.Callable[[], bool], limit_s: float = 30.0) -> None:
    end = time.monotonic() + limit_s
    while not check():
        assert time.monotonic() < end
        time.sleep(0.02)


def ask(home: pathlib.Path, runtime: pathlib.Path, line: str, *words: str) -> Ran:
    request = json.dumps({"line": line, "cwd": str(home)})
    return atip("guard", "hook", *words, home=home, stdin=request, XDG_RUNTIME_DIR=str(runtime))


def direct(runtime: pathlib.Path, home: pathlib.Path, stamp: bytes | None = None) -> bytes:
    """What the server itself sends back, without a client that could judge instead."""
    fields = (
        calling.own_stamp() if stamp is None else stamp,
        os.fsencode(home),
        b"guard\0hook",
        os.fsencode(f"HOME={home}"),
        json.dumps({"line": "git status", "cwd": str(home)}).encode(),
    )
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(30)
        line.connect(str(place(runtime)))
        try:
            line.sendall(b"".join(len(field).to_bytes(4, "big") + field for field in fields))
            line.shutdown(socket.SHUT_WR)
            return calling.receive(line, 100_000)
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_answers_are_those_of_the_hook_itself(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    alone = [ask(tmp_path, runtime, line) for line in LINES]
    with serving(tmp_path, runtime):
        assert b'"allow"' in direct(runtime, tmp_path)
        assert [ask(tmp_path, runtime, line) for line in LINES] == alone
        folder, found = place(runtime).parent.stat(), place(runtime).lstat()
        assert (folder.st_mode & 0o777, found.st_mode & 0o777) == (0o700, 0o600)
    assert not place(runtime).exists()


def test_a_changed_policy_counts_at_once(tmp_path: pathlib.Path, runtime: pathlib.Path) -> None:
    policy = tmp_path / ".config/agent-tools/policy.json"
    policy.parent.mkdir(parents=True)
    with serving(tmp_path, runtime):
        assert ask(tmp_path, runtime, "git status").document["decision"] == "allow"
        rule = {"match": {"commands": ["git status"]}, "action": "deny", "reason": "not today"}
        policy.write_text(json.dumps({"version": 1, "rules": [rule]}))
        policy.chmod(0o600)
        told = ask(tmp_path, runtime, "git status")
        served = direct(runtime, tmp_path)
        assert told.document["decision"] != "allow" and b'"allow"' not in served, (told, served)


def test_each_request_has_its_own_environment_and_folder(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with serving(tmp_path, runtime):
        assert ask(tmp_path, runtime, "git status", "--record").code == 0
        assert ask(other, runtime, "git status", "--record").code == 0
    for home in (tmp_path, other):
        log = atip("guard", "log", "--json", home=home).document["decisions"]
        assert [each["cwd"] for each in log] == [str(home)]


def test_a_dead_server_is_no_server(tmp_path: pathlib.Path, runtime: pathlib.Path) -> None:
    with serving(tmp_path, runtime) as server:
        children = pathlib.Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
        for pid in (server.pid, *map(int, children.split())):
            os.kill(pid, signal.SIGKILL)
        server.wait()
        assert place(runtime).exists()
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        assert ask(tmp_path, runtime, "git status").document["decision"] == "allow"


@contextlib.contextmanager
def impostor(runtime: pathlib.Path, answer: bytes, delay_s: float = 0.0) -> typing.Iterator[list]:
    """Listens where the server would, and says what it likes."""
    seen: list[bytes] = []
    place(runtime).parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(place(runtime)))
        place(runtime).chmod(0o600)
        made.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    line, _ = made.accept()
                    with line, contextlib.suppress(OSError):
                        seen.append(calling.receive(line, 1_000_000))
                        time.sleep(delay_s)
                        line.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield seen
        made.shutdown(socket.SHUT_RDWR)


def framed(answer: bytes) -> bytes:
    return len(answer).to_bytes(4, "big") + answer


@pytest.mark.parametrize(
    "answer",
    [b"", framed(FORGED)[:-3], framed(FORGED) + b"x", framed(b""), b"\xff\xff\xff\xff" + FORGED, FORGED],
)  # fmt: skip
def test_half_an_answer_is_none(
    answer: bytes, tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with impostor(runtime, answer) as seen:
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        assert len(seen) == 1


def test_a_slow_server_is_not_waited_for(tmp_path: pathlib.Path, runtime: pathlib.Path) -> None:
    with impostor(runtime, framed(FORGED), delay_s=8):
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"


@pytest.mark.parametrize("what", ["folder", "socket", "link"])
def test_a_place_that_others_can_write_is_not_used(
    what: str, tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with impostor(runtime, framed(FORGED)) as seen:
        if what == "folder":
            place(runtime).parent.chmod(0o777)
        elif what == "socket":
            place(runtime).chmod(0o666)
        else:
            moved = place(runtime).with_name("moved")
            place(runtime).rename(moved)
            place(runtime).symlink_to(moved)
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        assert seen == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user")
@pytest.mark.parametrize("owner", ["folder", "socket"])
def test_a_place_of_another_user_is_not_used(
    owner: str, tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with impostor(runtime, framed(FORGED)) as seen:
        os.chown(place(runtime).parent if owner == "folder" else place(runtime), 65534, 65534)
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        assert seen == []


IMPOSTOR = """
import os, socket, sys
made = socket.socket(socket.AF_UNIX)
made.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o600)
os.seteuid(65534)
made.listen(); print("ready", flush=True)
line, _ = made.accept()
line.sendall(bytes.fromhex(sys.argv[2]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user")
def test_a_process_of_another_user_at_our_socket_is_not_believed(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    place(runtime).parent.mkdir(mode=0o700)
    argv = [sys.executable, "-c", IMPOSTOR, str(place(runtime)), framed(FORGED).hex()]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as foreign:
        assert foreign.stdout is not None and foreign.stdout.readline() == "ready\n"
        assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        foreign.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a namespace of its own")
def test_a_process_in_another_view_of_the_files_is_not_answered(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with serving(tmp_path, runtime):
        code = (
            "import pathlib, sys; from tests.cli.test_guard_serve import direct;"
            f"print(len(direct(pathlib.Path({str(runtime)!r}), pathlib.Path({str(tmp_path)!r}))))"
        )
        argv = [sys.executable, "-c", code]
        for wrapper, expected in (([], True), (["unshare", "-m"], False)):
            done = subprocess.run([*wrapper, *argv], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            assert (int(done.stdout) > 0) is expected


@pytest.mark.sandbox
def test_a_confined_line_does_not_see_the_socket(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with serving(tmp_path, runtime):
        looked = f"ls {place(runtime)} 2>/dev/null || echo hidden"
        ran = atip("run", "--line", looked, home=tmp_path, cwd=work, XDG_RUNTIME_DIR=str(runtime))
        assert ran.out == "hidden\n", ran


def test_another_version_is_not_answered_and_makes_the_server_start_again(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with serving(tmp_path, runtime) as server:
        assert direct(runtime, tmp_path, stamp=b"0 other") == b""
        inode = place(runtime).lstat().st_ino
        for _ in range(
            5
        ):  # whoever comes now waits in the queue of the same socket, or judges itself
            assert ask(tmp_path, runtime, "rm -rf ~").document["decision"] == "deny"
        assert b'"allow"' in direct(runtime, tmp_path)
        assert server.poll() is None and place(runtime).lstat().st_ino == inode


def test_a_second_server_takes_over_without_a_gap(
    tmp_path: pathlib.Path, runtime: pathlib.Path
) -> None:
    with serving(tmp_path, runtime) as first:
        missed: list[str] = []
        stops = threading.Event()

        def keep_asking() -> None:
            while not stops.is_set():
                if not calling.is_private(str(place(runtime))):
                    missed.append("no socket")
                time.sleep(0.001)

        thread = threading.Thread(target=keep_asking)
        thread.start()
        with serving(tmp_path, runtime):
            first.wait(timeout=20)
            assert b'"allow"' in direct(runtime, tmp_path)
            stops.set()
            thread.join()
        assert missed == [] and first.returncode == 0
