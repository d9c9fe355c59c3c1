"""Search against raw FTS5, side by side on one corpus: build, query, update; and what a query costs at 10,000 commands.

The corpus is the public catalogue of intent requests where it is at hand (names and one-line summaries), else the
commands of the knowledge pack. Requests are summaries of every n-th command, shortened, so that none is free.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import typing

from atip import Command, Tool
from atip.search.index import SearchIndex
from benchmarks.measure import cpu_of_call, figure, ratio, report

if typing.TYPE_CHECKING:
    from collections.abc import Callable

    Row = tuple[str, str]

COMMANDS = 10_000
QUERIES = 300
UPDATE_S = 0.05


def corpus() -> list[Row]:
    """(command line, summary), COMMANDS of them."""
    rows = _catalogue() or _pack()
    made, copy = list(rows), 0
    while len(made) < COMMANDS:
        copy += 1
        made += [
            (f"{line.split(' ')[0]}{copy} {' '.join(line.split(' ')[1:])}".strip(), text)
            for line, text in rows
        ]
    return made[:COMMANDS]


def _catalogue() -> list[Row]:
    base = os.environ.get("ATIP_SHARED") or pathlib.Path(__file__).resolve().parents[2] / "shared"
    path = pathlib.Path(base) / "intentbench" / "catalogue.json.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [(row["command"], row["summary"]) for row in json.load(file)]


def _pack() -> list[Row]:
    from atip.knowledge.reading import load, names

    found: list[Row] = []
    for tool in filter(None, map(load, names())):
        found.append((tool.name, tool.description))
        found += [(" ".join((tool.name, *path)), one.description) for path, one in tool.walk()]
    return found


def tools_of(rows: list[Row]) -> list[Tool]:
    """One level of commands is enough to measure."""
    trees: dict[str, tuple[str, dict[str, Command]]] = {}
    for line, summary in rows:
        name, _, rest = line.partition(" ")
        about, commands = trees.get(name, ("", {}))
        if rest:
            commands[rest] = Command(description=summary)
        else:
            about = summary
        trees[name] = (about, commands)
    return [Tool(name=n, description=a, commands=c or None) for n, (a, c) in trees.items()]


class Raw:
    """What one gets from FTS5 without further thought."""

    def __init__(self, rows: list[Row], path: str = ":memory:") -> None:
        self.db = sqlite3.connect(path)
        self.db.execute(
            "CREATE VIRTUAL TABLE command USING fts5(line, summary, tokenize='porter unicode61')"
        )
        with self.db:
            self.db.executemany("INSERT INTO command VALUES (?, ?)", rows)

    def search(self, words: str) -> list[str]:
        terms = " OR ".join(f'"{word}"' for word in words.split() if word.isalnum())
        found = self.db.execute(
            "SELECT line FROM command WHERE command MATCH ? ORDER BY bm25(command) LIMIT 10",
            (terms,),
        )
        return [row[0] for row in found]


def requests_of(rows: list[Row]) -> list[str]:
    texts = [" ".join(text.split()[:8]) for _, text in rows[:: max(1, len(rows) // QUERIES)]]
    return [text for text in texts if any(word.isalnum() for word in text.split())]


def medians(
    ours: Callable[[str], object], other: Callable[[str], object], words: list[str]
) -> tuple[float, float, float]:
    """Median CPU of one query, best of three interleaved passes."""
    best = [float("inf"), float("inf")]
    for _ in range(3):
        for place, search in enumerate((ours, other)):
            spent = [cpu_of_call(functools.partial(search, text)) for text in words]
            best[place] = min(best[place], statistics.median(spent))
    return best[0], best[1], best[0] / best[1]


def _update(index: SearchIndex, tool: Tool) -> bool:
    """Replacing one tool in a full index: CPU against the bar, wall time (with the disk's) beside it."""
    spent, waited = [], []
    for _ in range(9):
        start = time.perf_counter()
        spent.append(cpu_of_call(lambda: index.put([tool])))
        waited.append(time.perf_counter() - start)
    name = f"index: update of one tool of {len(tool.commands or ())} commands"
    detail = f"{min(waited) * 1000:.1f} ms wall"
    return figure(name, min(spent) * 1000, UPDATE_S * 1000, unit="ms CPU", detail=detail)


def _build(tools: list[Tool]) -> None:
    with SearchIndex() as index:
        index.put(tools)


def _alone(kind: str) -> float:
    """CPU of one build in a process of its own, which has seen no word before; without start and corpus."""
    argv = [sys.executable, "-m", "benchmarks.bench_search", kind]
    root = pathlib.Path(__file__).resolve().parents[1]
    return float(subprocess.run(argv, capture_output=True, check=True, cwd=root).stdout)


def _build_alone(kind: str) -> float:
    rows = corpus()
    if kind == "raw":
        return cpu_of_call(lambda: Raw(rows))
    tools = tools_of(rows)
    return cpu_of_call(lambda: _build(tools))


def main() -> bool:
    rows = corpus()
    tools = tools_of(rows)
    words = requests_of(rows)

    good = report(
        f"index build, {len(rows):,} commands / raw FTS5, fresh process",
        ratio(lambda: _alone("ours"), lambda: _alone("raw"), rounds=7),
        3.0,
    )
    good &= report(
        "index build again in one process (words are known)",
        ratio(
            lambda: cpu_of_call(lambda: _build(tools)),
            lambda: cpu_of_call(lambda: Raw(rows)),
            rounds=15,
        ),
        3.0,
    )
    raw = Raw(rows)
    with (
        tempfile.TemporaryDirectory() as folder,
        SearchIndex(os.path.join(folder, "i.sqlite")) as index,
    ):
        index.put(tools)
        index.search("warm up")
        good &= report(
            "query (median) / raw FTS5",
            medians(lambda text: index.search(text, limit=10), raw.search, words),
            3.0,
        )
        largest = max(tools, key=lambda tool: len(tool.commands or ()))
        good &= _update(index, largest)
    return good


if __name__ == "__main__":
    print(_build_alone(sys.argv[1]))
