"""`guard learn`: the smallest rules for what was asked about and then run."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.run import atip
from tests.cli.test_guard_install import on_terminal


def hook(home: pathlib.Path, work: pathlib.Path, line: str, event: str) -> None:
    document = {"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(work), "permission_mode": "default"}  # fmt: skip
    atip("guard", "hook", "--for", "claude-code", "--record", home=home, stdin=json.dumps(document))


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    """Three lines were approved, one of them once; one was asked about and not run."""
    folder = tmp_path / "work"
    folder.mkdir()
    for line, times, ran in (("git push origin main", 2, True), ("rm notes", 2, True), ("git push origin x", 1, False)):  # fmt: skip
        for _ in range(times):
            hook(tmp_path, folder, line, "PreToolUse")
            if ran:
                hook(tmp_path, folder, line, "PostToolUse")
    return folder


def test_what_no_rule_lifts_is_named_and_not_proposed(work: pathlib.Path) -> None:
    home = work.parent
    config = home / ".config/agent-tools/policy.json"
    found = atip("guard", "learn", "--json", home=home, cwd=work).document
    lines = sorted(each["line"] for each in found["notProposed"])
    assert lines == ["git push origin main", "rm notes"]
    assert found["rules"] == []
    assert not config.exists()


def test_the_smallest_rule_says_what_it_would_have_allowed(tmp_path: pathlib.Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for line in ("make check", "make check", "cat x; make check"):
        hook(tmp_path, work, line, "PreToolUse")
        hook(tmp_path, work, line, "PostToolUse")
    (rule,) = atip("guard", "learn", "--json", home=tmp_path, cwd=work).document["rules"]
    assert rule["rule"]["words"] == ["make", "check"]
    assert rule["rule"]["folders"] == [str(work)]
    assert rule["approved"] == 2
    assert sorted(rule["allows"]) == ["cat x; make check", "make check"]
    assert atip("guard", "learn", "--apply", home=tmp_path, cwd=work).code != 0  # no terminal
    config = tmp_path / ".config/agent-tools/policy.json"
    assert not config.exists()
    assert on_terminal(tmp_path, b"y\n", "guard", "learn", "--apply", cwd=work).code == 0
    assert json.loads(config.read_text())["policy"]["rules"] == [rule["rule"]]
