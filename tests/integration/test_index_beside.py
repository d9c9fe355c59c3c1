"""The index is built by another process while a scan runs, and that process ends with the scan."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import atip
from atip.discovery.scan import ScanOptions
from atip.search.upkeep import FILE
from atip.workflows.search.beside import indexing_beside

HELP = """#!/bin/sh
echo 'Usage: boat [options]'
echo
echo 'Carry cargo over water.'
"""


def names_in(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        try:
            return [name for (name,) in db.execute("SELECT name FROM tool")]
        except sqlite3.OperationalError:
            return []  # not made yet


def test_what_is_stored_meanwhile_is_indexed(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/boat").write_text(HELP)
    (tmp_path / "bin/boat").chmod(0o755)
    toolbox = atip.Toolbox()
    with indexing_beside(first_s=3.0):
        toolbox.scan(ScanOptions(paths=(str(tmp_path / "bin"),)))
        deadline = time.monotonic() + 30
        while names_in(os.path.join(toolbox.places.data, FILE)) != ["boat"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_it_ends_when_the_scan_is_killed(tmp_path):
    code = (
        "import sys, time\n"
        "from atip.workflows.search.beside import indexing_beside\n"
        "with indexing_beside() as pid:\n"
        "    print(pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    env = {**os.environ, "HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as scan:
        assert scan.stdout is not None
        pid = int(scan.stdout.readline())
        scan.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while os.path.exists(f"/proc/{pid}/stat"):
        with open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break  # ended; its new parent has not looked yet
        assert time.monotonic() < deadline
        time.sleep(0.05)
