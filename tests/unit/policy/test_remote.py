"""Remote reads: what only asks the user's own service is allowed by default, what chooses more asks."""

from __future__ import annotations

import pytest

from atip.calls.shell.line import parse_shell
from atip.knowledge.reading import load
from atip.policy.decide import decide
from atip.policy.decision import strictest
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy, Rule
from tests.shared import ROOT

ROWS = [
    tuple(row.split("\t"))
    for row in (ROOT / "conformance" / "remote" / "lines.tsv").read_text().splitlines()
    if not row.startswith("#")
]
CAUTIOUS = Policy(layer="user", preset="cautious")


def decided(line: str, *policies: Policy):
    parsed = parse_shell(line, home="/home/dev", cwd="/home/dev/project")
    subjects = judge_line(
        parsed, MachineView(lookup=load, cwd="/home/dev/project", home="/home/dev")
    )
    return strictest(decide(policies, subject) for subject in subjects)


@pytest.mark.parametrize(("verdict", "line"), ROWS)
def test_every_row_of_the_table(verdict, line):
    assert decided(line, CAUTIOUS).outcome == verdict


def test_an_organisation_can_switch_remote_reads_off():
    rule = Rule(name="no network", decision="ask", effects={"network": True})
    strict = Policy(layer="organisation", rules=(rule,))
    assert decided("gh pr list", strict, CAUTIOUS).outcome == "ask"
    assert decided("git status", strict, CAUTIOUS).outcome == "allow"


def test_read_only_stays_local():
    assert decided("gh pr list", Policy(layer="user", preset="read-only")).outcome == "deny"
