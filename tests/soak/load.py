"""Programs that put load on us in processes of their own, and what is looked at afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import typing

from tests.integration.sandbox.zoo_harness import processes_of

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

PEAK = """
def peak_kib():
    # not ru_maxrss: that begins with what the parent had when it forked
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
"""
"""How much memory a process had at the most, in KiB."""

RUNNER = (
    PEAK
    + """
import os, sys, threading, time
from atip.execution.audit.chain import Audit
from atip.execution.runner import ProgramCall, Judgment, Runner
from atip.model.permissions.confinement import Confinement, Limits
from atip.model.effects import Effects
from atip.policy.decision import Decision

def runner(folder, on_output=None, audit=True, **grants):
    confinement = Confinement(limits=Limits(wall_s=600), **grants)
    judgment = Judgment(decision=Decision(outcome="allow"), effects=Effects(destructive=False),
                          confinement=confinement, audit=audit)
    return Runner(lambda call, digest: judgment, audit=Audit(folder), on_output=on_output)

def call(program, *arguments, cwd="/", **options):
    return ProgramCall(argv=(program, *arguments), program=program, cwd=cwd, env=dict(os.environ), **options)
"""
)
"""Beginning of a program that runs calls as `execution` does, with a policy that allows them."""


def start(body: str, *arguments: str, **options: typing.Any) -> subprocess.Popen[str]:
    """A host process in which `RUNNER` and then `body` run."""
    command = [sys.executable, "-c", RUNNER + body, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


def run(body: str, *arguments: str, timeout_s: float = 300) -> str:
    """The same, to its end; what it printed."""
    command = [sys.executable, "-c", RUNNER + body, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=timeout_s, check=True)
    return done.stdout


def until(true: Callable[[], bool], within_s: float = 5.0) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.02)


def nothing_left_of(*marks: str, within_s: float = 5.0) -> None:
    """No process has one of the marks in its command line or environment."""
    until(lambda: not any(processes_of(mark) for mark in marks), within_s)


def fill_path(folder: pathlib.Path, zoo: pathlib.Path, names: list[str], total: int) -> int:
    """`total` executables, 5 % of them animals under names of their own; the number of animals."""
    folder.mkdir()
    animals = max(1, total // 20)
    for number in range(animals):
        data = (zoo / names[number % len(names)]).read_bytes()
        path = folder / f"animal{number}"
        path.write_bytes(data + f"\n# {number}\n".encode())
        path.chmod(0o755)
    for number in range(total - animals):
        path = folder / f"mute{number}"
        path.write_text(f"#!/bin/sh\necho usage: mute{number}\n")
        path.chmod(0o755)
    return animals


def peak_kib(pid: int) -> int:
    """Largest resident size so far of a process that still lives."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def descendants(pid: int) -> set[int]:
    """All processes below one."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                parents[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found: set[int] = set()
    while True:
        more = {one for one, parent in parents.items() if parent in found | {pid}} - found
        if not more:
            return found
        found |= more
