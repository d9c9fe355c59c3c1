"""Load and faults of runs: small in `make test`, in full in `make soak`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time

import pytest

from atip.execution.audit.chain import Audit
from tests.soak import load

pytestmark = pytest.mark.sandbox
MARK = "16.18033"
MIB = 1 << 20

MANY = """
folder, count = sys.argv[1], int(sys.argv[2])
box = runner(folder)
codes = []
def one(number):
    codes.append(box.run(call("/bin/bash", "-c", f"exit {number % 7}")).exit_code - number % 7)
threads = [threading.Thread(target=one, args=(n,)) for n in range(count)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(codes), any(codes))
"""


def many_at_once(folder, count: int) -> None:
    assert load.run(MANY, str(folder), str(count)).split() == [str(count), "False"]
    checked = Audit(str(folder)).verify()
    assert (checked.records, checked.broken, checked.unfinished) == (2 * count, None, ())


def test_ten_runs_at_once_all_end_and_are_all_recorded(tmp_path):
    many_at_once(tmp_path, 10)


@pytest.mark.soak
def test_fifty_runs_at_once_all_end_and_are_all_recorded(tmp_path):
    many_at_once(tmp_path, 50)


FLOOD = """
folder, size = sys.argv[1], int(sys.argv[2])
box = runner(folder)
box.run(call("/usr/bin/head", "-c", "1000000", "/dev/zero"))
before = peak_kib()
seen = [0]
def count(name, data): seen[0] += len(data)
began = time.monotonic()
result = runner(folder, on_output=count).run(call(*sys.argv[3:], str(size)))
peak = peak_kib()
print(seen[0], result.truncated, peak - before, peak, len(result.stdout), time.monotonic() - began)
"""


def flood(folder, size: int) -> tuple[int, float]:
    """Stream `size` bytes of lines through redaction; (peak KiB, seconds)."""
    program = "import sys\nline=b'some words of a log, then more of them\\n'*1024\nleft=int(sys.argv[1])\n"
    program += "while left>0: left-=sys.stdout.buffer.write(line[:left])\n"
    told = load.run(
        FLOOD, str(folder), str(size), "/usr/bin/python3", "-I", "-S", "-c", program, timeout_s=900
    ).split()
    assert (int(told[0]), told[1]) == (size, "True")
    assert int(told[4]) < MIB
    return int(told[3]), float(told[5])


@pytest.mark.timeout(1000)
@pytest.mark.parametrize(
    "size", [64 * MIB, pytest.param(1024 * MIB, marks=pytest.mark.soak)], ids=["64 MB", "1 GB"]
)
def test_output_is_streamed_in_less_than_64_mb_of_memory(tmp_path, size):
    peak_kib, seconds = flood(tmp_path, size)
    print(f"{size >> 20} MB in {seconds:.1f} s, peak {peak_kib / 1024:.1f} MB")
    assert peak_kib < 64 * 1024


CANCEL = """
folder, rounds = sys.argv[1], int(sys.argv[2])
worst = 0.0
for _ in range(rounds):
    up = threading.Event()
    box = runner(folder, on_output=lambda name, data: up.set(), exec_allow=True, exec_spawn=("sleep", "setsid"))
    script = "trap '' TERM INT HUP; sleep MARK & setsid sleep MARK & echo up; sleep MARK".replace("MARK", sys.argv[3])
    thread = threading.Thread(target=lambda: box.run(call("/bin/bash", "-c", script)))
    thread.start()
    up.wait(30)
    began = time.monotonic()
    box.cancel()
    thread.join()
    worst = max(worst, time.monotonic() - began)
print(worst)
"""


@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.soak)])
def test_cancelled_means_dead_within_a_second(tmp_path, rounds):
    worst = float(load.run(CANCEL, str(tmp_path), str(rounds), MARK))
    print(f"worst of {rounds}: {worst:.3f} s")
    assert worst < 1.0
    load.nothing_left_of(MARK, within_s=0.1)


ENDLESS = """
folder, work, name = sys.argv[1:4]
box = runner(folder, fs_write=(work + "/**",), exec_allow=True, exec_spawn=("sleep", "touch"))
def endless(part):
    number = 0
    while True:
        number += 1
        mark = f"{name}-{part}-{number}"
        box.run(call("/bin/bash", "-c", f"touch {work}/{mark}; sleep 0.01 & sleep 0.01", mark, cwd=work))
threads = [threading.Thread(target=endless, args=(part,)) for part in range(4)]
[thread.start() for thread in threads]
print("up", flush=True)
"""


def killed_hosts(folder, work, *, runs: int, seed: int) -> tuple[int, int]:
    """Hosts that run four calls at a time are killed at random; (runs that did something, kills)."""
    rng = random.Random(seed)
    work.mkdir()
    kills = 0
    while len(os.listdir(work)) < runs or kills < 3:  # a quick machine does them all in one go
        with load.start(ENDLESS, str(folder), str(work), f"host{kills}") as host:
            assert host.stdout is not None
            host.stdout.readline()
            time.sleep(rng.uniform(0.0, 3.0))
            host.kill()
        kills += 1
    load.nothing_left_of(str(work))
    return len(os.listdir(work)), kills


def check_records(folder, work) -> None:
    """Every run that did something has its start record, and the chain holds."""
    checked = Audit(str(folder)).verify()
    assert checked.broken is None
    started = {
        record["argv"][-1] for record in Audit(str(folder)).records() if record["event"] == "start"
    }
    assert set(os.listdir(work)) <= started


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("runs", [25, pytest.param(1000, marks=pytest.mark.soak)])
def test_kill_9_leaves_no_process_and_every_started_run_is_recorded(tmp_path, runs):
    folder, work = tmp_path / "audit", tmp_path / "work"
    started, kills = killed_hosts(folder, work, runs=runs, seed=runs)
    print(f"{started} runs started, {kills} hosts killed")
    assert kills > 1
    check_records(folder, work)


def test_without_room_for_a_record_nothing_runs(tmp_path):
    """A small file system that is full: policy demands records, so the run is refused."""
    small, work = tmp_path / "small", tmp_path / "work"
    small.mkdir()
    work.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("cannot mount a tmpfs here")
    body = """
from atip.errors import AtipError
folder, work = sys.argv[1:3]
box = runner(folder + "/audit", fs_write=(work + "/**",))
box.run(call("/usr/bin/touch", work + "/first", cwd=work))
with open(folder + "/filler", "wb", buffering=0) as filler:
    try:
        while filler.write(b"x" * 512): pass
    except OSError: pass
long = [work + "/second", *(work + "/" + "./" * 500 + "second" for _ in range(20))]
try: box.run(call("/usr/bin/touch", *long, cwd=work))
except AtipError as error: print(error.code)
os.unlink(folder + "/filler")
box.run(call("/usr/bin/touch", work + "/third", cwd=work))
"""
    try:
        assert load.run(body, str(small), str(work)) == "audit.unwritable\n"
        assert sorted(os.listdir(work)) == ["first", "third"]
        checked = Audit(str(small / "audit")).verify()
        assert (checked.records, checked.broken) == (4, None)
        lines = (small / "audit/audit.jsonl").read_text().splitlines()
        assert all(json.loads(line) for line in lines)
    finally:
        subprocess.run(["umount", str(small)], check=True)
