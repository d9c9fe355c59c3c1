"""Load and faults of scans: a small PATH in `make test`, 2,000 executables in `make soak`."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tests.integration.sandbox.unprivileged import ROOT, environment, system_python
from tests.integration.sandbox.zoo_harness import animals
from tests.soak import load

pytestmark = pytest.mark.sandbox
ZOO = ROOT / "conformance/zoo"
SIZES = [200, pytest.param(2000, marks=pytest.mark.soak)]
ATIP = str(pathlib.Path(sys.executable).parent / "atip")

SCAN = (
    load.PEAK
    + """
import json, sys
from atip.discovery.scan import ScanOptions
from atip.toolbox import Toolbox
box = Toolbox(home=sys.argv[1])
summary = box.scan(ScanOptions(paths=(sys.argv[2],))).summary()
peak = peak_kib()
print(json.dumps({"peak": peak, "found": summary["found"], "executed": summary["executed"]}))
"""
)


def scan(home: pathlib.Path, folder: pathlib.Path) -> dict[str, int]:
    command = [sys.executable, "-c", SCAN, str(home), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=1500)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def hostile_path(folder: pathlib.Path, total: int) -> int:
    names = [str(animal["file"]) for animal in animals(ZOO, "probe")]
    return load.fill_path(folder, ZOO, names, total)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("total", SIZES)
def test_a_hostile_path_is_scanned_in_bounds_and_never_twice(tmp_path, total):
    folder = tmp_path / "bin"
    hostile = hostile_path(folder, total)
    began = time.monotonic()
    first = scan(tmp_path / "home", folder)
    took = time.monotonic() - began
    second = scan(tmp_path / "home", folder)
    print(f"{first} in {took:.1f} s; again: {second}")
    assert first["found"] == total
    assert 0 < first["executed"] <= hostile
    assert first["peak"] < 150 * 1024
    jobs = len(os.sched_getaffinity(0))
    assert took < total * 0.3 / jobs + 2 * hostile / jobs + 5
    assert second["executed"] == 0
    load.nothing_left_of(str(folder), within_s=1)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("total", SIZES)
def test_an_interrupted_scan_leaves_no_process(tmp_path, total, number):
    folder = tmp_path / "bin"
    hostile_path(folder, total)
    env = {**os.environ, "HOME": str(tmp_path / "home")}
    for part in (0.2, 0.5, 0.9, 1.4):
        command = [ATIP, "scan", "--path", str(folder), "--refresh"]
        scanner = subprocess.Popen(
            command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(part)
        below = load.descendants(scanner.pid)
        scanner.send_signal(number)
        scanner.wait(10)
        load.until(lambda below=below: not any(os.path.exists(f"/proc/{one}") for one in below), 5)
        load.nothing_left_of(str(folder))


def test_a_full_disk_keeps_what_earlier_scans_learnt(tmp_path):
    """A tmpfs as home: it fills up during a scan, the old state stays, and space brings the rest."""
    small, folder = tmp_path / "home", tmp_path / "bin"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        folder.mkdir()
        for number in range(3):
            (folder / f"tool{number}").write_text(f"#!/bin/sh\necho {number}\n")
            (folder / f"tool{number}").chmod(0o755)
        assert scan(small, folder)["found"] == 3
        before = (small / ".local/share/agent-tools/registry.json").read_bytes()
        with open(small / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        for number in range(3, 60):
            (folder / f"tool{number}").write_text(f"#!/bin/sh\necho {number}\n")
            (folder / f"tool{number}").chmod(0o755)
        env = {**os.environ, "HOME": str(small)}
        ran = subprocess.run(
            [ATIP, "scan", "--path", str(folder), "--json"], env=env, capture_output=True, text=True
        )
        assert json.loads(ran.stdout)["error"]["code"] == "file.disk-full", ran
        assert (small / ".local/share/agent-tools/registry.json").read_bytes() == before
        (small / "filler").unlink()
        assert scan(small, folder)["found"] == 60
        index = json.loads((small / ".local/share/agent-tools/registry.json").read_text())
        assert len(index["tools"]) == 60
        left = [path.name for path in small.rglob(".atip-tmp-*")]
        assert left == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def repeat_zoo(command: list[str], repeat: int, env: dict[str, str] | None = None) -> None:
    adapter = str(ROOT / "benchmarks/adapters/zoo.py")
    ran = subprocess.run(
        [*command, adapter, str(ZOO), "--repeat", str(repeat)],
        env=env,
        capture_output=True,
        text=True,
        timeout=2400,
    )
    total = len(animals(ZOO)) * repeat
    assert ran.stdout.splitlines()[-1:] == [f"{total}/{total} leaks=0"], ran.stdout[-3000:]


@pytest.mark.soak
@pytest.mark.timeout(2500)
def test_the_whole_zoo_twenty_times_without_a_flake():
    repeat_zoo([sys.executable], 20)


@pytest.mark.soak
@pytest.mark.timeout(2500)
@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_the_whole_zoo_twenty_times_for_an_unprivileged_user():
    repeat_zoo(system_python(), 20, environment())
