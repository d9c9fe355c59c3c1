"""The whole procedure: levels, recommendations, and what lowers them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("minisign")
pytest.importorskip("cryptography")

import minisign

from atip.model.tool import Binary, Integrity, Provenance, ShimIntegrity, Signature, Tool, Trust
from atip.model.verdict import TrustLevel
from atip.trust.checks import Check
from atip.trust.digests import digest_of
from atip.trust.expected import Key, TrustPolicy
from atip.trust.procedure import (
    CLAIMED_RATINGS,
    Materials,
    VerificationResults,
    evaluate_trust_level,
    verify_tool,
)
from tests.unit.trust import keys

BINARY = b"\x7fELF the tool"
PAIR = minisign.KeyPair.generate()
POLICY = TrustPolicy(keys=(Key(type="minisign", data=bytes(PAIR.public_key), name="ours"),))
SIGNATURE = bytes(PAIR.secret_key.sign(BINARY))
NAMED = Signature(type="minisign", identity="anyone", issuer="https://i.example")


def tool(**trust):
    return Tool(name="x", trust=Trust(**trust), binary=Binary(hash=str(digest_of(BINARY))))


def judge(metadata=None, policy=POLICY, **materials):
    return verify_tool(Materials(binary=BINARY, **materials), metadata, policy)


@pytest.mark.proves("ATIP6-3.2.2-23")
def test_levels_have_the_numbers_of_the_specification_and_no_order():
    names = ["COMPROMISED", "UNSIGNED", "UNVERIFIED", "PROVENANCE_FAIL", "VERIFIED"]
    assert [(level.name, level.number) for level in TrustLevel] == list(
        zip(names, range(5), strict=True)
    )
    with pytest.raises(TypeError):
        assert TrustLevel.UNVERIFIED <= TrustLevel.UNSIGNED  # type: ignore[operator]


@pytest.mark.proves("ATIP6-3.2.2-24")
def test_without_signature_it_is_unsigned_whatever_is_claimed():
    verdict = judge(tool(source="native", verified=True))
    assert (verdict.level, verdict.recommendation) == (TrustLevel.UNSIGNED, "sandbox")
    assert (judge().level, judge().recommendation) == (TrustLevel.UNSIGNED, "confirm")


@pytest.mark.proves("ATIP6-3.2.2-25")
def test_signature_that_is_named_and_not_here_is_unverified():
    verdict = judge(tool(integrity=Integrity(signature=NAMED)))
    assert (verdict.level, verdict.recommendation) == (TrustLevel.UNVERIFIED, "confirm")
    assert "trust.signature-missing" in verdict.reasons


def test_signature_without_a_configured_key_is_unverified():
    verdict = judge(policy=TrustPolicy(), signature=SIGNATURE, signature_kind="minisign")
    assert (verdict.level, verdict.reasons[-2]) == (TrustLevel.UNVERIFIED, "trust.no-key")


def test_good_signature_is_verified():
    verdict = judge(tool(integrity=Integrity(signature=NAMED)), signature=SIGNATURE)
    assert (verdict.level, verdict.recommendation) == (TrustLevel.VERIFIED, "execute")
    assert (verdict.signer, verdict.capability) == ("ours", "matched")


@pytest.mark.proves("ATIP6-3.2.2-21")
def test_failed_signature_blocks_and_is_not_merely_unsigned():
    """A21"""
    verdict = judge(signature=bytes(PAIR.secret_key.sign(b"other")), signature_kind="minisign")
    assert (verdict.level, verdict.recommendation) == (TrustLevel.COMPROMISED, "block")
    assert "trust.signature" in verdict.reasons


@pytest.mark.proves("ATIP6-3.2.2-08")
def test_signer_named_in_the_document_is_not_believed():
    stranger = minisign.KeyPair.generate()
    named = Signature(type="minisign", extra={"key": stranger.public_key.to_base64().decode()})
    verdict = judge(
        tool(integrity=Integrity(signature=named)),
        signature=bytes(stranger.secret_key.sign(BINARY)),
    )
    assert verdict.level is TrustLevel.COMPROMISED


@pytest.mark.proves("ATIP6-3.2.2-20")
def test_wrong_checksum_is_compromised_even_with_a_good_signature():
    wrong = Integrity(checksum=str(digest_of(b"other")), signature=NAMED)
    verdict = judge(tool(integrity=wrong), signature=SIGNATURE)
    assert (verdict.level, verdict.reasons) == (
        TrustLevel.COMPROMISED,
        ("trust.digest-mismatch", "trust.no-provenance"),
    )


@pytest.mark.proves("ATIP6-3.2.2-06")
def test_description_of_another_binary_is_compromised():
    other = Tool(name="x", binary=Binary(hash=str(digest_of(b"other"))))
    verdict = judge(other)
    assert (verdict.level, verdict.capability) == (TrustLevel.COMPROMISED, "mismatched")
    assert judge(tool()).capability == "matched"


@pytest.mark.proves("ATIP6-3.2.2-14", "ATIP6-3.2.2-04")
def test_signature_of_the_shim_says_nothing_about_the_binary():
    shim = b'{"name": "x"}'
    signed = bytes(PAIR.secret_key.sign(shim))
    metadata = tool(shim_integrity=ShimIntegrity(signature=NAMED))
    verdict = judge(metadata, shim=shim, shim_signature=signed)
    assert (verdict.level, verdict.capability) == (TrustLevel.UNSIGNED, "attested")
    mixed = judge(metadata, shim=shim, shim_signature=SIGNATURE)
    assert mixed.level is TrustLevel.COMPROMISED
    document = verdict.to_json()
    assert document["security"]["level"] == "UNSIGNED"
    assert document["capability"] == "attested"


@pytest.mark.proves("ATIP6-3.2.2-11")
def test_required_signature_of_the_shim_is_enforced():
    strict = POLICY.replace(require_signatures=True)
    assert judge(tool(), strict, shim=b"{}", signature=SIGNATURE).recommendation == "block"
    assert judge(tool(), strict).recommendation == "block"


def provenance_of(data, private):
    return json.dumps(keys.envelope(private, keys.provenance(data))).encode()


@pytest.fixture
def built():
    private, key = keys.make_key()
    policy = POLICY.replace(
        keys=(key,),
        builders=("https://b.example/builder",),
        sources=("https://s.example/repo",),
    )
    return private, policy


@pytest.mark.proves("ATIP6-3.2.2-22", "ATIP6-3.2.2-17")
def test_provenance_is_verified_and_its_claimed_level_ignored(built):
    private, policy = built
    claimed = Provenance(slsa_level=4, builder="https://b.example/builder")
    good = judge(tool(provenance=claimed), policy, provenance=provenance_of(BINARY, private))
    assert (good.level, good.slsa_level) == (TrustLevel.VERIFIED, 1)
    assert (good.builder, good.source) == ("https://b.example/builder", "https://s.example/repo")
    bad = judge(tool(provenance=claimed), policy, provenance=provenance_of(b"other", private))
    assert (bad.level, bad.recommendation) == (TrustLevel.PROVENANCE_FAIL, "block")
    missing = judge(tool(provenance=claimed), policy)
    assert missing.level is TrustLevel.UNVERIFIED


def test_minimum_level_without_provenance_blocks(built):
    _, policy = built
    verdict = judge(tool(), policy.replace(minimum_slsa_level=1))
    assert (verdict.level, verdict.recommendation) == (TrustLevel.PROVENANCE_FAIL, "block")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"predicateType": "https://example.com/other"}, "trust.predicate"),
        ({"predicate": {}}, "trust.predicate"),
        ({"predicate": None}, "trust.predicate"),
        ({"_type": "https://example.com/other"}, "trust.subject"),
        ({"subject": []}, "trust.subject"),
        ({"subject": [{"name": "x", "digest": {"md5": "00"}}]}, "trust.subject"),
    ],
)
def test_statement_of_another_shape_fails(built, changes, code):
    private, policy = built
    statement = keys.provenance(BINARY, **changes)
    document = json.dumps(keys.envelope(private, statement)).encode()
    verdict = judge(None, policy, provenance=document)
    assert (verdict.level, code in verdict.reasons) == (TrustLevel.PROVENANCE_FAIL, True)


@pytest.mark.proves("ATIP6-A-11")
@pytest.mark.parametrize(
    ("outcomes", "level"),
    [
        ({}, "UNSIGNED"),
        ({"integrity": "passed"}, "UNSIGNED"),
        ({"signature": "passed"}, "VERIFIED"),
        ({"provenance": "passed"}, "VERIFIED"),
        ({"signature": "unchecked"}, "UNVERIFIED"),
        ({"signature": "passed", "provenance": "unchecked"}, "UNVERIFIED"),
        ({"signature": "passed", "integrity": "unchecked"}, "UNVERIFIED"),
        ({"signature": "passed", "provenance": "failed"}, "PROVENANCE_FAIL"),
        ({"signature": "failed", "provenance": "passed"}, "COMPROMISED"),
        ({"signature": "passed", "integrity": "failed"}, "COMPROMISED"),
        ({"signature": "passed", "shim": "failed"}, "COMPROMISED"),
    ],
)
def test_level_follows_from_results(outcomes, level):
    results = VerificationResults(
        **{name: Check(outcome=outcome) for name, outcome in outcomes.items()}
    )
    assert evaluate_trust_level(None, results).name == level


@pytest.mark.proves("ATIP6-3.2.2-02")
def test_claimed_source_gives_a_rating_and_no_level():
    assert CLAIMED_RATINGS == {
        "native": "high",
        "vendor": "high",
        "org": "medium",
        "community": "low",
        "user": "low",
        "inferred": "very low",
    }
    levels = {judge(tool(source=source)).level for source in CLAIMED_RATINGS}
    assert levels == {TrustLevel.UNSIGNED}


def test_packages_that_check_signatures_are_loaded_only_when_there_is_one():
    script = (
        "import sys, atip.trust.procedure as p, atip.trust.expected as e\n"
        "p.verify_tool(p.Materials(binary=b'x'), None, e.TrustPolicy())\n"
        "heavy = {'sigstore', 'cryptography', 'minisign', 'pysequoia', 'pydantic'}\n"
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
