"""Print which requirements are claimed by tests, by text, level and area.

`--update` rewrites conformance/unproven.txt with what no test claims; the list may only shrink.
"""

from __future__ import annotations

import collections
import contextlib
import io
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What `tests.conftest` imports is imported before pytest could rewrite it.
_COLLECT = ("--collect-only", "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning")
sys.path.insert(0, str(ROOT))

from tests.conftest import UNPROVEN, claims, load_requirements, load_waived  # noqa: E402


class Claims:
    def __init__(self) -> None:
        self.ids: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            self.ids.update(claims(item))


def main() -> int:
    claims = Claims()
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main([*_COLLECT, str(ROOT / "tests")], plugins=[claims])
    if code not in (0, 5):
        print("tests do not collect", file=sys.stderr)
        return 1
    known, waived = load_requirements(), load_waived()
    unproven = {
        name: row for name, row in known.items() if name not in claims.ids and name not in waived
    }
    if "--update" in sys.argv:
        UNPROVEN.write_text("".join(f"{name}\n" for name in unproven))
    for key in ("spec", "level", "area"):
        total = collections.Counter(row[key] for row in known.values())
        left = collections.Counter(row[key] for row in unproven.values())
        print(f"{key}:")
        for name, number in sorted(total.items()):
            print(
                f"  {name:<18} {number - left[name]:>4} of {number:>4} proven, {left[name]:>4} left"
            )
    hard = collections.Counter(
        row["area"] for row in unproven.values() if row["level"] in ("MUST", "SHOULD")
    )
    print("unproven MUST or SHOULD by area:", dict(sorted(hard.items())) or "none")
    for name in sys.argv[1:]:
        for row in unproven.values():
            if row["area"] == name:
                print(f"  {row['id']:<20} {row['level']:<8} {row['text'][:110]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
