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


FIGURES: list[dict[str, object]] = []
"""Every figure of this process, in order; `benchmarks.record` writes them down."""


def report(name: str, measured: tuple[float, float, float], bar: float) -> bool:
    """One ratio, printed and kept; returns whether the bar is met."""
    ours, other, found = measured
    detail = f"{ours * 1000:.1f} ms / {other * 1000:.1f} ms"
    return figure(name, found, bar, unit="×", detail=detail)


def figure(
    name: str,
    value: float,
    bar: float | None,
    *,
    unit: str,
    detail: str = "",
    higher: bool = False,
) -> bool:
    """One figure, printed and kept; returns whether the bar is met.

    Args:
        bar: None where there is nothing to compare with.
        higher: whether more is better.
    """
    good = bar is None or (value >= bar if higher else value <= bar)
    FIGURES.append({"name": name, "value": value, "bar": bar, "unit": unit, "detail": detail, "higher": higher, "good": good})  # fmt: skip
    beside = f" ({detail})" if detail else ""
    says = "    " if bar is None else "ok  " if good else "MISS"
    limit = "" if bar is None else f" (bar {bar:,g})"
    print(f"{says} {name:<58} {value:10,.4g} {unit}{limit}{beside}", flush=True)
    return good
