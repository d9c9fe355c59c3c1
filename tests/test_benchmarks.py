"""The page of benchmarks is made from the data of a run; what misses its limit is said first."""

from __future__ import annotations

import json

import pytest

from benchmarks.chart import draw, share
from benchmarks.names import names
from benchmarks.record import DATA, ROOT, render


def figure(value: float, bar: float | None, *, higher: bool = False, name: str = "a | b") -> dict:
    good = bar is None or (value >= bar if higher else value <= bar)
    return {"name": name, "value": value, "bar": bar, "unit": "×", "detail": "", "higher": higher, "good": good}  # fmt: skip


def run(*figures: dict, error: str = "") -> dict:
    return {"at": "2026-01-01 00:00", "seconds": 3, "load": [1.0, 2.0], "error": error, "figures": list(figures)}  # fmt: skip


def test_page_and_charts_are_made_from_the_data():
    for path, text in render(json.loads(DATA.read_text())).items():
        assert (ROOT / path).read_text() == text, f"{path}: run `make bench`"


def test_every_benchmark_is_on_the_page_and_those_not_measured_say_so():
    page = render({"versions": {}, "runs": {"guard": run(figure(1, 2))}})["docs/benchmarks.md"]
    shown = page.partition("## Not measured yet")
    assert "## guard" in shown[0] and "* guard\n" not in shown[2]
    assert all(f"* {name.replace('_', ' ')}" in shown[2] for name in names() if name != "guard")


def test_misses_failures_and_dearer_ratios_are_said_first():
    runs = {"x": run(figure(3, 2, name="slow"), figure(1.5, 2, name="dearer"), figure(0.5, 1, name="cheap")), "y": run(error="took more than 9 s")}  # fmt: skip
    files = render({"versions": {"atip": "1"}, "runs": runs})
    page = files["docs/benchmarks.md"]
    head = page.partition("## x")[0]
    assert "* **limit missed**: slow: 3 × (limit ≤ 2)" in head and "* dearer: 1.5 ×" in head
    assert "cheap" not in head and "**Not measured: took more than 9 s.**" in page
    assert "load 1.0 → 2.0" in page and set(files) == {"docs/benchmarks.md", "docs/pictures/bench-x.svg"}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "bar", "higher", "found"),
    [(1, 2, False, 0.5), (3, 2, False, 1.5), (0.9, 0.45, True, 0.5), (0.5, 1, True, 2.0)],
)
def test_share_of_the_limit(value, bar, higher, found):
    assert share(figure(value, bar, higher=higher)) == found


def test_chart_escapes_names_and_marks_misses():
    picture = draw([figure(9, 2, name="<a>"), figure(1, 2), figure(1, None)])
    assert "&lt;a&gt;" in picture and "450 % →" in picture
    assert picture.count("#cf222e") == 1 and picture.count("#2da44e") == 1
