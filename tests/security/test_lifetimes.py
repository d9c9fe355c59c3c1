"""Nothing that was started confined lives longer than whoever started it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.soak import load

pytestmark = pytest.mark.sandbox
MARK = "14.142135"

LONG = """
from atip.sandbox.bubblewrap import launchers
folder, mark, launcher = sys.argv[1:4]
if launcher == "python":
    launchers.find_perl = lambda: None
print("up", flush=True)
runner(folder, exec_allow=True, exec_spawn=("sleep", "setsid")).run(
    call("/bin/bash", "-c", f"trap '' TERM HUP INT; setsid sleep {mark} & sleep {mark}"))
"""


def sleepers(host: int) -> list[int]:
    """Processes of the run itself, whose command line is the sleep."""
    found = []
    for pid in load.descendants(host):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                if line.read() == f"sleep\0{MARK}\0".encode():
                    found.append(pid)
        except OSError:
            continue
    return found


def alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if os.path.exists(f"/proc/{pid}")}


@pytest.mark.parametrize("launcher", ["perl", "python"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_ends_with_its_host(tmp_path, number, launcher):
    with load.start(LONG, str(tmp_path), MARK, launcher, stderr=-3) as host:
        load.until(lambda: len(sleepers(host.pid)) == 2, 20)
        everything = load.descendants(host.pid)
        assert set(sleepers(host.pid)) < everything
        host.send_signal(number)
        host.wait(10)
        load.until(lambda: alive(everything) == set(), 10)
