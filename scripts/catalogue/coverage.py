"""The coverage report of a catalogue as a page: `python scripts/catalogue/coverage.py FOLDER > docs/coverage.md`."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import sys

from atip.crawler.coverage import count_coverage
from atip.crawler.depot import Depot
from atip.inference.summary import why_not_summary

ROWS = (
    ("packages with a result", "packages"),
    ("executables found", "programs"),
    ("executables that printed something when asked", "helped"),
    ("of these with a valid shim", "described"),
    ("packages refused", "dead"),
)


def figures(depot: Depot) -> dict[str, int]:
    """Counts over all results."""
    counts = dict.fromkeys(("packages", "programs", "helped", "described", "dead", "aliases"), 0)
    for key in depot.known_results():
        result = depot.find_result(key) or {}
        counts["packages"] += 1
        counts["dead"] += result.get("outcome") == "refused"
        for row in result.get("programs", ()):
            counts["aliases"] += "alias" in row
            counts["programs"] += "alias" not in row
            counts["helped"] += bool(row.get("helped"))
            counts["described"] += bool(row.get("helped")) and row.get("hash") in result["shims"]
    return counts


def summaries(folder: pathlib.Path) -> tuple[int, int]:
    """Shims whose description passes the checker of summaries, and all."""
    good = total = 0
    for path in folder.rglob("*.json"):
        shim = json.loads(path.read_bytes())
        total += 1
        good += why_not_summary(shim["description"], shim["name"]) is None
    return good, total


def gigabytes(folder: pathlib.Path) -> float:
    """Room that files take; one with several names counts once."""
    files = {(one.st_dev, one.st_ino): one.st_blocks for one in map(_look, folder.rglob("*"))}
    return sum(files.values()) * 512 / 1e9


def _look(path: pathlib.Path) -> os.stat_result:
    return path.lstat()


def reasons(folder: pathlib.Path) -> collections.Counter[str]:
    """Dead letters of the last run by code."""
    report = json.loads((folder / "report.json").read_bytes())
    return collections.Counter(str(one["code"]) for one in report["deadLetters"])


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    counts = figures(Depot(str(folder / "state" / "depot")))
    coverage = count_coverage(str(folder / "registry"))
    good, total = summaries(folder / "registry" / "shims")
    print("# Coverage of the starter catalogue\n\nWritten by `make catalogue`.\n\n| | |\n|---|---|")
    for title, key in ROWS:
        print(f"| {title} | {counts[key]:,} |")
    for title, number in (
        ("packages with shims", coverage.packages),
        ("tools (names)", coverage.tools),
        ("shims (hashes)", coverage.shims),
        ("further names of the same files", counts["aliases"]),
        ("commands", coverage.commands),
        ("options", coverage.options),
        ("shims with structure", coverage.with_structure),
        ("shims with known effects", coverage.with_effects),
        ("descriptions that pass the checker of summaries", good),
    ):
        print(f"| {title} | {number:,} |")
    print(f"| state (packages as fetched, results) | {gigabytes(folder / 'state'):.1f} GB |")
    print(f"| registry (source, public, signed) | {gigabytes(folder / 'registry'):.1f} GB |")
    share = 100 * counts["described"] / max(1, counts["helped"])
    print(
        f"\n{share:.1f} % of executables that printed something when asked have a strictly valid shim; ",
        end="",
    )
    print(f"{100 * good / max(1, total):.1f} % of descriptions pass the checker.\n")
    for title, table in (
        ("platform", coverage.platforms),
        ("ecosystem", coverage.by_ecosystem),
        ("method", coverage.by_method),
        ("trust", coverage.by_trust),
        ("dead letter", reasons(folder)),
    ):
        print(f"| {title} | {'packages' if title == 'dead letter' else 'shims'} |\n|---|---|")
        print("\n".join(f"| {name} | {number:,} |" for name, number in table.items()), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
