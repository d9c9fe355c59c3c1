"""Delegations are read strictly, intersect exactly, and unknown facts are no permission."""

from __future__ import annotations

import json

import pytest

from atip.errors import FormatError
from atip.model.effects import UNKNOWN
from atip.model.permissions.delegation import (
    Delegation,
    DelegationGrant,
    allows,
    decode_delegation,
    encode_delegation,
    intersect,
)
from atip.model.reading.decode import decode_effects, decode_tool

SAFE = decode_effects({"destructive": False, "network": False, "reversible": True})
RISKY = decode_effects({"destructive": True, "network": True, "reversible": False})
EXAMPLE = {
    "delegation": {
        "allowedTools": ["gh", "git"],
        "deniedCommands": ["gh repo delete", "git push --force"],
        "effectRestrictions": {"destructive": False, "network": True},
    }
}


def code(answer) -> str:
    return "allowed" if answer == DelegationGrant() else answer.code


def test_documents_of_both_texts_round_trip():
    assert encode_delegation(decode_delegation(EXAMPLE)) == EXAMPLE
    assert decode_delegation(json.dumps(EXAMPLE).encode()) == decode_delegation(EXAMPLE)
    for body in ({}, {"allowedTools": []}, {"deniedCommands": ["x"], "x-why": {"by": "me"}}):
        assert encode_delegation(decode_delegation({"delegation": body})) == {"delegation": body}


@pytest.mark.proves("ATIP6-10.2-01")
def test_absent_list_of_tools_is_all_and_an_empty_one_none():
    assert code(allows(Delegation(), "rm", (), UNKNOWN)) == "allowed"
    assert code(allows(Delegation(allowed_tools=()), "ls", (), SAFE)) == "delegation.tool"
    granted = decode_delegation(EXAMPLE)
    assert code(allows(granted, "git", ("status",), SAFE)) == "allowed"
    assert code(allows(granted, "kubectl", ("get",), SAFE)) == "delegation.tool"
    assert code(allows(granted, "git-evil", (), SAFE)) == "delegation.tool"


@pytest.mark.proves("ATIP6-10.2-02")
@pytest.mark.parametrize(
    ("tool", "path", "expected"),
    [
        ("gh", ("repo", "delete"), "delegation.command"),
        ("gh", ("repo", "delete", "all"), "delegation.command"),
        ("gh", ("repo",), "allowed"),
        ("gh", ("repo", "delete-key"), "allowed"),
        ("gh", ("pr", "repo", "delete"), "allowed"),
        ("git", ("repo", "delete"), "allowed"),
    ],
)
def test_denied_command_covers_its_subtree_by_path(tool, path, expected):
    assert code(allows(decode_delegation(EXAMPLE), tool, path, SAFE)) == expected


@pytest.mark.proves("ATIP1-4-05")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), "allowed"),
        (("-v", "--verbose"), "allowed"),
        (("-f", "--force"), "delegation.command"),
        (None, "delegation.command"),
    ],
)
def test_denied_flags_are_matched_on_the_parsed_call(flags, expected):
    granted = decode_delegation(EXAMPLE)
    assert code(allows(granted, "git", ("push",), SAFE, flags=flags)) == expected


def test_denial_by_alias_or_with_arguments_counts():
    tool = decode_tool(
        {
            "atip": "0.6",
            "name": "npm",
            "commands": {"install": {"description": "x", "aliases": ["i"]}},
        }
    )
    granted = Delegation(denied_commands=("npm i", "git push origin main"))
    assert code(allows(granted, "npm", ("install",), SAFE, known=tool)) == "delegation.command"
    answer = allows(granted, "git", ("push",), SAFE, arguments=("origin", "main"))
    assert code(answer) == "delegation.command"
    assert code(allows(granted, "git", ("push",), SAFE, arguments=("fork",))) == "allowed"


@pytest.mark.proves("ATIP6-10.2-03", "ATIP1-4-06")
@pytest.mark.parametrize(
    ("restrictions", "effects", "expected"),
    [
        ({"destructive": False}, SAFE, "allowed"),
        ({"destructive": False}, RISKY, "delegation.effect"),
        ({"destructive": False}, UNKNOWN, "delegation.effect"),
        ({"network": False}, RISKY, "delegation.effect"),
        ({"network": True}, RISKY, "allowed"),
        ({"network": True}, SAFE, "allowed"),
        ({"effects.filesystem.write": False}, SAFE, "delegation.effect"),
        ({"reversible": True}, SAFE, "allowed"),
        ({"reversible": True}, RISKY, "delegation.effect"),
        ({"reversible": True}, UNKNOWN, "delegation.effect"),
        ({"reversible": False}, RISKY, "allowed"),
    ],
)
def test_restricted_effect_must_be_known_to_be_harmless(restrictions, effects, expected):
    granted = decode_delegation({"delegation": {"effectRestrictions": restrictions}})
    assert code(allows(granted, "x", (), effects)) == expected


def test_reason_says_what_was_found():
    granted = Delegation(effect_restrictions={"destructive": False})
    assert allows(granted, "x", (), UNKNOWN).reason == "`destructive` must be false and is unknown"
    assert allows(granted, "x", (), RISKY).reason == "`destructive` must be false and is true"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"allowedTool": ["gh"]}, "format.closed-field"),
        ({"allowedTools": "gh"}, "format.type"),
        ({"deniedCommands": ["  "]}, "delegation.empty-command"),
        ({"deniedCommands": ["--force"]}, "delegation.empty-command"),
        ({"effectRestrictions": {"destructve": False}}, "effects.unknown-fact"),
        ({"effectRestrictions": {"destructive": "no"}}, "format.type"),
        (
            {"effectRestrictions": {"write": True, "filesystem.write": False}},
            "format.duplicate-key",
        ),
    ],
)
def test_delegation_that_is_not_understood_is_refused(body, expected):
    with pytest.raises(FormatError) as refused:
        decode_delegation({"delegation": body})
    assert refused.value.code == expected


def test_intersection_keeps_the_stricter_of_everything():
    lead = decode_delegation(EXAMPLE)
    asked = Delegation(
        allowed_tools=("git", "rm"),
        denied_commands=("git gc",),
        effect_restrictions={"destructive": True, "network": False, "reversible": True},
    )
    assert intersect(lead, asked) == Delegation(
        allowed_tools=("git",),
        denied_commands=("gh repo delete", "git push --force", "git gc"),
        effect_restrictions={"destructive": False, "network": False, "reversible": True},
    )
