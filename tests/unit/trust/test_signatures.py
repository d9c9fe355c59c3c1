"""Signatures by keys of ours: cosign bundles and envelopes, minisign, GPG."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("cryptography")

from atip.errors import TrustError
from atip.trust.expected import Key, TrustPolicy
from atip.trust.signatures import (
    verify_cosign_signature,
    verify_gpg_signature,
    verify_minisign_signature,
    verify_shim_signature,
    verify_signature,
)
from tests.unit.trust import keys

DATA = b"the binary"


@pytest.mark.parametrize("kind", ["ec", "ed25519"])
def test_key_bundle_verifies_with_our_key_only(kind):
    pytest.importorskip("sigstore")
    private, key = keys.make_key(kind)
    _, other = keys.make_key(kind)
    bundle = keys.bundle(private, DATA)
    good = verify_cosign_signature(DATA, bundle, TrustPolicy(keys=(other, key)))
    assert (good.outcome, good.signer) == ("passed", "test key")
    bad = verify_cosign_signature(DATA, bundle, TrustPolicy(keys=(other,)))
    assert (bad.outcome, bad.code) == ("failed", "trust.signature")
    changed = verify_cosign_signature(DATA + b"!", bundle, TrustPolicy(keys=(key,)))
    assert (changed.outcome, changed.code) == ("failed", "trust.signature")


def test_log_can_be_required_of_key_bundles():
    pytest.importorskip("sigstore")
    private, key = keys.make_key()
    policy = TrustPolicy(keys=(key,), require_log=True)
    check = verify_cosign_signature(DATA, keys.bundle(private, DATA), policy)
    assert (check.outcome, check.code) == ("failed", "trust.log")


def test_unreadable_key_fails_closed():
    pytest.importorskip("sigstore")
    private, _ = keys.make_key()
    policy = TrustPolicy(keys=(Key(type="cosign", data=b"nonsense"),))
    check = verify_cosign_signature(DATA, keys.bundle(private, DATA), policy)
    assert (check.outcome, check.code) == ("failed", "trust.key")


def test_bare_envelope_verifies_and_must_name_the_file():
    private, key = keys.make_key("ed25519")
    policy = TrustPolicy(keys=(key,))
    document = json.dumps(keys.envelope(private, keys.provenance(DATA))).encode()
    assert verify_cosign_signature(DATA, document, policy).outcome == "passed"
    assert verify_cosign_signature(b"other", document, policy).code == "trust.subject"
    lines = b"\n".join([document, document])
    assert verify_cosign_signature(DATA, lines, policy).outcome == "passed"


def test_envelope_of_another_type_is_not_a_statement():
    private, key = keys.make_key()
    made = keys.envelope(private, keys.provenance(DATA), kind="text/plain")
    check = verify_cosign_signature(DATA, json.dumps(made).encode(), TrustPolicy(keys=(key,)))
    assert (check.outcome, check.code) == ("failed", "trust.subject")
    # Relabelling breaks the signature: the type is part of what was signed.
    made["payloadType"] = keys.IN_TOTO
    check = verify_cosign_signature(DATA, json.dumps(made).encode(), TrustPolicy(keys=(key,)))
    assert (check.outcome, check.code) == ("failed", "trust.signature")


@pytest.mark.parametrize(
    "document",
    [b"", b"{", b"[]", b"null", b"{}", b'{"attestations": 7}', b'{"a": 1, "a": 2}', b"\xff\xfe"],
)
def test_nonsense_is_refused_with_a_code(document):
    check = verify_cosign_signature(DATA, document, TrustPolicy())
    assert (check.outcome, check.code) == ("failed", "trust.bundle")


@pytest.mark.proves("ATIP6-3.2.2-07")
def test_minisign_signature_verifies_with_our_key_only():
    minisign = pytest.importorskip("minisign")
    pair, other = minisign.KeyPair.generate(), minisign.KeyPair.generate()
    signature = bytes(pair.secret_key.sign(DATA, trusted_comment="release 1"))
    ours = Key(type="minisign", data=bytes(pair.public_key), name="ours")
    short = Key(type="minisign", data=pair.public_key.to_base64())
    foreign = Key(type="minisign", data=bytes(other.public_key))
    for key in (ours, short):
        policy = TrustPolicy(keys=(foreign, key))
        assert verify_minisign_signature(DATA, signature, policy).outcome == "passed"
        assert verify_minisign_signature(DATA + b"!", signature, policy).outcome == "failed"
        changed = signature.replace(b"release 1", b"release 2")
        assert verify_minisign_signature(DATA, changed, policy).outcome == "failed"
    check = verify_minisign_signature(DATA, signature, TrustPolicy(keys=(foreign,)))
    assert (check.outcome, check.code) == ("failed", "trust.signature")
    check = verify_minisign_signature(DATA, b"nonsense", TrustPolicy(keys=(ours,)))
    assert (check.outcome, check.code) == ("failed", "trust.bundle")


@pytest.mark.proves("ATIP6-3.2.2-07")
def test_gpg_signature_verifies_with_our_key_only():
    pysequoia = pytest.importorskip("pysequoia")
    secret, other = (pysequoia.Tsk.generate(name) for name in ("a <a@b.c>", "d <d@e.f>"))
    detached = pysequoia.SignatureMode.DETACHED
    signature = bytes(pysequoia.sign(secret.signer(), DATA, mode=detached))
    ours = Key(type="gpg", data=bytes(secret.extract_certificate()))
    foreign = Key(type="gpg", data=bytes(other.extract_certificate()))
    policy = TrustPolicy(keys=(foreign, ours))
    assert verify_gpg_signature(DATA, signature, policy).outcome == "passed"
    assert verify_gpg_signature(DATA + b"!", signature, policy).code == "trust.signature"
    check = verify_gpg_signature(DATA, signature, TrustPolicy(keys=(foreign,)))
    assert (check.outcome, check.code) == ("failed", "trust.signature")
    assert verify_gpg_signature(DATA, b"nonsense", policy).code == "trust.bundle"


@pytest.mark.parametrize("kind", ["cosign", "minisign", "gpg"])
def test_without_keys_a_signature_is_unchecked_or_refused_never_passed(kind):
    private, _ = keys.make_key()
    document = json.dumps(keys.envelope(private, keys.provenance(DATA))).encode()
    check = verify_signature(kind, DATA, document, TrustPolicy())
    assert (check.outcome, check.code) == ("unchecked", "trust.no-key")


def test_unknown_kind_is_unchecked():
    check = verify_signature("rot13", DATA, b"x", TrustPolicy())
    assert (check.outcome, check.code) == ("unchecked", "trust.signature-type")


@pytest.mark.proves("ATIP6-A-10", "ATIP6-3.2.2-29")
def test_shim_signature_covers_the_raw_bytes():
    minisign = pytest.importorskip("minisign")
    pair = minisign.KeyPair.generate()
    policy = TrustPolicy(keys=(Key(type="minisign", data=bytes(pair.public_key)),))
    shim = b'{"name": "x", "effects": {"destructive": true}}'
    signature = bytes(pair.secret_key.sign(shim))
    assert verify_shim_signature(shim, signature, policy, kind="minisign").outcome == "passed"
    weaker = shim.replace(b"true", b"false")
    check = verify_shim_signature(weaker, signature, policy, kind="minisign")
    assert (check.outcome, check.steps[0].name) == ("failed", "shim-signature.content")


@pytest.mark.parametrize(
    ("kind", "module"), [("minisign", "minisign"), ("gpg", "pysequoia"), ("cosign", "sigstore")]
)
def test_missing_packages_are_a_typed_error_with_a_hint(kind, module, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("atip.trust.sigstore.")]:
        if name != "atip.trust.sigstore.bundles":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("atip.trust.sigstore.material", raising=False)
    monkeypatch.delattr("atip.trust.sigstore.rules", raising=False)
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    private, key = keys.make_key()
    policy = TrustPolicy(keys=(key, key.replace(type="minisign"), key.replace(type="gpg")))
    with pytest.raises(TrustError) as caught:
        verify_signature(kind, DATA, keys.bundle(private, DATA), policy)
    assert caught.value.code == "trust.missing-extra"
    assert caught.value.hint == "pip install 'atip-cli[verify]'"
