"""A recorded day of 200 lines: few questions beyond a person's decisions, none of which is confined; the page shows every outcome."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
import typing

import pytest

from atip.toolbox import Toolbox

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_QUESTIONS = 5


@pytest.fixture(scope="module")
def day() -> typing.Any:
    spec = importlib.util.spec_from_file_location("recorded_day", ROOT / "scripts/recorded_day.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["recorded_day"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["recorded_day"]


def test_a_day_of_two_hundred_lines(day: typing.Any) -> None:
    rows = day.judge_day()
    assert len(rows) == 200
    asked = [row.line for row in rows if row.who == "-" and row.outcome in ("ask", "deny")]
    assert len(asked) <= MAX_QUESTIONS, asked
    assert [
        row.line for row in rows if row.who == "person" and row.outcome in ("allow", "confine")
    ] == []
    assert outcomes(day.TARGET.read_text()) == outcomes(day.render(rows)), "run `make docs`"


def outcomes(page: str) -> list[str]:
    """Lines and outcomes of the table; the words of a reason may change without it."""
    return [" | ".join(row.split(" | ")[:-2]) for row in page.splitlines() if row.startswith("| `")]


def test_what_a_person_decides_is_neither_allowed_nor_confined(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "examples/person-decides.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(set(lines)) == 100
    (tmp_path / "work/.git").mkdir(parents=True)
    box = Toolbox(home=str(tmp_path), cwd=str(tmp_path / "work"))
    outcome = {
        line: box.explain(line, cwd=str(tmp_path / "work")).in_sandbox.outcome for line in lines
    }
    assert {line: each for line, each in outcome.items() if each not in ("ask", "deny")} == {}
