"""Run the benchmarks: all of them, or those named. Prints a ratio and its bar per line."""

from __future__ import annotations

import importlib
import pathlib
import sys


def main() -> int:
    known = sorted(
        path.stem.removeprefix("bench_")
        for path in pathlib.Path(__file__).parent.glob("bench_*.py")
    )
    chosen = sys.argv[1:] or known
    good = True
    for name in chosen:
        print(f"## {name}")
        good &= bool(importlib.import_module(f"benchmarks.bench_{name}").main())
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
