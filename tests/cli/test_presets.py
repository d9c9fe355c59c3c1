"""Presets: the table of examples in the documentation, row by row, and the one that is gone."""

from __future__ import annotations

import json
import pathlib
import subprocess

import pytest

import atip
from atip.policy.presets import PRESETS
from tests.cli.run import atip as run_atip
from tests.shared import ROOT

PAGE = ROOT / "docs/concepts/policy.md"


def read_rows() -> list[tuple[str, dict[str, str], str]]:
    """(line, preset → outcome, reason) of the table that follows the mark."""
    table = PAGE.read_text().split("<!-- presets -->\n")[1].split("\n\n")[0]
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()
    ]
    names = [name.strip("`") for name in head[1:-1]]
    return [
        (cells[0].strip("`"), dict(zip(names, cells[1:-1], strict=True)), cells[-1])
        for cells in rows
    ]


ROWS = read_rows()


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> atip.Toolbox:
    home = tmp_path_factory.mktemp("home")
    work = home / "work"
    (work / "src").mkdir(parents=True)
    (work / "src/app.py").write_text("a = 1\n")
    (work / "notes.txt").write_text("mine\n")
    for words in (("init", "-q"), ("add", "src/app.py")):
        subprocess.run(["git", *words], cwd=work, check=True)
    return atip.Toolbox(home=str(home), cwd=str(work))


def test_the_table_covers_every_preset_and_every_outcome() -> None:
    assert all(tuple(outcomes) == tuple(PRESETS) for _, outcomes, _ in ROWS)
    assert {outcome for _, outcomes, _ in ROWS for outcome in outcomes.values()} == {
        *("allow", "confine", "ask", "deny")
    }


@pytest.mark.parametrize(("line", "expected", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_the_table(
    box: atip.Toolbox, line: str, expected: dict[str, str], reason: str
) -> None:
    cwd = f"{box.places.home}/work"
    found = {name: box.explain(line, cwd=cwd, preset=name) for name in PRESETS}
    assert {name: each.in_sandbox.outcome for name, each in found.items()} == expected
    for name, each in found.items():
        assert "; ".join(each.decision.reasons) == reason, name
        plain = {"confine": "deny" if name == "ci" else "ask"}
        assert each.decision.outcome == plain.get(expected[name], expected[name])


def test_a_file_that_git_does_not_have_as_it_is_asks(box: atip.Toolbox) -> None:
    work = pathlib.Path(box.places.home, "work")
    (work / "src/app.py").write_text("a = 1\nb = 2\n")
    try:
        found = box.explain("cp x src/app.py", cwd=str(work), preset="workspace")
        assert found.decision.outcome == "ask"
    finally:
        subprocess.run(["git", "checkout", "-q", "src/app.py"], cwd=work, check=True)


@pytest.mark.parametrize(
    "line",
    ["sed -i 's/a/b/w other' src/app.py", "sed -i e src/app.py", "cp -t src new", "cp new src", "cp -r src new",
     "sort -osrc/app.py new", "touch $X", "tee $(ls)", "cp src/app.py .git/index", "echo x > *.py", "cd .. && touch work/x y"],
)  # fmt: skip
def test_a_write_whose_place_is_not_certain_asks(box: atip.Toolbox, line: str) -> None:
    found = box.explain(line, cwd=f"{box.places.home}/work", preset="workspace")
    assert found.decision.outcome == "ask"


@pytest.mark.parametrize("file", ["policy.json", "config.json"])
def test_the_retired_preset_is_an_error_with_a_hint(tmp_path: pathlib.Path, file: str) -> None:
    config = tmp_path / ".config/agent-tools"
    config.mkdir(parents=True)
    body = {"policy": {"version": "1", "preset": "trusted"}}
    document = body if file == "policy.json" else {"policy": "trusted"}
    (config / file).write_text(json.dumps(document))
    (config / file).chmod(0o600)
    result = run_atip("policy", "check", "ls", "--json", home=tmp_path)
    assert result.code != 0 and "use `workspace`" in result.document["error"]["hint"]


def test_the_retired_preset_is_refused_as_an_option(tmp_path: pathlib.Path) -> None:
    result = run_atip("explain", "--policy", "trusted", "ls", "--json", home=tmp_path)
    assert result.document["error"]["code"] == "policy.retired-preset"
    assert "workspace" in result.document["error"]["hint"]
