"""Files of cases, cases that are found for a tool, and the evidence that is kept of them."""

from __future__ import annotations

import json
import pathlib

import pytest

from atip.errors import FormatError
from atip.proving.cases import read_cases
from tests.cli.run import atip

pytestmark = pytest.mark.sandbox

CASES = """
format: atip-cases/1
tool: cp
setup:
  files: {own.txt: "text\\n"}
cases:
  - run: cp {flag} own.txt new.txt
    flag: --verbose
    base: [read, write]
  - run: cp -r d new
"""


def observe(tmp_path: pathlib.Path, text: str, *more: str):
    file = tmp_path / "cases.yaml"
    file.write_text(text)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return atip("observe", "--cases", str(file), "--json", *more, home=home, cwd=tmp_path)


def test_cases_of_a_file_run_with_and_without_their_flag(tmp_path: pathlib.Path) -> None:
    ran = observe(tmp_path, CASES)
    assert ran.code == 0, ran.err
    rows = ran.document["cases"]
    assert [row["argv"] for row in rows] == [
        ["cp", "own.txt", "new.txt"],
        ["cp", "--verbose", "own.txt", "new.txt"],
        ["cp", "-r", "d", "new"],
    ]
    for row in rows:
        verdicts = {verdict["fact"]: verdict["verdict"] for verdict in row["verdicts"]}
        assert verdicts["filesystem.write"] == "agrees"
        assert verdicts["idempotent"] == "unobservable"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.yaml", "home"]


def test_what_a_case_does_not_expect_is_named(tmp_path: pathlib.Path) -> None:
    text = CASES.replace("base: [read, write]", "base: [read, delete]")
    ran = observe(tmp_path, text)
    assert ran.code == 1
    problems = {(row["line"], row["problem"]) for row in ran.document["unmet"]}
    assert ("cp own.txt new.txt", "filesystem.delete was expected but not observed") in problems
    assert ("cp own.txt new.txt", "filesystem.write was observed but not expected") in problems


def test_evidence_is_kept_by_digest_and_shown(tmp_path: pathlib.Path) -> None:
    ran = observe(tmp_path, CASES, "--save")
    output = json.loads(pathlib.Path(ran.document["saved"]).read_text())
    assert output["evidence"] == "observed"
    assert pathlib.Path(ran.document["saved"]).parent.name == output["digest"].removeprefix(
        "sha256:"
    )
    rows = {(row["subject"], row["fact"]): row for row in output["facts"]}
    assert rows["cp --verbose", "filesystem.write"]["lines"] == ["cp --verbose own.txt new.txt"]
    assert rows["cp --verbose", "filesystem.write"]["calls"]
    home = tmp_path / "home"
    result = atip("show", "cp", "--evidence", home=home, cwd=tmp_path)
    assert "observed: filesystem.write agrees" in result.out
    assert "another build" not in result.out
    assert output["verified"] is True
    assert "observed: trust.verified agrees" in result.out


def test_a_claim_that_no_case_showed_leaves_a_tool_unverified(tmp_path: pathlib.Path) -> None:
    text = "format: atip-cases/1\ntool: cp\ncases:\n  - run: cp missing.txt new.txt\n"
    ran = observe(tmp_path, text)
    assert ran.document["evidence"]["verified"] is False


def test_cases_are_found_for_a_tool(tmp_path: pathlib.Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    ran = atip("observe", "--examples", "rmdir", "--json", home=home, cwd=tmp_path)
    assert ran.code == 0, ran.err
    subjects = {row["subject"] for row in ran.document["cases"]}
    assert {"rmdir", "rmdir --verbose"} <= subjects
    assert all(
        verdict["verdict"] == "agrees"
        for row in ran.document["cases"]
        for verdict in row["verdicts"]
        if verdict["fact"] == "filesystem.delete"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("atip-cases/1", "atip-cases/9"), "$.format"),
        (("tool: cp", "tool: 3"), "$.tool"),
        (("run: cp -r d new", "rin: cp"), "did you mean `run`?"),
        (("run: cp -r d new", "run: mv a b"), "must begin with `cp`"),
        (("flag: --verbose", "name: x"), "belong together"),
        (("[read, write]", "[read, wrte]"), "unknown fact `wrte`"),
        (("[read, write]", "write"), "must be a list of facts"),
        (("{own.txt:", "{../own.txt:"), "must be a path below"),
        (("run: cp -r d new", 'run: "cp \'"'), "cannot be split"),
        (("setup:", "set-up:"), "no field `set-up`"),
    ],
)
def test_problems_are_named_with_their_place(change: tuple[str, str], said: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_cases(CASES.replace(*change).encode())
    assert caught.value.code == "cases.invalid"
    told = " ".join(f"{problem.path}: {problem.message}" for problem in caught.value.problems)
    assert said in told
