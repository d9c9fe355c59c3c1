"""Rules of a project count after a person approved them; `policy init`, `test`, `--once`; what `explain` says of rules that are ignored."""

from __future__ import annotations

import json
import pathlib
import typing

import pytest

from tests.cli.run import atip
from tests.cli.test_guard_install import on_terminal

RULE = {"name": "tests", "decision": "allow", "words": ["mkdir", "build"]}


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "work"
    (folder / ".agent-tools").mkdir(parents=True)
    return folder


def write(work: pathlib.Path, *rules: dict, **parts: object) -> pathlib.Path:
    path = work / ".agent-tools/policy.json"
    path.write_text(json.dumps({"policy": {"version": "1", "rules": list(rules), **parts}}))
    return path


def explain(
    work: pathlib.Path, line: str, cwd: pathlib.Path | None = None
) -> dict[str, typing.Any]:
    return atip("explain", line, "--json", home=work.parent, cwd=cwd or work).document


def approve(work: pathlib.Path, said: bytes = b"y\n") -> int:
    return on_terminal(work.parent, said, "policy", "approve", cwd=work).code


def test_a_projects_rules_count_after_a_person_approved_that_very_file(work: pathlib.Path) -> None:
    path = write(work, RULE)
    before = explain(work, "mkdir build")
    assert before["decision"] == "ask"
    assert before["ignored"] and "not approved" in before["ignored"][0]
    assert atip("policy", "approve", home=work.parent, cwd=work).code != 0
    assert approve(work, b"n\n") == 1
    assert explain(work, "mkdir build")["decision"] == "ask"
    assert approve(work) == 0
    assert explain(work, "mkdir build")["decision"] == "allow"
    path.write_text(path.read_text() + "\n")  # the content is the same
    assert explain(work, "mkdir build")["decision"] == "allow"
    write(work, RULE, {"decision": "allow", "words": ["mkdir", "other"]})
    assert explain(work, "mkdir build")["decision"] == "ask"
    other = work.parent / "other"
    (other / ".agent-tools").mkdir(parents=True)
    write(other, RULE)
    assert explain(work, "mkdir build", other)["decision"] == "ask"


def test_a_project_grants_no_hosts_no_secrets_and_speaks_for_itself_alone(
    work: pathlib.Path,
) -> None:
    write(
        work, RULE,
        {"name": "net", "decision": "allow", "words": ["curl", "https://example.com"]},
        {"name": "key", "decision": "allow", "words": ["cat", ".env"]},
        {"name": "wide", "decision": "allow", "tools": ["*"]},
        {"name": "far", "decision": "allow", "words": ["make"], "folders": ["/"]},
        grants={"hosts": ["example.com"]},
    )  # fmt: skip
    assert approve(work) == 0
    assert explain(work, "mkdir build")["decision"] == "allow"
    for line, why in (
        ("curl https://example.com", "never opens the network"),
        ("cat .env", "secret"),
        ("mkdir build > x", "words only"),
    ):
        found = explain(work, line)
        assert found["decision"] == "ask", line
        assert any(why in text for text in found["ignored"]), (line, found["ignored"])
    wide = explain(work, "pip install x")
    assert wide["decision"] == "ask" and "only by `words`" in str(wide["ignored"])
    assert explain(work, "make")["decision"] == "ask"
    assert explain(work, "mkdir build", work.parent)["decision"] == "ask"


def test_denials_of_a_project_count_at_once(work: pathlib.Path) -> None:
    write(work, {"decision": "deny", "words": ["ls"], "reason": "not here"})
    found = explain(work, "ls")
    assert (found["decision"], found["reasons"]) == ("deny", ["not here"])


def test_a_rule_for_one_line_is_used_up_by_it(work: pathlib.Path) -> None:
    assert on_terminal(work.parent, b"y\n", "policy", "allow", "mkdir build", "--once", cwd=work).code == 0  # fmt: skip
    request = json.dumps({"line": "mkdir build", "cwd": str(work)})
    assert explain(work, "mkdir build")["decision"] == "ask"  # only the guard uses such a rule
    answers = [atip("guard", home=work.parent, stdin=request).document["decision"] for _ in range(2)]  # fmt: skip
    assert answers == ["allow", "ask"]
    config = work.parent / ".config/agent-tools/policy.json"
    assert json.loads(config.read_text())["policy"]["rules"] == []


def test_examples_in_a_policy_file_are_checked(work: pathlib.Path) -> None:
    good = {**RULE, "match": ["mkdir build", "cd x && mkdir build"], "not_match": ["mkdir other"]}
    write(work, good)
    ran = atip("policy", "test", home=work.parent, cwd=work)
    assert (ran.code, ran.out) == (0, "3 of 3 examples are correct\n")
    write(work, {**good, "not_match": ["mkdir build"]})
    wrong = atip("policy", "test", "--json", home=work.parent, cwd=work)
    assert wrong.code == 1 and wrong.document["failed"] == 1


def test_a_file_to_start_from(tmp_path: pathlib.Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "package.json").write_text("{}")
    (work / "pyproject.toml").write_text("")
    assert atip("policy", "init", home=tmp_path, cwd=work).code == 0
    assert atip("policy", "test", home=tmp_path, cwd=work).out == "4 of 4 examples are correct\n"
    assert explain(work, "python -m pytest -q")["decision"] == "ask"
    assert approve(work) == 0
    assert (
        explain(work, "python -m pytest -q")["decision"] == "confine"
    )  # it runs files of the project
    again = atip("policy", "init", "--json", home=tmp_path, cwd=work)
    assert again.document["error"]["code"] == "policy.exists"
    own = atip("policy", "init", "--user", "--preset", "workspace", home=tmp_path, cwd=work)
    assert own.code == 0 and "workspace" in (tmp_path / ".config/agent-tools/policy.json").read_text()  # fmt: skip


def test_explain_says_where_and_until_when_a_rule_counts(work: pathlib.Path) -> None:
    config = work.parent / ".config/agent-tools"
    config.mkdir(parents=True)
    rules = [
        {**RULE, "until": "2020-01-01T00:00:00Z"},
        {**RULE, "name": "far", "folders": ["/srv"]},
    ]
    (config / "policy.json").write_text(json.dumps({"policy": {"version": "1", "rules": rules}}))
    (config / "policy.json").chmod(0o600)
    texts = explain(work, "mkdir build")["ignored"]
    assert texts == [
        "user: tests: ignored, it expired at 2020-01-01T00:00:00Z",
        "user: far: ignored, it applies only in /srv",
    ]
