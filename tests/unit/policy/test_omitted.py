"""Commands that a partial description leaves out, provenance in words, and rules for a whole bundle."""

from __future__ import annotations

import pytest

from atip.calls.shell.line import parse_shell
from atip.model.reading.decode import decode_tool
from atip.model.verdict import TrustLevel, Verdict
from atip.policy.command_context import CommandContext
from atip.policy.decide import decide
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy, Rule, TrustDemand

HARMLESS = {
    "filesystem": {"read": True, "write": False, "delete": False}, "network": False, "subprocess": False,
    "destructive": False, "creates": [], "modifies": [], "deletes": [], "cost": {"billable": False},
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}  # fmt: skip
TRUSTING = Policy(layer="user", rules=(Rule(decision="allow", name="mine", tools=("t",)),))


def judged(assumption: str | None, line: str = "t gone x"):
    omitted = {"reason": "filtered", **({"safetyAssumption": assumption} if assumption else {})}
    known = decode_tool(
        {"atip": {"version": "0.6"}, "name": "t", "version": "1", "description": "d", "partial": True,
         "totalCommands": 3, "includedCommands": 1, "omitted": omitted,
         "commands": {"look": {"description": "l", "effects": HARMLESS}}}
    )  # fmt: skip
    parsed = parse_shell(line, home="/h", cwd="/w")
    (subject,) = judge_line(parsed, MachineView(lookup=lambda name: known, cwd="/w", home="/h"))
    return subject, decide((TRUSTING,), subject)


@pytest.mark.proves("ATIP6-3.1.1-11")
@pytest.mark.parametrize("assumption", [None, "unknown", "something-else"])
def test_an_omitted_command_of_which_nothing_is_said_is_asked_about(assumption):
    subject, decision = judged(assumption)
    assert subject.effects.destructive is None
    assert decision.outcome == "ask"


@pytest.mark.proves("ATIP6-3.1.1-12")
def test_an_omitted_command_that_is_said_to_be_unsafe_counts_as_destructive():
    subject, decision = judged("known-unsafe")
    assert subject.effects.destructive is True
    assert (decision.outcome, decision.rule) == ("ask", "always: destructive")


@pytest.mark.proves("ATIP6-3.1.1-13")
def test_an_omitted_command_that_is_said_to_be_safe_may_run_where_policy_lets_it():
    subject, decision = judged("known-safe")
    assert decision.outcome == "allow"
    # and only there: the word of a description is no rule
    assert decide((Policy(layer="user", preset="cautious"),), subject).outcome == "ask"


@pytest.mark.proves("ATIP6-3.1.1-14")
def test_an_omitted_command_like_the_others_is_judged_by_the_worst_of_them():
    subject, decision = judged("same-as-included")
    assert subject.effects.filesystem.write is False
    assert decision.outcome == "allow"


def test_a_described_command_keeps_its_own_effects():
    assert judged("known-unsafe", "t look x")[0].effects.destructive is False


@pytest.mark.proves("ATIP6-3.2.2-19")
@pytest.mark.parametrize(
    ("level", "word"), list(enumerate(("untrusted", "low", "medium", "high", "full")))
)
def test_provenance_is_worth_what_its_level_says(level, word):
    verdict = Verdict(level=TrustLevel.VERIFIED, recommendation="execute", slsa_level=level)
    assert verdict.provenance_trust == word
    subject = CommandContext(tool="t", verdict=verdict)
    demand = Policy(layer="organisation", trust=TrustDemand(slsa_level=3))
    decision = decide((demand, Policy(layer="user", default="allow")), subject)
    assert (decision.outcome == "deny") == (level < 3)
    if level < 3:
        assert f"{word} trust" in decision.reasons[0]


@pytest.mark.proves("AIP29-COMPAT-01")
@pytest.mark.parametrize("line", ["gh pr create -t x", "gh issue close 1", "gh repo delete x"])
def test_one_rule_holds_for_every_command_of_a_bundle(line):
    from atip.knowledge.reading import load

    rule = Rule(decision="deny", name="no changes there", tools=("gh",), effects={"changes": True})
    policy = Policy(layer="user", rules=(rule,), preset="cautious")
    parsed = parse_shell(line, home="/h", cwd="/w")
    (subject,) = judge_line(parsed, MachineView(lookup=load, cwd="/w", home="/h"))
    assert decide((policy,), subject).outcome == "deny"
    reading = parse_shell("gh pr list", home="/h", cwd="/w")
    (other,) = judge_line(reading, MachineView(lookup=load, cwd="/w", home="/h"))
    assert decide((policy,), other).rule != "user: no changes there"
