"""The coverage report of a catalogue as a page: `python scripts/catalogue/coverage.py FOLDER > docs/coverage.md`."""

from __future__ import annotations

import json
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
    ("dead letters", "dead"),
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
    ):
        print(f"| {title} | shims |\n|---|---|")
        print("\n".join(f"| {name} | {number:,} |" for name, number in table.items()), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
