"""Decisions: what always holds, presets, layers, trust, delegation."""

from __future__ import annotations

import pytest

from atip.calls.shell.line import parse_shell
from atip.knowledge import load
from atip.knowledge.words import as_effects, profile
from atip.model.effects import UNKNOWN
from atip.model.permissions.delegation import Delegation
from atip.model.verdict import TrustLevel, Verdict
from atip.policy.command_context import CommandContext, add_marks
from atip.policy.decide import decide
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy, Rule, TrustDemand


def subject(words: str = "reads", **fields: object) -> CommandContext:
    given = {"tool": "t", "evidence": "knowledge", "effects": as_effects(profile(words)), **fields}
    return CommandContext(**given)


def preset(name: str) -> tuple[Policy, ...]:
    return (Policy(layer="user", preset=name),)


def outcome(policies: tuple[Policy, ...], words: str = "reads", **fields: object) -> str:
    return decide(policies, subject(words, **fields)).outcome


RECOMMENDED = {
    TrustLevel.COMPROMISED: "block",
    TrustLevel.UNSIGNED: "confirm",
    TrustLevel.UNVERIFIED: "confirm",
    TrustLevel.PROVENANCE_FAIL: "block",
    TrustLevel.VERIFIED: "execute",
}


def verdict(level: TrustLevel, **fields: object) -> Verdict:
    return Verdict(level=level, recommendation=RECOMMENDED[level], **fields)


@pytest.mark.parametrize(
    ("words", "read_only", "cautious", "workspace", "ci"),
    [
        ("reads", "allow", "allow", "allow", "allow"),
        ("reads writes", "deny", "ask", "ask", "deny"),
        ("network", "deny", "ask", "ask", "deny"),
        ("changes:service", "deny", "ask", "ask", "deny"),
        ("sends", "deny", "ask", "ask", "deny"),
        ("deletes", "deny", "ask", "ask", "deny"),
        ("secrets", "deny", "ask", "ask", "deny"),
        ("root", "deny", "ask", "ask", "deny"),
        ("code", "deny", "ask", "ask", "deny"),
    ],
)
def test_presets(words, read_only, cautious, workspace, ci):
    found = [outcome(preset(name), words) for name in ("read-only", "cautious", "workspace", "ci")]
    assert found == [read_only, cautious, workspace, ci]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("reads writes", "allow"), ("writes deletes", "allow"), ("writes network", "ask"), ("writes destructive", "ask"),
     ("writes changes:service", "ask"), ("writes secrets", "ask")],
)  # fmt: skip
def test_the_preset_workspace_allows_what_version_control_undoes(words, expected):
    call = subject(words).replace(reversible=True)
    assert decide(preset("workspace"), call).outcome == expected
    assert decide(preset("cautious"), call).outcome == "ask"


def test_where_nobody_can_be_asked_every_question_is_a_denial():
    rule = Rule(decision="ask", tools=("t",), name="ask me")
    policies = (Policy(layer="user", preset="ci", rules=(rule,)),)
    assert decide(policies, subject("reads")).outcome == "deny"
    assert outcome((*preset("cautious"), Policy(layer="project", preset="ci")), "writes") == "deny"


@pytest.mark.proves("ATIP6-3.2.2-28", "ATIP6-11-01", "ATIP6-11-05", "CMP-8.1-02")
def test_destruction_asks_at_every_trust_level_and_whatever_a_rule_says():
    rule = Rule(decision="allow", tools=("t",), commands=("x",))
    policies = (Policy(layer="user", preset="workspace", rules=(rule,)),)
    for level in (TrustLevel.VERIFIED, TrustLevel.UNSIGNED):
        found = decide(policies, subject("writes destructive", path=("x",), verdict=verdict(level)))
        assert found.outcome == "ask"


@pytest.mark.proves("ATIP6-11-06")
def test_cost_needs_a_budget():
    assert outcome(preset("cautious"), "network billable") == "ask"
    paid = Policy(
        layer="user", preset="cautious", budget=5.0, rules=(Rule(decision="allow", tools=("t",)),)
    )
    assert outcome((paid,), "network billable") == "allow"
    assert outcome((paid, Policy(layer="organisation", budget=0.0)), "network billable") == "deny"


@pytest.mark.proves("ATIP6-3.2.2-26")
@pytest.mark.parametrize("level", [TrustLevel.COMPROMISED, TrustLevel.PROVENANCE_FAIL])
def test_what_failed_a_check_never_runs(level):
    policies = (Policy(layer="user", rules=(Rule(decision="allow"),)),)
    assert outcome(policies, verdict=verdict(level)) == "deny"


@pytest.mark.proves("ATIP6-3.2.2-27")
def test_unsigned_asks_before_network_and_writes():
    unsigned = verdict(TrustLevel.UNSIGNED)
    wide = (
        Policy(layer="user", rules=(Rule(decision="allow", within=("network", "write", "read")),)),
    )
    assert outcome(wide, "network", verdict=unsigned) == "ask"
    assert outcome(wide, "writes", verdict=unsigned) == "ask"
    assert outcome(wide, "reads", verdict=unsigned) == "allow"
    assert outcome(wide, "writes", verdict=verdict(TrustLevel.VERIFIED)) == "allow"


def test_levels_have_no_order():
    with pytest.raises(TypeError):
        assert TrustLevel.UNSIGNED < TrustLevel.VERIFIED


@pytest.mark.proves("ATIP1-5.1-01", "ATIP6-4.10.4-06")
@pytest.mark.parametrize("evidence", ["native", "claim", "help", ""])
def test_what_a_tool_says_of_itself_allows_nothing(evidence):
    assert outcome(preset("cautious"), evidence=evidence) == "ask"


