"""An executable pattern runs step by step, each judged like any other command."""

from __future__ import annotations

import pathlib

import pytest

from atip.errors import Denied, NotFoundError
from atip.execution.call import CallOptions
from atip.model.tool import Pattern, PatternStep
from atip.workflows.run import pattern
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox

PATTERN = Pattern(
    name="two",
    steps=(PatternStep(command="mkdir {folder}"), PatternStep(command="touch {folder}/a"), PatternStep(command="ls {folder}")),
    executable=True,
)  # fmt: skip


@pytest.fixture
def desk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(pattern.Patterns, "find", lambda self, tool, name: PATTERN)
    return Desk(tmp_path)


def run(desk: Desk, folder: str = "made"):
    options = CallOptions(cwd=str(desk.work))
    return desk.box.patterns.run("t", "two", {"folder": folder}, options, ask=desk.yes)


@pytest.mark.proves("ATIP6-3.9-06", "ATIP6-3.9-08")
def test_every_step_is_asked_about_and_runs(desk: Desk) -> None:
    results = run(desk)
    assert [result.exit_code for result in results] == [0, 0, 0]
    assert results[-1].stdout == "a\n"
    assert [question.argv[0] for question in desk.asked] == ["mkdir", "touch"]


@pytest.mark.proves("ATIP6-3.9-08")
def test_a_step_that_policy_denies_stops_the_pattern_before_it_begins(desk: Desk) -> None:
    desk.policy(rules=[{"decision": "deny", "tools": ["touch"]}])
    with pytest.raises(Denied):
        run(desk)
    assert list(desk.work.iterdir()) == []


@pytest.mark.proves("ATIP6-3.9-09")
def test_a_step_whose_tool_is_not_trusted_enough_does_not_run(desk: Desk) -> None:
    desk.policy(trust={"requireSignatures": True})
    with pytest.raises(Denied) as refusal:
        run(desk)
    assert "signature" in refusal.value.message
    assert list(desk.work.iterdir()) == []


def test_a_step_that_fails_is_the_last(desk: Desk) -> None:
    (desk.work / "made").write_text("in the way")
    assert [result.exit_code for result in run(desk)] == [1]


def test_what_is_not_there_is_said(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NotFoundError) as refusal:
        Desk(tmp_path).box.patterns.run("git", "no-such-pattern", {})
    assert refusal.value.code in ("pattern.not-found", "tool.not-found")
