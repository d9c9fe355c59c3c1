"""Ratios, measured side by side in one run: CPU of our way over CPU of the other, interleaved, best of N."""

from __future__ import annotations

import os
import resource
import subprocess
import time
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def cpu_of_call(work: Callable[[], object]) -> float:
    """CPU seconds of one call in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def cpu_of_command(
    argv: Sequence[str], env: dict[str, str] | None = None, *, cwd: str | None = None
) -> float:
    """CPU seconds (user and system, children included) of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        argv,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=env or dict(os.environ),
        cwd=cwd,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(
    ours: Callable[[], float], other: Callable[[], float], *, rounds: int = 9
) -> tuple[float, float, float]:
    """(ours, other, ratio): best of several interleaved rounds each."""
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(ours())
        theirs.append(other())
    return min(mine), min(theirs), min(mine) / max(min(theirs), 1e-9)


def report(name: str, measured: tuple[float, float, float], bar: float) -> bool:
    """Print one line; returns whether the bar is met."""
    ours, other, found = measured
    good = found <= bar
    print(
        f"{'ok  ' if good else 'MISS'} {name:<58} {ours * 1000:8.1f} ms / {other * 1000:8.1f} ms = {found:5.2f} (bar {bar})"
    )
    return good
