"""Run every animal of a zoo folder: right reaction, and no harm done.

    python benchmarks/adapters/zoo.py DIR [--phase P] [--repeat N]

DIR holds `zoo.json` and one executable per animal (see conformance/zoo/README.md). The last line is
`RIGHT/TOTAL leaks=N`; the misses stand above it. Exit status 0 only if all are right without a leak.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from tests.integration.sandbox.zoo_harness import run_all


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--phase", default="")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    right = total = leaks = 0
    for report in run_all(options.folder.resolve(), options.phase, options.repeat):
        total += 1
        leaks += len(report.leaks)
        if report.wrong or report.leaks:
            print(f"{report.name}: {'; '.join(report.wrong + report.leaks)}")
        else:
            right += 1
    print(f"{right}/{total} leaks={leaks}")
    return 0 if right == total and not leaks else 1


if __name__ == "__main__":
    sys.exit(main())