def test_unknown_counts_as_dangerous():
    for name in ("read-only", "cautious", "workspace", "ci"):
        assert decide(preset(name), subject(effects=UNKNOWN)).outcome != "allow"
    deny = Policy(
        layer="user",
        rules=(Rule(decision="deny", effects={"network": True}), Rule(decision="allow")),
    )
    assert decide((deny,), subject(effects=UNKNOWN)).outcome == "deny"


def test_possible_loss_is_accepted_by_name_and_never_by_wildcard():
    named = Rule(decision="allow", tools=("npm",), commands=("test",))
    wild = Rule(decision="allow", tools=("*",))
    call = subject("code", tool="npm", path=("test",))
    assert decide((Policy(rules=(named,), preset="cautious"),), call).outcome == "allow"
    assert decide((Policy(rules=(wild,), preset="cautious"),), call).outcome == "ask"


@pytest.mark.proves("ATIP6-4.8-03", "ATIP6-4.8-07")
def test_an_allowlist_denies_what_the_registry_does_not_know():
    policies = (Policy(layer="organisation", allowlist=True), *preset("cautious"))
    assert outcome(policies, listed=None) == "deny"
    assert outcome(policies, listed=False) == "deny"
    assert outcome(policies, listed=True) == "allow"


@pytest.mark.proves("ATIP6-4.8-04", "ATIP6-3.2.2-32")
def test_demands_on_signatures_are_enforced():
    demand = TrustDemand(signatures=True, signers=("secops@acme.com",), slsa_level=3)
    policies = (Policy(layer="organisation", trust=demand), *preset("cautious"))
    good = verdict(TrustLevel.VERIFIED, signer="secops@acme.com", slsa_level=3)
    assert outcome(policies) == "deny"
    assert outcome(policies, verdict=good) == "allow"
    assert outcome(policies, verdict=good.replace(signer="eve@acme.com")) == "deny"
    assert outcome(policies, verdict=good.replace(slsa_level=2)) == "deny"


@pytest.mark.proves("ATIP6-10.2-01", "ATIP6-10.2-02", "ATIP6-10.2-03", "ATIP1-4-05", "ATIP1-4-06")
@pytest.mark.parametrize(
    ("line", "found"),
    [("git status", "allow"), ("ls", "deny"), ("git push --force", "deny"), ("git push -f", "deny"),
     ("bash -c 'git push --force'", "deny"), ("git fetch", "deny")],
)  # fmt: skip
def test_a_delegation_is_a_layer(line, found):
    granted = Delegation(
        allowed_tools=("git", "bash"),
        denied_commands=("git push --force",),
        effect_restrictions={"network": False},
    )
    policies = (*preset("cautious"), Policy(layer="delegation", delegation=granted))
    subjects = judge_line(parse_shell(line), MachineView(lookup=load, cwd="/w"))
    outcomes = [decide(policies, each).outcome for each in subjects]
    assert ("deny" if "deny" in outcomes else outcomes[-1]) == found


def test_no_policy_asks():
    assert decide((), subject()).outcome == "ask"


def test_the_rule_that_decided_is_named():
    rule = Rule(
        name="no pushes",
        decision="deny",
        tools=("git",),
        commands=("push",),
        reason="not on Fridays",
    )
    found = decide((Policy(layer="project", rules=(rule,)),), subject(tool="git", path=("push",)))
    assert (found.outcome, found.rule, found.reasons) == (
        "deny",
        "project: no pushes",
        ("not on Fridays",),
    )


def test_conditions_of_rules():
    def hit(rule: Rule, **fields: object) -> bool:
        return decide((Policy(rules=(rule,)),), subject(**fields)).outcome == "deny"

    assert hit(Rule(decision="deny", options=("force",)), flags=("-f", "--force"))
    assert hit(Rule(decision="deny", options=("--force",)), flags=None)
    assert not hit(Rule(decision="deny", options=("--force",)), flags=("-q",))
    assert hit(Rule(decision="deny", paths=("/etc/*",)), paths=("/etc/ssl/x",))
    assert hit(Rule(decision="deny", paths=("/etc/**",)), paths=("/a", "/etc/x"))
    assert not hit(Rule(decision="deny", paths=("/etc/**",)), paths=("/etcx",))
    assert hit(Rule(decision="deny", paths=("/etc/**",)), paths=("/e\0",))
    assert hit(Rule(decision="deny", hosts=("*.evil.example",)), hosts=("a.evil.example",))
    assert not hit(Rule(decision="deny", hosts=("*.evil.example",)), hosts=("evil.example",))
    assert hit(Rule(decision="deny", trust=("unsigned",)))
    assert hit(Rule(decision="deny", tools=("git",)), tool="\0")
    assert not hit(Rule(decision="deny", tools=()))


def test_protected_paths_ask_even_where_version_control_undoes_writes():
    effects = add_marks(as_effects(profile("writes")), "protected")
    call = subject("writes").replace(effects=effects, reversible=True)
    assert decide(preset("workspace"), call).outcome == "ask"


@pytest.mark.parametrize("name", ["ledger", "ledger-api"])
@pytest.mark.parametrize("wanted", ["allow", "ask", "deny"])
def test_an_api_is_meant_by_the_name_of_its_source_and_by_that_of_its_tool(name, wanted):
    rule = Rule(name="r", decision=wanted, tools=(name,), commands=("keep",))
    policies = (Policy(layer="user", preset="cautious", rules=(rule,)),)
    fields = {"tool": "ledger", "also_called": ("ledger-api",), "path": ("keep",)}
    assert outcome(policies, "network", evidence="claim", **fields) == wanted
    assert outcome(policies, "network", evidence="claim", **fields | {"path": ("lose",)}) == "ask"
