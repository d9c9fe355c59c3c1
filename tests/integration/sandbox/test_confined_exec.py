"""Starting other programs, the bytes that run, variables, limits and terminals of a confined run."""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest

from atip.errors import ExecutionError, TrustError
from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.kernel.cgroups import find_parent
from atip.sandbox.run import RunRequest, run_confined, start_confined
from atip.sandbox.verified import seal
from tests.integration.sandbox.confined import PYTHON, attempt, every_launcher, go, python
from tests.integration.sandbox.zoo_harness import processes_of

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("every_launcher")]
__all__ = ["every_launcher"]
MARK = f"27.1{os.getpid()}"
"""Of this process alone: another run of the same tests has processes of its own."""


@pytest.mark.skipif(find_parent() is None, reason="no control group can be made here")
def test_memory_of_all_processes_together_is_limited() -> None:
    """Each of eight processes stays below the limit; together they do not."""
    code = (
        "import subprocess, sys\n"
        "one = 'x = bytearray(40 << 20); import time; time.sleep(3)'\n"
        "many = [subprocess.Popen([sys.executable, '-I', '-S', '-c', one]) for _ in range(8)]\n"
        "print([each.wait() for each in many].count(0), flush=True)\n"
    )
    limits = Limits(wall_s=30, memory_bytes=100 << 20)
    result = python(Confinement(exec_allow=True, exec_spawn=("*",), limits=limits), code)
    assert result.out.strip() not in ("8", "7", "6", "5"), result
    assert "memory-total" in result.outcome.layers
    alone = python(Confinement(limits=limits), "x = bytearray(40 << 20); print('fits')")
    assert alone.out == "fits\n"


def test_a_run_without_a_control_group_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atip.sandbox.kernel.cgroups._candidates", lambda: ())
    result = python(Confinement(limits=Limits(memory_bytes=1 << 30)), "print('ran')")
    assert result.out == "ran\n" and "memory-total" not in result.outcome.layers
    assert any("memory" in note and "each process" in note for note in result.outcome.notes)


@pytest.mark.proves("AIP29-SANDBOX-06")
def test_exec_off_leaves_threads_but_no_process() -> None:
    tries = [
        "import threading; t=threading.Thread(target=print); t.start(); t.join()",
        "os.fork()",
        "subprocess.run(['/bin/true'])",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "fd=os.open('/bin/true', os.O_RDONLY); os.execve(fd, ['true'], {})",
        "os.dup2(0, 1000)",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))",
        "assert ctypes.CDLL(None).syscall(319, b'x', 0) >= 0",
    ]
    confinement = Confinement(exec_allow=False, exec_spawn=("true",))
    result = python(confinement, attempt(*tries))
    # As many lines as tries: an exec that worked would have ended the program.
    assert result.out.count("\n") == len(tries) + 1, result  # the thread prints one more
    assert result.out.split()[0] == "done" and result.out.count("done") == 1, result


@pytest.mark.proves("AIP29-SANDBOX-07")
def test_spawn_list_starts_only_what_it_names(tmp_path: pathlib.Path) -> None:
    confinement = Confinement(
        exec_allow=True, exec_spawn=("cat", "cp"), fs_write=(f"{tmp_path}/**",)
    )
    loader = os.path.realpath("/lib64/ld-linux-x86-64.so.2")
    copies = "/tmp", "/dev/shm", str(tmp_path), os.path.expanduser("~")
    tries = ["assert subprocess.run(['cat', '/dev/null']).returncode == 0"]
    tries += [
        f"subprocess.run(['{name}'], check=True)" for name in ("sh", "/bin/ls", "/usr/bin/env")
    ]
    for place in copies:
        tries += [
            f"subprocess.run(['cp', '/usr/bin/cat', '{place}/c'], check=True); "
            f"subprocess.run(['{place}/c', '/dev/null'], check=True)",
            f"subprocess.run(['{loader}', '{place}/c', '/dev/null'], check=True)",
        ]
    tries.append("assert ctypes.CDLL(None).syscall(319, b'x', 0) >= 0")
    result = python(confinement, attempt(*tries))
    assert result.out.count("\n") == len(tries), result
    assert result.out.split()[0] == "done" and result.out.count("done") == 1, result


