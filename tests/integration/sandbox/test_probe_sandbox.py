"""The probe sandbox against real programs: limits, isolation between probes, and its own death."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

from atip.errors import SandboxError
from atip.model.permissions.confinement import PROBE
from atip.sandbox.probes.probe import Probe, ProbeSandbox
from tests.integration.sandbox.unprivileged import ROOT, environment, system_python
from tests.integration.sandbox.zoo_harness import (
    animals,
    processes_of,
    run_confined_animal,
    run_probe_animal,
)

pytestmark = pytest.mark.sandbox
ZOO = ROOT / "conformance/zoo"
IN_ZOO = [animal for animal in animals(ZOO) if animal["phase"] != "run"]
SLEEP_MARK = "31.4159"
SLOW = ("hang", "ignore-sigterm", "many-files", "burns-cpu", "drips", "holds-pipe", "starts-pager")


@pytest.mark.proves("ATIP6-5.2-01", "ATIP1-3.4.1-07", "ATIP6-11-02")
@pytest.mark.parametrize("animal", IN_ZOO, ids=lambda animal: animal["name"])
def test_animal_gets_the_right_reaction_and_does_no_harm(animal: dict[str, object]) -> None:
    report = run_probe_animal(ZOO, animal)
    assert (report.wrong, report.leaks) == ([], [])
    assert b"FOUND" not in report.output


@pytest.mark.proves("AIP29-SANDBOX-01", "AIP29-SANDBOX-11")
@pytest.mark.parametrize("animal", animals(ZOO, "run"), ids=lambda animal: animal["name"])
def test_confined_animal_does_no_harm(animal: dict[str, object]) -> None:
    report = run_confined_animal(ZOO, animal)
    assert (report.wrong, report.leaks) == ([], []), report


@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_whole_zoo_is_harmless_for_an_unprivileged_user() -> None:
    adapter = str(ROOT / "benchmarks/adapters/zoo.py")
    command = [*system_python(), adapter, str(ZOO)]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    count = len(animals(ZOO))
    assert ran.stdout.splitlines()[-1:] == [f"{count}/{count} leaks=0"], ran


def test_no_animal_affects_the_next_probe_in_the_same_sandbox() -> None:
    quick = [a for a in IN_ZOO if a["name"] not in SLOW]
    wrong = []
    with ProbeSandbox(visible=[str(ZOO)]) as box:
        first = box._workers[0]
        for animal in quick * 2:
            program = f"{ZOO}/{animal['file']}"
            result = box.run([program, *animal["argv"]], env_set={"ZOO_DIR": "/tmp/z"})  # type: ignore[misc]
            good = box.run([f"{ZOO}/good", "--agent"])
            if b"FOUND" in result.stdout or b"found:" in result.stderr or not good.ok:
                wrong.append((animal["name"], result, good))
        assert first is box._workers[0]
    assert wrong == []


def test_scratch_is_a_fresh_sandbox_after_too_many_files_to_remove() -> None:
    with ProbeSandbox(visible=[str(ZOO)]) as box:
        assert box.run([f"{ZOO}/many-files"]).exit_code == 0
        assert box.run(["/bin/sh", "-c", 'ls -A "$HOME"']).stdout == b""


@pytest.mark.measured
def test_time_limit_is_exact_and_ends_everything() -> None:
    with ProbeSandbox() as box:
        began = time.monotonic()
        result = box.run(["/bin/sh", "-c", f"sleep {SLEEP_MARK} & sleep {SLEEP_MARK}"], wall_s=0.5)
        assert result.timed_out
        assert time.monotonic() - began < 1.0
        assert processes_of(SLEEP_MARK) == []


@pytest.mark.measured
def test_dripping_output_does_not_stretch_the_time_limit() -> None:
    with ProbeSandbox() as box:
        script = "while :; do echo x; sleep 0.01; done"
        before = _waited_for_processors()
        duration_s = box.run(["/bin/sh", "-c", script], wall_s=0.5).duration_s
        assert 0.4 < duration_s < 1.0 + _waited_for_processors() - before


def _waited_for_processors() -> float:
    """Seconds in which something waited for a processor; only these stretch a limit."""
    with open("/proc/pressure/cpu") as file:
        return int(file.readline().rpartition("total=")[2]) / 1e6


@pytest.fixture
def load():
    """Four busy processes for every processor."""
    count = 4 * len(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    yield
    for process in busy:
        process.kill()
        process.wait()


@pytest.mark.measured
def test_waiting_for_a_processor_does_not_count(load) -> None:
    """0.5 s of work take far longer than the limit of 1 s here."""
    work = 'do { ($user, $system) = times } while $user + $system < 0.5; print "done\\n"'
    with ProbeSandbox() as box:
        result = box.run(["/usr/bin/perl", "-e", work], wall_s=1.0)
    assert (result.stdout, result.timed_out) == (b"done\n", False)
    assert 0.5 <= result.cpu_s < 1.5


@pytest.mark.measured
def test_waiting_for_anything_else_counts_on_a_loaded_machine(load) -> None:
    with ProbeSandbox() as box:
        result = box.run(["/bin/sleep", SLEEP_MARK], wall_s=1.0)
    assert result.timed_out and result.duration_s < 4.0


@pytest.mark.measured
def test_a_program_that_only_waits_is_over_before_its_limit() -> None:
    with ProbeSandbox() as box:
        waiting = box.run(["/bin/sleep", SLEEP_MARK], wall_s=20.0)
        working = "sleep 2; perl -e 'do { ($u) = times } while $u < 0.3'; sleep 2; echo done"
        resting = box.run(["/bin/sh", "-c", working], wall_s=20.0)
    assert waiting.timed_out and 2.5 < waiting.duration_s < 5.0
    assert (resting.stdout, resting.timed_out) == (b"done\n", False)


@pytest.mark.measured
def test_endless_work_ends_with_its_processor_time() -> None:
    with ProbeSandbox() as box:
        result = box.run(["/bin/sh", "-c", "while :; do :; done"], wall_s=0.5)
    assert result.timed_out and 0.3 < result.cpu_s < 1.5


@pytest.mark.measured
def test_endless_output_is_cut_at_the_limit_without_growing_the_prober() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ProbeSandbox() as box:
        for stream in ("1", "2"):
            result = box.run(["/bin/sh", "-c", f"exec yes >&{stream}"])
            assert result.truncated
            assert len(result.stdout) + len(result.stderr) == PROBE.limits.output_bytes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_processes_are_limited_and_the_limit_is_per_sandbox() -> None:
    script = "i=0; while [ $i -lt 100 ]; do sleep 9 & i=$((i+1)); done; echo all"
    with ProbeSandbox() as one, ProbeSandbox() as two:
        done = threading.Thread(target=lambda: one.run(["/bin/bash", "-c", script]))
        done.start()
        assert two.run(
            ["/bin/bash", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait"]
        ).ok
        done.join()
        result = one.run(["/bin/bash", "-c", script])
        assert 0 < result.leftovers <= 64


def test_environment_holds_nothing_of_the_caller() -> None:
    os.environ["ATIP_TEST_SECRET"] = "caller-secret"
    try:
        with ProbeSandbox() as box:
            shown = box.run(["/usr/bin/env"], env_set={"GIVEN": "yes"}).stdout.decode()
    finally:
        del os.environ["ATIP_TEST_SECRET"]
    names = {line.split("=", 1)[0] for line in shown.splitlines()}
    assert "GIVEN" in names and "caller-secret" not in shown
    assert not names & {"LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "BASH_ENV", "SSH_AUTH_SOCK"}


def test_files_of_the_caller_are_absent_and_the_system_cannot_be_written(
    tmp_path: pathlib.Path,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    tool = tmp_path / "tool"
    tool.mkdir()
    (tool / "data").write_text("shown")
    with ProbeSandbox(visible=[str(tool)]) as box:
        assert box.run(["/bin/cat", f"{tool}/data"]).stdout == b"shown"
        for target in (secret, "/etc/shadow", os.path.expanduser("~/.profile"), "/proc/1/root/etc"):
            assert box.run(["/bin/cat", str(target)]).exit_code == 1
        for target in ("/usr/bin/zoo", "/etc/zoo", "/zoo", "/dev/zoo", "/run/zoo", f"{tool}/zoo"):
            assert box.run(["/usr/bin/touch", target]).exit_code == 1
        assert box.run(["/usr/bin/touch", "mine"]).ok


def test_dead_supervisor_fails_the_probe_and_the_next_one_gets_a_fresh_sandbox() -> None:
    with ProbeSandbox() as box:
        box.start()
        inner = box._workers[0]._started
        assert inner is not None
        timer = threading.Timer(0.2, os.kill, (inner.inner_pid, signal.SIGKILL))
        timer.start()
        result = box.run(["/bin/sleep", SLEEP_MARK])
        timer.join()
        assert (result.exit_code, result.failure) == (None, "sandbox.died")
        assert processes_of(SLEEP_MARK) == []
        assert box.run(["/bin/true"]).ok


@pytest.mark.measured
def test_several_probes_run_at_once() -> None:
    began = time.monotonic()
    with ProbeSandbox(jobs=4) as box:
        probes = [Probe(argv=("/bin/sh", "-c", f"sleep 0.4; echo {n}")) for n in range(8)]
        results = dict(box.run_all(probes))
    assert [results[n].stdout for n in range(8)] == [f"{n}\n".encode() for n in range(8)]
    assert time.monotonic() - began < 2.4


def test_program_that_is_not_there_is_a_result() -> None:
    with ProbeSandbox() as box:
        assert box.run(["/nowhere/tool"]).failure == "sandbox.not-started"
        with pytest.raises(SandboxError) as refused:
            box.run(["relative"])
        assert refused.value.code == "sandbox.argv"
        assert box.run(["/bin/true"]).ok


HOST = """
import sys, time
from atip.sandbox.probes.probe import ProbeSandbox
print("up", flush=True)
with ProbeSandbox(visible=[sys.argv[2]], jobs=2) as box:
    box.run(["/bin/sleep", sys.argv[1]], wall_s=60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_end_of_the_prober_leaves_no_process(number: int, tmp_path: pathlib.Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, SLEEP_MARK, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert host.stdout is not None
    host.stdout.readline()
    _until(lambda: any("cmdline" in line for line in _others(SLEEP_MARK, host.pid)))
    host.send_signal(number)
    host.wait(5)
    host.stdout.close()
    _until(lambda: _others(str(tmp_path), host.pid) == [] and _others(SLEEP_MARK, host.pid) == [])


def test_kill_at_any_moment_of_the_start_leaves_no_process(tmp_path: pathlib.Path) -> None:
    for round_ in range(20):
        host = subprocess.Popen(
            [sys.executable, "-c", HOST, SLEEP_MARK, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert host.stdout is not None
        host.stdout.readline()
        time.sleep(round_ * 0.003)
        host.kill()
        host.wait(5)
        host.stdout.close()
    _until(lambda: _others(str(tmp_path), 0) == [])


@pytest.mark.proves("AIP29-SECURITY-04")
def test_host_without_namespaces_is_refused_cleanly() -> None:
    # Inside a sandbox no further namespace can be made: the same as on such a host.
    script = (
        "from atip.sandbox.probes.probe import ProbeSandbox\n"
        "from atip.errors import SandboxError\n"
        "try:\n"
        "    with ProbeSandbox() as box: box.run(['/bin/true']); print('ran')\n"
        "except SandboxError as error: print(error.code, bool(error.hint))\n"
    )
    source = str(ROOT / "src")
    python = system_python()[-1]
    with ProbeSandbox(visible=[source]) as box:
        result = box.run([python, "-c", script], env_set={"PYTHONPATH": source}, wall_s=10)
    assert result.stdout == b"sandbox.namespaces-unavailable True\n", result


def _others(mark: str, pid: int) -> list[str]:
    return [line for line in processes_of(mark) if not line.startswith(f"{pid} ")]


def _until(true: object, within_s: float = 5.0) -> None:
    deadline = time.monotonic() + within_s
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.02)
