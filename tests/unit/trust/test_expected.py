"""Trust configuration: read strictly, never wider than written."""

from __future__ import annotations

import pytest

from atip.errors import FormatError
from atip.trust.expected import Signer, create_trust_policy, matches


@pytest.mark.proves("ATIP6-A-12")
def test_policy_is_built_from_configuration():
    policy = create_trust_policy(
        {
            "requireSignature": True,
            "allowedSigners": [{"identity": "a@b.c", "issuer": "https://i.example"}],
            "minimumSlsaLevel": 2,
            "keys": [{"type": "minisign", "key": "RWQ", "name": "ours"}],
            "builders": ["https://b.example"],
            "sources": ["https://s.example/x"],
        }
    )
    assert policy.signers == (Signer(identity="a@b.c", issuer="https://i.example"),)
    assert (policy.require_signatures, policy.minimum_slsa_level) == (True, 2)
    assert [key.name for key in policy.keys_of("minisign")] == ["ours"]
    assert policy.keys_of("gpg") == ()


def test_block_of_a_tool_replaces_what_it_names():
    config = {
        "signers": [{"identity": "any@b.c", "issuer": "https://i.example"}],
        "builders": ["https://b.example"],
        "tools": {"gh": {"signers": [{"identity": "gh@b.c", "issuer": "https://i.example"}]}},
    }
    policy = create_trust_policy(config, tool="gh")
    assert [signer.identity for signer in policy.signers] == ["gh@b.c"]
    assert policy.builders == ("https://b.example",)
    assert create_trust_policy(config, tool="jq").signers[0].identity == "any@b.c"


@pytest.mark.parametrize(
    "config",
    [
        {"signers": [{"identity": "*"}]},
        {"signers": [{"issuer": "https://i.example"}]},
        {"signers": "me"},
        {"builders": [""]},
        {"builders": ["*"]},
        {"sources": [7]},
        {"minimumSlsaLevel": 5},
        {"minimumSlsaLevel": True},
        {"requireSignatures": "yes"},
        {"keys": [{"type": "rot13", "key": "x"}]},
        {"keys": [{"type": "gpg", "key": ""}]},
    ],
)
def test_unreadable_configuration_is_an_error(config):
    with pytest.raises(FormatError) as caught:
        create_trust_policy(config)
    assert caught.value.code == "trust.policy"


@pytest.mark.parametrize(
    ("value", "expected", "same"),
    [
        ("https://h/a", "https://h/a", True),
        ("https://h/ab", "https://h/a*", False),
        ("https://h/a/b", "https://h/a/*", True),
        ("https://h/ax/b", "https://h/a/*", False),
        ("w.yml@refs/tags/v1", "w.yml@*", True),
    ],
)
def test_star_counts_only_after_a_boundary(value, expected, same):
    assert matches(value, expected) is same


def test_signer_without_issuer_matches_nobody():
    assert not Signer(identity="a@b.c").matches("a@b.c", "")