def test_empty_spawn_list_means_none() -> None:
    code = attempt(
        "subprocess.run(['/bin/true'])", f"os.execv('{PYTHON}', ['x'])", "os.fork() or os._exit(0)"
    )
    result = python(Confinement(exec_allow=True), code)
    assert result.out.split("\n")[2] == "done" and result.out.count("done") == 1, result


def test_sealed_bytes_run_although_the_file_was_swapped(tmp_path: pathlib.Path) -> None:
    tool = tmp_path / "tool"
    for swap in ("rename", "in-place"):
        tool.write_bytes(pathlib.Path("/bin/echo").read_bytes())
        tool.chmod(0o755)
        binary = seal(str(tool))
        evil = pathlib.Path("/bin/false").read_bytes()
        if swap == "rename":
            (tmp_path / "evil").write_bytes(evil)
            os.rename(tmp_path / "evil", tool)
        else:
            tool.write_bytes(evil)
        said = bytearray()
        outcome = run_confined(
            Confinement(),
            RunRequest(argv=("tool", "good"), binary=binary),
            lambda _n, data, said=said: said.extend(data),
        )
        binary.close()
        assert (outcome.exit_code, bytes(said)) == (0, b"good\n")


def test_other_bytes_than_approved_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TrustError) as refused:
        seal("/bin/true", expected="sha256:" + "0" * 64)
    assert refused.value.code == "trust.digest-mismatch"


