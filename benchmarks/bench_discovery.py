"""Discovery: the second scan, mute and native tools, hashing – each as a ratio in one run."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from benchmarks.measure import cpu_of_call, cpu_of_command, figure, ratio, report

BASELINE = """
import os, sys
for folder in sys.argv[1:]:
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat()
"""
ANSWER = {"atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "answers"}


def fill(folder: pathlib.Path, *, native: int, mute: int) -> None:
    """Small programs: `native` ones that answer, `mute` ones that know only `--help`."""
    folder.mkdir()
    for number in range(native):
        body = json.dumps({**ANSWER, "name": f"native{number}"})
        path = folder / f"native{number}"
        path.write_text(
            f"#!/bin/sh\ncase $1 in --agent) echo '{body}';; --help) echo usage: native;; esac\n"
        )
        path.chmod(0o755)
    for number in range(mute):
        path = folder / f"mute{number}"
        path.write_text(f"#!/bin/sh\necho usage: mute{number}\n")
        path.chmod(0o755)


def cpu_with_children(work) -> float:
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(
        b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime
        for a, b in zip(before, after, strict=True)
    )


def run_all(paths, flag: str) -> None:
    for path in paths:
        subprocess.run([path, flag], capture_output=True, timeout=2, stdin=subprocess.DEVNULL)


def second_scan(root: pathlib.Path) -> bool:
    folder = root / "two-thousand"
    fill(folder, native=100, mute=1900)
    command = str(pathlib.Path(sys.executable).parent / "atip")
    env = {**os.environ, "HOME": str(root / "h1")}
    for name in [name for name in env if name.startswith("XDG_")]:
        del env[name]
    argv = [command, "scan", "--path", str(folder)]
    subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)
    return report(
        "second scan of 2,000 / python start + scandir + stat",
        ratio(
            lambda: cpu_of_command(argv, env),
            lambda: cpu_of_command([sys.executable, "-c", BASELINE, str(folder)], env),
        ),
        2.0,
    )


def first_scans(root: pathlib.Path) -> bool:
    from atip.discovery.scan import ScanOptions
    from atip.toolbox import Toolbox

    mixed, natives = root / "mixed", root / "natives"
    fill(mixed, native=100, mute=900)
    fill(natives, native=1000, mute=0)
    counter = iter(range(100))

    def scan(folder: pathlib.Path) -> float:
        box = Toolbox(home=str(root / f"home{next(counter)}"))
        return cpu_with_children(lambda: box.scan(ScanOptions(paths=(str(folder),), jobs=1)))

    def bare(folder: pathlib.Path, flag: str) -> float:
        return cpu_with_children(lambda: run_all(sorted(map(str, folder.iterdir())), flag))

    good = report(
        "100 native + 900 mute / --help of all",
        ratio(lambda: scan(mixed), lambda: bare(mixed, "--help"), rounds=2),
        0.15,
    )
    return good & report(
        "1,000 native / the same executions from a bare loop",
        ratio(lambda: scan(natives), lambda: bare(natives, "--agent"), rounds=2),
        1.3,
    )


SIZES, CHANGES = (100, 300, 1_000, 3_000), (0, 1, 10, 100)
PER_TOOL, PER_CHANGE = 0.5, 5.0
"""Bars in milliseconds of CPU: for a tool that has not changed, and for one that has, beside asking it."""


def rescans(root: pathlib.Path) -> bool:
    """The cost of a scan after a scan, against the number of tools and of changes; nothing is asked."""
    command = str(pathlib.Path(sys.executable).parent / "atip")
    env = {**os.environ, "HOME": str(root / "h2")}
    for name in [name for name in env if name.startswith("XDG_")]:
        del env[name]
    spent: dict[tuple[int, int], float] = {}
    for size in SIZES:
        folder = root / f"rescan{size}"
        fill(folder, native=0, mute=size)
        argv = [command, "scan", "--path", str(folder)]
        subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)
        for changes in CHANGES:
            spent[size, changes] = min(
                _rescan(folder, changes, argv, env, turn) for turn in range(3)
            )
        row = "  ".join(f"{spent[size, changes] * 1000:7.0f}" for changes in CHANGES)
        print(f"     {size:>5,} tools, {' '.join(map(str, CHANGES))} changes: {row} ms CPU")
    few, many = SIZES[0], SIZES[-1]
    per_tool = (spent[many, 1] - spent[few, 1]) / (many - few) * 1000
    per_change = (spent[many, CHANGES[-1]] - spent[many, 1]) / (CHANGES[-1] - 1) * 1000
    good = figure("rescan with one change, per unchanged tool", per_tool, PER_TOOL, unit="ms")
    return good & figure("rescan, per changed tool", per_change, PER_CHANGE, unit="ms")


def _rescan(
    folder: pathlib.Path, changes: int, argv: list[str], env: dict[str, str], turn: int
) -> float:
    for number in range(changes):
        (folder / f"mute{number}").write_text(f"#!/bin/sh\necho usage: {changes} {turn}\n")
    return cpu_of_command(argv, env)


def hashing() -> bool:
    from atip.discovery.files.content import ContentReader

    paths = [
        entry.path for entry in os.scandir("/usr/bin") if entry.is_file() and not entry.is_symlink()
    ]
    reader = ContentReader()

    def plain() -> None:
        for path in paths:
            with open(path, "rb") as file:
                hashlib.file_digest(file, "sha256")

    return report(
        "hashing + marks / plain sha256",
        ratio(
            lambda: cpu_of_call(lambda: [reader.read(path) for path in paths]),
            lambda: cpu_of_call(plain),
            rounds=5,
        ),
        1.35,
    )


def main() -> bool:
    cache = pathlib.Path(__file__).resolve().parent.parent / ".cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        root = pathlib.Path(folder)
        good = hashing()
        good &= second_scan(root)
        good &= rescans(root)
        return good & first_scans(root)


if __name__ == "__main__":
    raise SystemExit(not main())
