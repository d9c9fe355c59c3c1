"""Run the benchmarks: all of them, or those named. Prints each figure with its bar.

python -m benchmarks [NAME…]            print
python -m benchmarks --record [NAME…]   also write docs/benchmarks.json, docs/benchmarks.md and its charts
"""

from __future__ import annotations

import importlib
import json
import pathlib
import sys

from benchmarks.names import names


def main(words: list[str]) -> int:
    if words[:1] == ["--record"]:
        from benchmarks.record import record

        return 0 if record(words[1:] or names()) else 1
    out = pathlib.Path(words.pop()) if words[-2:-1] == ["--json"] else None
    if out:
        words.pop()
    good = True
    for name in words or names():
        print(f"## {name}")
        good &= bool(importlib.import_module(f"benchmarks.bench_{name}").main())
    if out:
        from benchmarks.measure import FIGURES

        out.write_text(json.dumps(FIGURES))
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