def test_script_runs_with_its_recorded_interpreter(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\nimport sys; print(sys.argv)\n")
    script.chmod(0o755)
    binary = seal(str(script))
    assert binary.interpreter == (PYTHON,)
    binary.close()
    assert go(Confinement(), str(script), "a b").out == f"['{script}', 'a b']\n"


def test_script_without_interpreter_is_refused(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/nowhere/python\n")
    with pytest.raises(ExecutionError) as refused:
        seal(str(script))
    assert refused.value.code == "execution.interpreter"


def test_file_that_is_no_program_is_an_error_not_an_outcome(tmp_path: pathlib.Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(b"\x00\x01\x02")
    with pytest.raises(ExecutionError) as refused:
        go(Confinement(), str(junk))
    assert refused.value.code == "execution.not-started"


@pytest.mark.proves("AIP29-SANDBOX-08", "AIP29-SANDBOX-09")
def test_variables_are_passed_set_and_never_loaders() -> None:
    loaders = (
        "LD_PRELOAD",
        "PYTHONPATH",
        "GIT_EXEC_PATH",
        "BASH_ENV",
        "NODE_OPTIONS",
        "HTTPS_PROXY",
    )
    caller = dict.fromkeys(loaders, "evil") | {
        "GH_TOKEN": "t",
        "OTHER": "o",
        "FORCED": "caller",
    }
    confinement = Confinement(
        env_pass=("GH_TOKEN", "ABSENT", "FORCED", *loaders), env_set=(("FORCED", "set"),)
    )
    result = go(confinement, "/usr/bin/env", caller_env=caller)
    seen = dict(line.split("=", 1) for line in result.out.splitlines())
    assert (seen["GH_TOKEN"], seen["FORCED"]) == ("t", "set")
    assert "evil" not in seen.values() and "OTHER" not in seen and "ABSENT" not in seen
    assert result.outcome.env_dropped == loaders


@pytest.mark.measured
def test_time_limit_kills_the_whole_tree() -> None:
    code = f"import subprocess; subprocess.Popen(['sleep', '{MARK}'], start_new_session=True); subprocess.run(['sleep', '{MARK}'])"
    confinement = Confinement(exec_allow=True, exec_spawn=("sleep",), limits=Limits(wall_s=0.5))
    began = time.monotonic()
    result = python(confinement, code)
    assert result.outcome.timed_out and time.monotonic() - began < 1.5
    assert processes_of(MARK) == []


@pytest.mark.measured
def test_daemon_does_not_outlive_its_program() -> None:
    code = f"import subprocess; subprocess.Popen(['sleep', '{MARK}'], start_new_session=True)"
    result = python(Confinement(exec_allow=True, exec_spawn=("sleep",)), code)
    assert result.code == 0 and result.outcome.duration_s < 2
    assert processes_of(MARK) == []


@pytest.mark.measured
def test_cancel_ends_a_run_within_a_second() -> None:
    binary = seal("/bin/sleep")
    running = start_confined(
        Confinement(), RunRequest(argv=("sleep", MARK), binary=binary), lambda _n, _d: None
    )
    threading.Timer(0.2, running.cancel).start()
    began = time.monotonic()
    outcome = running.wait()
    binary.close()
    assert outcome.cancelled and time.monotonic() - began < 1.2
    assert processes_of(MARK) == []


def test_memory_processes_files_and_output_are_limited(tmp_path: pathlib.Path) -> None:
    limits = Limits(
        memory_bytes=200 << 20, processes=20, file_bytes=1 << 20, output_bytes=1000, wall_s=10
    )
    confinement = Confinement(
        exec_allow=True, exec_spawn=("sleep",), fs_write=(f"{tmp_path}/**",), limits=limits
    )
    tries = [
        "bytearray(300 << 20)",
        "[subprocess.Popen(['sleep', '5']) for _ in range(40)]",
        f"open('{tmp_path}/big', 'wb').write(bytes(2 << 20))",
        "bytearray(10 << 20)",
    ]
    result = python(confinement, attempt(*tries) + "\nprint('x' * 5000)")
    lines = result.out.splitlines()
    assert lines[0].startswith("MemoryError") and lines[1].startswith("BlockingIOError"), result
    assert lines[2].startswith("OSError") and lines[3] == "done"
    assert result.outcome.output_truncated and len(result.out) == 1000
    assert (tmp_path / "big").stat().st_size <= 1 << 20


@pytest.mark.measured
def test_a_gigabyte_of_output_is_streamed_without_being_kept() -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = [0]

    def count(_name: str, data: bytes) -> None:
        seen[0] += len(data)

    binary = seal("/usr/bin/head")
    confinement = Confinement(limits=Limits(wall_s=60))
    run_confined(
        confinement, RunRequest(argv=("head", "-c", "256M", "/dev/zero"), binary=binary), count
    )
    binary.close()
    assert seen[0] == 256 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_large_input_reaches_the_program() -> None:
    assert go(Confinement(), "/usr/bin/wc", "-c", stdin=b"x" * 3_000_000).out.strip() == "3000000"


@pytest.mark.proves("AIP29-SANDBOX-10")
def test_terminal_is_private_and_cannot_be_typed_into() -> None:
    code = (
        "import os, fcntl, termios\n"
        "print(os.isatty(0), os.isatty(1), os.get_terminal_size())\n"
        "t = os.open('/dev/tty', os.O_RDWR); print('tty', os.isatty(t))\n"
        "try: fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('typed')\n"
        "except OSError as e: print('refused', e.errno)\n"
        "print('read', input())\n"
    )
    result = python(Confinement(tty=True), code, stdin=b"hello\n")
    assert "True True os.terminal_size(columns=80, lines=24)" in result.out, result
    assert "tty True" in result.out and "refused 1" in result.out and "read hello" in result.out


def test_without_a_terminal_there_is_none() -> None:
    result = python(Confinement(), attempt("os.open('/dev/tty', os.O_RDWR)", "assert os.isatty(1)"))
    assert "done" not in result.out


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_real_programs_work_confined(tmp_path: pathlib.Path) -> None:
    (tmp_path / "f").write_text("content")
    tree = Confinement(fs_write=(f"{tmp_path}/**",))
    assert go(tree, "/usr/bin/tar", "cf", "a.tar", "f", cwd=tmp_path).code == 0
    assert go(tree, "/usr/bin/tar", "tf", "a.tar", cwd=tmp_path).out == "f\n"
    assert go(Confinement(), "/usr/bin/jq", ".a", stdin=b'{"a": 5}').out == "5\n"
    assert go(Confinement(), shutil.which("node") or "", "-e", "console.log(1 + 1)").out == "2\n"
    assert (
        python(Confinement(), "import asyncio; asyncio.run(asyncio.sleep(0)); print('ok')").out
        == "ok\n"
    )


def test_git_commits_and_clones_inside_its_tree(tmp_path: pathlib.Path) -> None:
    confinement = Confinement(
        fs_write=(f"{tmp_path}/**",),
        exec_allow=True,
        exec_spawn=("git", "sh"),
        env_set=(
            *(("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b.test")),
            *(("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@b.test")),
        ),
    )
    for arguments in (
        ("init", "-q", "one"),
        ("-C", "one", "commit", "-q", "--allow-empty", "-m", "first"),
        ("clone", "-q", "one", "two"),
    ):
        result = go(confinement, "/usr/bin/git", *arguments, cwd=tmp_path)
        assert result.code == 0, result
    assert "first" in go(confinement, "/usr/bin/git", "-C", "two", "log", cwd=tmp_path).out


HOST = """
import sys
from atip.model.permissions.confinement import Confinement
from atip.sandbox.bubblewrap import backend as bubblewrap_run, launchers
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import seal
if sys.argv[3] == "python":
    launchers.find_perl = lambda: None
print("up", flush=True)
run_confined(
    Confinement(fs_write=(sys.argv[2] + "/**",), exec_allow=True, exec_spawn=("true",)),
    RunRequest(argv=("sleep", sys.argv[1]), binary=seal("/bin/sleep")), lambda n, d: None,
)
"""


def _kill_hosts(tmp_path: pathlib.Path, launcher: str, rounds: int) -> None:
    for round_ in range(rounds):
        command = [sys.executable, "-c", HOST, MARK, str(tmp_path), launcher]
        host = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert host.stdout is not None
        host.stdout.readline()
        time.sleep(round_ / rounds * 0.06)
        host.kill()
        host.wait(5)
        host.stdout.close()
    deadline = time.monotonic() + 5
    while processes_of(str(tmp_path)) or processes_of(MARK):
        assert time.monotonic() < deadline, (processes_of(str(tmp_path)), processes_of(MARK))
        time.sleep(0.02)


def test_kill_of_the_host_at_any_moment_leaves_nothing(
    tmp_path: pathlib.Path, every_launcher: str
) -> None:
    _kill_hosts(tmp_path, every_launcher, 15)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_kills_of_the_host_leave_nothing(tmp_path: pathlib.Path, every_launcher: str) -> None:
    _kill_hosts(tmp_path, every_launcher, 1000)


def test_signal_death_and_exit_status_are_told_apart() -> None:
    killed = python(Confinement(), "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (killed.code, killed.outcome.signal) == (139, 11)
    assert (python(Confinement(), "raise SystemExit(3)").outcome.signal) is None


def test_broken_pipe_ends_a_program_as_usual() -> None:
    confinement = Confinement(exec_allow=True, exec_spawn=("yes", "head"))
    result = go(confinement, "/bin/bash", "-c", "yes | head -n 1; echo ${PIPESTATUS[0]}")
    assert result.out == "y\n141\n"


def test_many_runs_at_once() -> None:
    results: list[int] = []

    def one(number: int) -> None:
        results.append(go(Confinement(), "/bin/bash", "-c", f"exit {number % 7}").code - number % 7)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0] * 20


def _race(tmp_path: pathlib.Path, rounds: int) -> None:
    """Swap and rewrite a program while it is sealed and run: what runs is what was hashed."""
    good, evil = pathlib.Path("/bin/echo").read_bytes(), pathlib.Path("/bin/false").read_bytes()
    expected = {
        f"sha256:{hashlib.sha256(good).hexdigest()}": (0, b"good\n"),
        f"sha256:{hashlib.sha256(evil).hexdigest()}": (1, b""),
    }
    tool = tmp_path / "tool"
    tool.write_bytes(good)
    tool.chmod(0o755)
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            data = good if number % 2 else evil
            if number % 4 < 2:
                (tmp_path / "next").write_bytes(data)
                os.chmod(tmp_path / "next", 0o755)
                os.rename(tmp_path / "next", tool)
            else:
                tool.write_bytes(data)
            time.sleep(0.0005)

    swapper = threading.Thread(target=swap)
    swapper.start()
    ran = dict.fromkeys(expected, 0)
    try:
        while sum(ran.values()) < rounds:
            try:
                binary = seal(str(tool))
            except ExecutionError:
                continue
            if binary.digest not in expected:  # read in the middle of a write: nobody approved that
                binary.close()
                continue
            said = bytearray()
            outcome = run_confined(
                Confinement(),
                RunRequest(argv=("tool", "good"), binary=binary),
                lambda _n, data, said=said: said.extend(data),
            )
            binary.close()
            assert (outcome.exit_code, bytes(said)) == expected[binary.digest]
            ran[binary.digest] += 1
    finally:
        stop.set()
        swapper.join()
    assert all(ran.values()), ran


def test_race_of_swaps_never_runs_unhashed_bytes(tmp_path: pathlib.Path) -> None:
    _race(tmp_path, 60)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_long_race_of_swaps_never_runs_unhashed_bytes(tmp_path: pathlib.Path) -> None:
    _race(tmp_path, 10_000)
