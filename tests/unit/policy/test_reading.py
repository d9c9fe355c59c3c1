"""Policies as documents: three formats become one value; what is not understood is refused."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.knowledge.words import as_effects, profile
from atip.policy.command_context import CommandContext
from atip.policy.decide import decide
from atip.policy.policy import Policy
from atip.policy.reading import read_policy

ORGANIZATION = {
    "policy": {
        "version": "1",
        "organization": "Acme Corp",
        "approval": {"mode": "allowlist", "note": "only approved binaries"},
        "trust": {"requireSignatures": True, "allowedSigners": ["secops@acme.com", {"identity": "p@acme.com"}]},
        "execution": {"requireConfirmation": {"destructive": True, "network": True}, "auditAllCalls": True},
    }
}  # fmt: skip
PERMISSIONS = {
    "permissionPolicy": {
        "autoApprove": {"effects.filesystem.read": True, "effects.network": False},
        "requireConfirmation": {"effects.destructive": True, "effects.cost.billable": True},
        "deny": {"effects.filesystem.paths": ["/etc/*", "/var/*"]},
    }
}


def outcome(policy: Policy, words: str, **fields: object) -> str:
    effects = as_effects(profile(words))
    return decide(
        (policy,), CommandContext(tool="t", evidence="knowledge", effects=effects, **fields)
    ).outcome


@pytest.mark.proves(
    "ATIP6-4.8-02", "ATIP6-4.8-03", "ATIP6-4.8-04", "ATIP6-4.8-05", "ATIP6-3.2.2-32"
)
def test_an_organisation_policy_is_read_whole():
    policy = read_policy(ORGANIZATION, layer="organisation")
    assert (policy.name, policy.allowlist, policy.audit) == ("Acme Corp", True, True)
    assert policy.trust is not None
    assert policy.trust.signers == ("secops@acme.com", "p@acme.com")
    assert [rule.name for rule in policy.rules] == [
        "requireConfirmation destructive",
        "requireConfirmation network",
    ]
    lax = policy.replace(allowlist=False, trust=None)
    assert outcome(lax, "network") == "ask"
    assert outcome(lax, "reads") == "allow"


@pytest.mark.proves("ATIP1-5.2-01", "ATIP1-5.2-02", "ATIP1-5.2-03")
def test_a_permission_policy_is_read_whole():
    policy = read_policy(PERMISSIONS, layer="user")
    assert outcome(policy, "reads") == "allow"
    assert outcome(policy, "reads network") == "ask"
    assert outcome(policy, "writes") == "ask"
    assert outcome(policy, "reads destructive") == "ask"
    assert outcome(policy, "reads", paths=("/etc/ssl/x",)) == "deny"
    assert outcome(policy, "code") == "ask"


@pytest.mark.proves("ATIP6-10.2-01", "ATIP6-10.2-03")
def test_a_delegation_is_read_as_a_layer():
    policy = read_policy({"delegation": {"allowedTools": ["git"]}}, layer="delegation")
    assert outcome(policy, "reads") == "deny"


def test_rules_have_all_conditions():
    rule = {
        "name": "r", "decision": "deny", "tools": ["git"], "commands": ["push"], "options": ["--force"],
        "effects": {"effects.network": True, "filesystem.paths": ["/x"]}, "within": ["read"], "hosts": ["h"],
        "trust": ["unsigned"], "evidence": ["knowledge"], "reason": "no",
    }  # fmt: skip
    (found,) = read_policy({"policy": {"version": "1", "rules": [rule]}}, layer="user").rules
    assert found.effects == {"network": True}
    assert (found.paths, found.within) == (("/x",), ("filesystem.read",))


@pytest.mark.parametrize(
    "document",
    [
        {}, [], {"Policy": {"version": "1"}}, {"policy": {}}, {"policy": {"version": "1", "rulez": []}},
        {"policy": {"version": "1", "rules": [{"decision": "maybe"}]}},
        {"policy": {"version": "1", "rules": [{"decision": "deny", "tool": ["git"]}]}},
        {"policy": {"version": "1", "rules": [{"decision": "deny", "effects": {"destrutive": True}}]}},
        {"policy": {"version": "1", "rules": [{"decision": "deny", "effects": {"network": "yes"}}]}},
        {"policy": {"version": "1", "rules": [{"decision": "allow", "within": ["everything"]}]}},
        {"policy": {"version": "1", "preset": "yolo"}}, {"permissionPolicy": {"autoApprove": {"nonsense": True}}},
        {"permissionPolicy": {"allow": {}}}, {"delegation": {"allowedTool": []}},
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(document):
    with pytest.raises(FormatError):
        read_policy(document, layer="user")


def test_an_empty_list_is_a_condition_that_nothing_meets():
    policy = read_policy(
        {
            "policy": {
                "version": "1",
                "default": "ask",
                "rules": [{"decision": "allow", "tools": []}],
            }
        },
        layer="user",
    )
    assert outcome(policy, "reads") == "ask"
