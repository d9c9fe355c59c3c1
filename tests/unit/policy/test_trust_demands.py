"""What a policy demands to be proven: signatures, signers by pattern, builders, sources; and the shell's own words."""

from __future__ import annotations

import pytest

from atip.model.signers import matches_signer
from atip.model.verdict import TrustLevel, Verdict
from atip.policy.command_context import CommandContext
from atip.policy.decide import decide
from atip.policy.policy import Policy, Rule, TrustDemand

CALM = Rule(decision="allow", name="ours", tools=("sayer",), commands=("go",))
WORKFLOW = "https://github.com/acme/tools/.github/workflows/release.yml@refs/tags/v1"


def outcome(demand: TrustDemand, verdict: Verdict | None, **fields) -> str:
    policy = Policy(layer="organisation", rules=(CALM,), trust=demand, default="allow")
    subject = CommandContext(tool="sayer", path=("go",), verdict=verdict, **fields)
    return decide((policy,), subject).rule


def verdict(level: TrustLevel = TrustLevel.UNSIGNED, **fields) -> Verdict:
    return Verdict(level=level, recommendation="sandbox", **fields)


SIGNED = verdict(TrustLevel.VERIFIED, signer=WORKFLOW, builder="https://b.example/v1", source="https://s.example/x")  # fmt: skip
ATTESTED = verdict(capability="attested", attested_by="secops@acme.example")
DENIED = "organisation: trust"


@pytest.mark.parametrize(
    ("demand", "given", "denied"),
    [
        (TrustDemand(signatures=True), None, True),
        (TrustDemand(signatures=True), verdict(), True),
        (TrustDemand(signatures=True), SIGNED, False),
        (TrustDemand(signatures=True), ATTESTED, False),
        (TrustDemand(signatures=True), ATTESTED.replace(level=TrustLevel.COMPROMISED), True),
        (TrustDemand(signers=(WORKFLOW,)), SIGNED, False),
        (TrustDemand(signers=(WORKFLOW.split("@")[0] + "@*",)), SIGNED, False),
        (TrustDemand(signers=("https://github.com/acme/*",)), SIGNED, False),
        (TrustDemand(signers=("https://github.com/acm*",)), SIGNED, True),
        (TrustDemand(signers=("https://github.com/acme",)), SIGNED, True),
        (TrustDemand(signers=("secops@acme.example",)), ATTESTED, False),
        (TrustDemand(signers=("secops@*",)), ATTESTED, False),
        (TrustDemand(signers=("secops@other.example",)), ATTESTED, True),
        (TrustDemand(signers=("*",)), ATTESTED, True),
        (TrustDemand(signers=()), SIGNED, True),
        (TrustDemand(signers=("secops@*",)), None, True),
        (TrustDemand(builders=("https://b.example/*",)), SIGNED, False),
        (TrustDemand(builders=("https://c.example/*",)), SIGNED, True),
        (TrustDemand(builders=("https://b.example/*",)), ATTESTED, True),
        (TrustDemand(sources=("https://s.example/x",)), SIGNED, False),
        (TrustDemand(sources=("https://s.example/",)), SIGNED, True),
    ],
)
def test_a_demand_is_met_by_what_was_proven_only(demand, given, denied):
    assert (outcome(demand, given) in (DENIED, "always: compromised")) is denied


def test_words_of_the_shell_are_no_programs():
    demand = TrustDemand(signatures=True)
    policy = Policy(layer="organisation", trust=demand, allowlist=True, default="allow")
    assert "trust" not in decide((policy,), CommandContext(tool="cd", evidence="shell")).rule
    assert decide((policy,), CommandContext(tool="cd", evidence="claim")).outcome == "deny"


def test_a_star_stands_for_a_whole_part_only():
    assert matches_signer("a@b", "a@*") and matches_signer("x/y/z", "x/*")
    for value, expected in (("ab", "a*"), ("", "@*"), ("a@b", "@*"), ("x/y", "/*"), ("", ""), ("a", "*")):  # fmt: skip
        assert not matches_signer(value, expected)
