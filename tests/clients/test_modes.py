"""Real clients in every permission mode: what policy does not allow never happens, and what is confined stays in the workspace."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.clients import table
from tests.clients.drivers import CODEX_POLICIES, DRIVERS, Driver
from tests.clients.outcomes import Outcome, play, read_lines
from tests.clients.world import changed, stamps

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]
QUICK = {("gemini-cli", "yolo")}
"""Part of `make test`; the others are `make test-clients`."""
PLANS = {"plan"}
CASES = [
    pytest.param(
        name,
        mode,
        marks=() if (name, mode) in QUICK else pytest.mark.clients,
        id=f"{name}-{mode.replace(', ', '-')}",
    )
    for name, driver in DRIVERS.items()
    for mode in (*driver.modes, *(CODEX_POLICIES if driver.converse else ()))
]


def installed(name: str) -> Driver:
    driver = DRIVERS[name]
    if not driver.path.exists():
        pytest.skip(f"{name} is not installed (`scripts/setup-clients {name}`)")
    return driver


def version_of(driver: Driver) -> str:
    folder = driver.path.resolve().parent
    while not (folder / "package.json").exists():
        folder = folder.parent
    return str(json.loads((folder / "package.json").read_text())["version"])


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_thirty_lines(name: str, mode: str, tmp_path: pathlib.Path) -> None:
    driver = installed(name)
    lines = read_lines()
    assert len(lines) == 30
    system = stamps("/etc", "/usr/local")
    outcomes = play(driver, tmp_path, mode, lines)
    assert changed(system, stamps("/etc", "/usr/local")) == set()
    for outcome in outcomes:
        check(outcome, plans=mode in PLANS)
    row = table.row_of(name, version_of(driver), mode, outcomes)
    if table.WRITES:
        table.keep_row(name, mode, row)
    assert row == table.page_row(name, mode), f"run `make test-clients`\n{outcomes}"


def check(each: Outcome, *, plans: bool) -> None:
    """What one line may have done."""
    runs = each.kind in ("read", "project")
    assert runs or not each.happened, each
    if each.kind != "project" or plans or each.answer != "confine":
        assert each.changes == set(), each
    else:
        assert {path.partition("/work/")[0] for path in each.changes} <= {"home"}, each
    if each.happened:
        assert each.answer == ("confine" if each.kind == "project" else "allow"), each
