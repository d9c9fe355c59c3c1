"""The Never list: catastrophes are denied under every preset and rule, near misses are not."""

from __future__ import annotations

import pytest

from atip.calls.shell.line import parse_shell
from atip.knowledge.reading import load
from atip.policy.decide import decide
from atip.policy.decision import DENY, strictest
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy, Rule
from atip.policy.presets import PRESETS
from atip.toolbox import Toolbox
from tests.shared import ROOT

HOME, CWD = "/home/dev", "/home/dev/project"
ROWS = [
    tuple(row.split("\t"))
    for row in (ROOT / "conformance" / "never" / "lines.tsv").read_text().splitlines()
    if not row.startswith("#")
]
ANYTHING = Policy(layer="user", rules=(Rule(name="all", decision="allow", tools=("*",)),))


def decided(line: str, *policies: Policy):
    parsed = parse_shell(line, home=HOME, cwd=CWD)
    subjects = judge_line(parsed, MachineView(lookup=load, cwd=CWD, home=HOME))
    return strictest(decide(policies, subject) for subject in subjects)


@pytest.mark.parametrize("line", [line for verdict, line in ROWS if verdict == "deny"])
def test_a_catastrophe_is_denied_whatever_the_policy_says(line):
    for policy in (ANYTHING, *(Policy(layer="user", preset=name) for name in PRESETS)):
        decision = decided(line, policy)
        assert decision.outcome == DENY
        assert decision.rule == "never"
        assert any("; " in reason or "fork bomb" in reason for reason in decision.reasons)


@pytest.mark.parametrize("line", [line for verdict, line in ROWS if verdict == "pass"])
def test_a_near_miss_is_not_denied(line):
    assert decided(line, Policy(layer="user", preset="cautious")).outcome != DENY


def test_there_are_enough_of_both():
    verdicts = [verdict for verdict, _ in ROWS]
    assert verdicts.count("deny") >= 60
    assert verdicts.count("pass") >= 60


def test_a_program_whose_name_the_shell_makes_is_judged_and_not_looked_for(tmp_path):
    """A NUL stands for text that is not known yet; no file has one in its name."""
    box = Toolbox(home=str(tmp_path))
    assert box.explain('"$PROGRAM" x', cwd=str(tmp_path)).decision.outcome == "ask"
    assert box.explain("$(echo rm) -rf /", cwd=str(tmp_path)).decision.outcome != "allow"
