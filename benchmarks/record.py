"""All benchmarks in one run, each in a process of its own, written down with load and versions: JSON, a page, charts.

A benchmark that fails or takes too long is named on the page; the figures of a benchmark that was not run this time stay
as they were, with the time and load of their own run.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import typing

from benchmarks.chart import draw, is_drawn
from benchmarks.names import names

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "benchmarks.json"
LIMIT_S = int(os.environ.get("BENCH_LIMIT_S", "900"))
Run = dict[str, typing.Any]
_HEAD = """\
# Benchmarks

<!-- Written by `make bench` from docs/benchmarks.json. -->

Every figure was measured against its peer, or against a limit that we set before, by `make bench`. A ratio (×) is CPU time of our
way over that of the other, interleaved in one run. How each is measured, what was tried, and older figures:
[benchmarks/README.md](../benchmarks/README.md). The data: `docs/benchmarks.json`.
"""


def record(chosen: list[str]) -> bool:
    """Run, write, and say whether every bar was met."""
    data: Run = json.loads(DATA.read_text()) if DATA.exists() else {"runs": {}}
    data["versions"] = versions()
    for name in chosen:
        print(f"{name} …", flush=True)
        data["runs"][name] = run_one(name)
        DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    for path, text in render(data).items():
        (ROOT / path).write_text(text)
    return all(run["error"] == "" and all(each["good"] for each in run["figures"]) for run in data["runs"].values())  # fmt: skip


def run_one(name: str) -> Run:
    """One benchmark in a process of its own."""
    before, begin = os.getloadavg()[0], time.time()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "figures.json")
        argv = [sys.executable, "-m", "benchmarks", name, "--json", str(out)]
        try:
            done = subprocess.run(argv, cwd=ROOT, timeout=LIMIT_S, check=False)
            error = "" if out.exists() else f"ended with status {done.returncode}"
        except subprocess.TimeoutExpired:
            error = f"took more than {LIMIT_S} s"
        figures = json.loads(out.read_text()) if out.exists() else []
    return {
        "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime(begin)),
        "seconds": round(time.time() - begin),
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "error": error,
        "figures": figures,
    }


def versions() -> dict[str, str]:
    """What the figures depend on."""
    from atip.version import __version__

    bwrap = shutil.which("bwrap")
    printed = subprocess.run([bwrap, "--version"], capture_output=True, text=True).stdout if bwrap else ""  # fmt: skip
    return {
        "atip": __version__,
        "Python": platform.python_version(),
        "kernel": platform.release(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "SQLite": sqlite3.sqlite_version,
        "bubblewrap": printed.split()[-1] if printed else "not installed",
    }


def render(data: Run) -> dict[str, str]:
    """Path → text: the page, and a chart for each benchmark that has something to compare."""
    files = {}
    parts = [_HEAD, "| made with | |\n|---|---|", *(f"| {key} | {value} |" for key, value in sorted(data["versions"].items())), "", *_slower(data)]  # fmt: skip
    for name, run in sorted(data["runs"].items()):
        parts += ["", f"## {name.replace('_', ' ')}", "", _when(run), ""]
        if any(map(is_drawn, run["figures"])):
            files[f"docs/pictures/bench-{name}.svg"] = draw(run["figures"])
            parts += [f"![{name}: each figure as a share of its limit](pictures/bench-{name}.svg)", ""]  # fmt: skip
        if run["figures"]:
            parts += ["| figure | measured | limit | |", "|---|---|---|---|"]
            parts += [f"| {_cell(each['name'])} | {shown(each)} | {_bar(each)} | {_cell(each['detail'])} |" for each in run["figures"]]  # fmt: skip
    absent = [name for name in names() if name not in data["runs"]]
    if absent:
        parts += [
            "",
            "## Not measured yet",
            "",
            *(f"* {name.replace('_', ' ')}" for name in absent),
        ]
    return {**files, "docs/benchmarks.md": "\n".join(parts).rstrip() + "\n"}


def _cell(text: str) -> str:
    return text.replace("|", "&#124;")


def _when(run: Run) -> str:
    load = " → ".join(map(str, run["load"]))
    failed = f" **Not measured: {run['error']}.**" if run["error"] else ""
    return f"{run['at']} UTC, {run['seconds']} s, load {load}.{failed}"


def _slower(data: Run) -> list[str]:
    """What does not reach its limit, and what costs more than the peer: said first, not hidden in tables."""
    figures = [each for _, run in sorted(data["runs"].items()) for each in run["figures"]]
    missed = [each for each in figures if not each["good"]]
    dearer = [
        each for each in figures if each["unit"] == "×" and each["good"] and each["value"] > 1
    ]
    dearer.sort(key=lambda each: -each["value"])
    lines = ["## Where we are slower or worse", ""]
    if not figures:
        return [*lines, "Nothing has been measured yet."]
    lines += [f"* **limit missed**: {each['name']}: {shown(each)} (limit {_bar(each)})" for each in missed] or ["* No limit is missed."]  # fmt: skip
    lines += ["", "Within the limit, but dearer than the peer after the stroke:", ""]
    return lines + [f"* {each['name']}: {shown(each)}" for each in dearer]


def shown(each: Run) -> str:
    value = each["value"]
    text = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
    return f"{text} {each['unit']}"


def _bar(each: Run) -> str:
    if each["bar"] is None:
        return "–"
    return f"{'≥' if each['higher'] else '≤'} {each['bar']:,g}"
