"""What observing costs: `python benchmarks/bench_observing.py [ROUNDS]`.

The same command confined (`Toolbox.run`) and observed (`Toolbox.observe`: on a copy, traced, with a recording network), in turn in one
process; median of the ratios of neighbors, and the median time of an observed run. `sleep 0.01` is the command of ten milliseconds.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time

from atip.proving.samples import make_samples
from atip.toolbox import Toolbox
from benchmarks.measure import FIGURES, figure

COMMANDS = (
    ("sleep", "0.01"),
    ("cat", "text.txt"),
    ("sort", "text.txt"),
    ("grep", "-r", "alpha", "."),
    ("sha256sum", "text.txt"),
    ("find", "."),
    ("wc", "text.txt"),
    ("tar", "tf", "archive.tar"),
    ("git", "-C", "repo", "log"),
    ("gcc", "-fsyntax-only", "source.c"),
)


def timed(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began


def main(rounds: int = 15) -> bool:
    with tempfile.TemporaryDirectory() as base:
        home = os.path.join(base, "home")
        os.mkdir(home)
        desk = make_samples(os.path.join(home, "desk"))
        box = Toolbox(home=home)
        for argv in COMMANDS:
            box.run(argv, cwd=desk)
            box.observe(argv, cwd=desk)
            ratios, seen = [], []
            for _ in range(rounds):
                confined = timed(lambda argv=argv: box.run(argv, cwd=desk))
                observed = timed(lambda argv=argv: box.observe(argv, cwd=desk))
                ratios.append(observed / confined)
                seen.append(observed)
            name = f"observe {' '.join(argv)}"
            figure(f"{name} / the same run confined", statistics.median(ratios), 5, unit="×")
            figure(name, statistics.median(seen), 1, unit="s")
    return all(each["good"] for each in FIGURES)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
