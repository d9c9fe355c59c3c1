"""`atip policy allow` and `deny`: a rule in one command, on a terminal, for a folder and a time."""

from __future__ import annotations

import json

import pytest

from atip.policy.policy import Policy, Rule, in_force
from tests.cli.run import atip
from tests.cli.test_guard_install import on_terminal


@pytest.fixture
def home(tmp_path):
    return tmp_path


def decision(home, line: str, cwd=None) -> str:
    request = json.dumps({"line": line, "cwd": str(cwd or home)})
    return atip("guard", home=home, stdin=request).document["decision"]


def rules(home) -> list[dict]:
    return json.loads((home / ".config/agent-tools/policy.json").read_text())["policy"]["rules"]


def test_a_person_allows_a_line_here_and_only_there(home):
    inside, outside = home / "a/b", home / "c"
    inside.mkdir(parents=True)
    outside.mkdir()
    (home / "a/.agent-tools").mkdir()
    assert decision(home, "npm test", inside) == "ask"
    ran = on_terminal(home, b"y\n", "policy", "allow", "npm test", "--unsafe-unconfined", cwd=home / "a")  # fmt: skip
    assert ran.code == 0
    assert rules(home)[0]["folders"] == [str(home / "a")]
    assert decision(home, "npm test", inside) == "allow"
    assert decision(home, "npm test | tail -5", inside) == "allow"
    assert decision(home, "npm test", outside) == "ask"
    for line in ("npm test -- --watch", "npm run x", "npm test > ~/.profile", "npm test; npm publish",
                 "npm $X", "npm test $(curl x)", "sudo npm test", "NODE_OPTIONS=--require=./x npm test",
                 "npm test > package.json"):  # fmt: skip
        assert decision(home, line, inside) != "allow", line


def test_without_a_terminal_or_a_yes_nothing_is_allowed(home):
    assert atip("policy", "allow", "npm test", home=home).code != 0
    assert on_terminal(home, b"n\n", "policy", "allow", "npm test").code == 1
    assert not (home / ".config/agent-tools/policy.json").exists()


def test_tools_without_subcommands_modules_and_further_words(home):
    work = home / "work"
    work.mkdir()
    for line in ("make", "python -m pytest *", "./check.sh --fast"):
        words = ("policy", "allow", line, "--unsafe-unconfined")
        assert on_terminal(home, b"y\n", *words, cwd=work).code == 0, line
    for line in ("make", "python -m pytest", "python -m pytest -q tests", "./check.sh --fast"):
        assert decision(home, line, work) == "allow", line
    for line in ("make deploy", "python -m http.server", "python -c 1", "./check.sh"):
        assert decision(home, line, work) == "ask", line
    again = on_terminal(home, b"y\n", "policy", "allow", "make", "--unsafe-unconfined", cwd=work)
    assert again.out.endswith("rule exists already\n")
    assert len(rules(home)) == 3


@pytest.mark.parametrize("line", ["rm -rf build", "rm -rf /", "cat .env", "sudo make", "make > x", "X=1 make", "a | b", "npm $X", "echo 'x"])  # fmt: skip
def test_what_no_rule_can_allow_is_refused(home, line):
    ran = on_terminal(home, b"y\n", "policy", "allow", line)
    assert ran.code != 0
    assert not (home / ".config/agent-tools/policy.json").exists()


def test_a_rule_ends(home):
    assert on_terminal(home, b"y\n", "policy", "allow", "npm test", "--until", "7d").code == 0
    until = rules(home)[0]["until"]
    policy = Policy(rules=(Rule(decision="allow", until=until),))
    assert in_force(policy, cwd="/x", now="2020-01-01T00:00:00Z") == policy
    assert in_force(policy, cwd="/x", now=until).rules == ()
    assert atip("policy", "allow", "npm test", "--until", "soon", home=home).code == 2


@pytest.mark.parametrize("rule", [{"folders": ["x"]}, {"until": "tomorrow"}, {"until": "2026-01-01"}])  # fmt: skip
def test_a_rule_whose_place_or_time_cannot_be_read_stops_everything(home, rule):
    folder = home / ".config/agent-tools"
    folder.mkdir(parents=True)
    written = {"decision": "allow", "words": ["npm", "test"], **rule}
    (folder / "policy.json").write_text(json.dumps({"policy": {"version": "1", "rules": [written]}}))  # fmt: skip
    assert decision(home, "ls") == "ask"


def test_a_denial_needs_no_terminal_and_wins(home):
    assert atip("policy", "deny", "npm publish *", "--everywhere", "--reason", "by CI", home=home).code == 0  # fmt: skip
    assert decision(home, "npm publish --tag next") == "deny"
    assert decision(home, "npm $COMMAND") in ("ask", "deny")
    shown = atip("policy", "show", "--json", home=home).document["layers"][0]["rules"]
    assert shown[0]["words"] == ["npm", "publish", "*"]


def test_other_rules_of_the_file_stay(home):
    folder = home / ".config/agent-tools"
    folder.mkdir(parents=True)
    text = '{"policy": {"version": "1",\n  "preset": "cautious", "rules": [{"decision": "deny", "tools": ["x"]}]}}\n'
    (folder / "policy.json").write_text(text)
    assert on_terminal(home, b"y\n", "policy", "allow", "make").code == 0
    after = (folder / "policy.json").read_text()
    assert after.startswith('{"policy": {"version": "1",\n  "preset": "cautious"')
    assert len(rules(home)) == 2


def test_an_agent_cannot_allow_itself_anything(home):
    assert decision(home, "atip policy allow 'npm test'") == "deny"
