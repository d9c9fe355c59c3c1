"""Many writers, kill -9, a full disk: nothing acknowledged is lost, nothing torn is ever seen."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from atip.errors import AtipError
from atip.registry.store import Store
from atip.system.files import write_atomic
from atip.system.paths import find_places

WRITER = """
import sys
from atip.registry.store import Store
from atip.system.paths import find_places
home, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = Store(find_places(home=home, cwd=home))
for number in range(count):
    store.put({f"{name}-{number}": {"path": "/bin/x", "lastChecked": "2026-01-15T10:30:00Z"}})
    print(f"{name}-{number}", flush=True)
"""


def run_writers(home, *, writers: int, updates: int, kills: int) -> set[str]:
    """Acknowledged names of all writers, of which some were killed at random."""
    rng = random.Random(7)

    def start(number: int):
        return subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home), f"w{number}", str(updates)],
            stdout=subprocess.PIPE,
            text=True,
        )

    running = [start(number) for number in range(writers)]
    killed: list[subprocess.Popen] = []
    fresh = writers
    store = Store(find_places(home=str(home), cwd=str(home)))
    for _ in range(kills):
        time.sleep(rng.uniform(0.01, 0.12))
        store.load_index()  # a reader in between never sees a torn file
        victim = running.pop(rng.randrange(len(running)))
        victim.send_signal(signal.SIGKILL)
        killed.append(victim)
        running.append(start(fresh))
        fresh += 1
    acknowledged: set[str] = set()
    for process in [*killed, *running]:
        out, _ = process.communicate()
        acknowledged.update(line for line in out.splitlines() if line)
    return acknowledged


@pytest.mark.measured
def test_nothing_acknowledged_is_lost(tmp_path):
    acknowledged = run_writers(tmp_path, writers=4, updates=25, kills=8)
    store = Store(find_places(home=str(tmp_path), cwd=str(tmp_path)))
    assert len(acknowledged) > 50
    assert acknowledged <= store.load_index()["tools"].keys()
    started = time.monotonic()
    store.put({"after": {"path": "/bin/x"}})
    assert time.monotonic() - started < 5


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_sixteen_writers_and_fifty_kills(tmp_path):
    acknowledged = run_writers(tmp_path, writers=16, updates=500, kills=50)
    store = Store(find_places(home=str(tmp_path), cwd=str(tmp_path)))
    assert acknowledged <= store.load_index()["tools"].keys()


def test_many_entries_in_one_write_are_cheap(tmp_path):
    store = Store(find_places(home=str(tmp_path), cwd=str(tmp_path)))
    entries = {f"tool{number}": {"path": "/bin/x"} for number in range(5000)}
    store.put(entries)
    assert len(store.load_index()["tools"]) == 5000


def test_a_full_disk_leaves_the_old_state_and_a_clear_error(tmp_path):
    """`/dev/full` stands for the disk: every write to it fails with ENOSPC."""
    target = tmp_path / "file.json"
    target.write_text("old")
    code = (
        "import os, sys, atip.system.files as files\n"
        "real = os.write\n"
        "def full(handle, data):\n"
        "    with open('/dev/full', 'wb', buffering=0) as sink: sink.write(data)\n"
        "    return real(handle, data)\n"
        "os.write = full\n"
        "try: files.write_atomic(sys.argv[1], b'new')\n"
        "except files.AtipError as error: print(error.code)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(target)], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "file.disk-full"
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]
    write_atomic(str(target), b"new")
    assert target.read_text() == "new"


def test_a_small_file_system_that_fills_up_loses_nothing(tmp_path):
    """A real tmpfs of 64 KB, where we may mount one."""
    mount = tmp_path / "small"
    mount.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(mount)]).returncode
    ):
        pytest.skip("cannot mount a tmpfs here")
    try:
        store = Store(find_places(home=str(mount), cwd=str(mount)))
        store.put({"first": {"path": "/bin/x"}})
        with pytest.raises(AtipError) as caught:
            store.put({f"tool{number}": {"path": "/bin/x" * 20} for number in range(2000)})
        assert caught.value.code == "file.disk-full"
        assert set(store.load_index()["tools"]) == {"first"}
        store.put({"second": {"path": "/bin/x"}})
        assert set(store.load_index()["tools"]) == {"first", "second"}
        assert json.loads((mount / ".local/share/agent-tools/registry.json").read_text())
    finally:
        subprocess.run(["umount", str(mount)], check=True)
