"""Public Sigstore cases: one folder each, `_fail` must be refused with a reason code."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sigstore")

from atip.trust.digests import artifact_of, digest_of
from atip.trust.expected import Key, Signer, TrustPolicy
from atip.trust.sigstore.bundles import STAGING, embedded_root, verify_bundle
from tests.shared import find_shared, shared

IDENTITY = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/"
    ".github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
ISSUER = "https://token.actions.githubusercontent.com"
SETS = ("corpora/security/sigstore-bundles", "corpora/sigstore/conformance")


def cases():
    return [
        (name, path.name)
        for name in SETS
        if (folder := find_shared(name)) is not None
        for path in sorted(folder.iterdir())
        if path.is_dir()
    ]


def text(path, otherwise):
    return path.read_text().strip() if path.exists() else otherwise


def policy_of(folder, **changes):
    key, root = folder / "key.pub", folder / "trusted_root.json"
    signer = Signer(
        identity=text(folder / "identity", IDENTITY), issuer=text(folder / "issuer", ISSUER)
    )
    keyed = key.exists()
    policy = TrustPolicy(
        signers=() if keyed else (signer,),
        keys=(Key(type="cosign", data=key.read_bytes()),) if keyed else (),
        trusted_root=root.read_bytes() if root.exists() else None,
        require_log=True,
    )
    return policy.replace(**changes)


def artifact_in(folder):
    own = folder / "artifact"
    return (own if own.exists() else folder.parent / "a.txt").read_bytes()


def bundle_in(folder):
    return (folder / "bundle.sigstore.json").read_bytes()


@pytest.mark.proves("ATIP6-3.2.2-12", "ATIP6-3.2.2-13", "ATIP6-A-08")
@pytest.mark.parametrize(("name", "case"), cases())
def test_public_case_is_judged_as_named(name, case):
    folder = shared(name) / case
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy_of(folder))
    if case.endswith("_fail"):
        assert check.outcome != "passed"
        assert check.code.startswith("trust.")
    else:
        assert (check.outcome, check.code) == ("passed", "")
        assert all(step.outcome == "passed" for step in check.steps)


@pytest.mark.parametrize(("name", "case"), [c for c in cases() if not c[1].endswith("_fail")])
def test_good_bundle_is_refused_for_another_file(name, case):
    folder = shared(name) / case
    other = artifact_of(artifact_in(folder) + b"!")
    check = verify_bundle(bundle_in(folder), other, policy_of(folder))
    assert check.outcome == "failed"
    assert check.code in {"trust.signature", "trust.subject", "trust.log-entry"}


@pytest.mark.proves("ATIP6-3.2.2-08")
@pytest.mark.parametrize(
    "signer",
    [
        Signer(identity="somebody@example.com", issuer=ISSUER),
        Signer(identity=IDENTITY, issuer="https://accounts.google.com"),
        Signer(identity=IDENTITY, issuer=""),
        Signer(identity=IDENTITY[:-1], issuer=ISSUER),
        Signer(identity=IDENTITY[:45] + "*", issuer=ISSUER),
    ],
)
def test_other_identity_or_issuer_is_refused(signer):
    folder = shared(SETS[1]) / "happy-path-v0.3"
    policy = policy_of(folder, signers=(signer,))
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy)
    assert (check.outcome, check.code) == ("failed", "trust.identity")


def test_identity_may_end_in_a_star_after_a_slash_or_at():
    folder = shared(SETS[1]) / "happy-path-v0.3"
    signer = Signer(identity=IDENTITY.partition("@")[0] + "@*", issuer=ISSUER)
    policy = policy_of(folder, signers=(signer,))
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy)
    assert (check.outcome, check.signer) == ("passed", IDENTITY)


def test_without_configured_signers_nothing_passes():
    folder = shared(SETS[1]) / "happy-path-v0.3"
    policy = policy_of(folder, signers=())
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy)
    assert (check.outcome, check.code) == ("unchecked", "trust.no-signers")


def test_other_trusted_root_is_refused():
    folder = shared(SETS[1]) / "happy-path-v0.3"
    policy = policy_of(folder, trusted_root=embedded_root(STAGING))
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy)
    assert check.outcome == "failed"


def test_a_digest_alone_is_enough():
    folder = shared(SETS[1]) / "happy-path-v0.3"
    artifact = artifact_of(digest_of(artifact_in(folder)))
    assert verify_bundle(bundle_in(folder), artifact, policy_of(folder)).outcome == "passed"


def test_broken_trusted_root_fails_closed():
    folder = shared(SETS[1]) / "happy-path-v0.3"
    policy = policy_of(folder, trusted_root=b'{"mediaType": "x"}')
    check = verify_bundle(bundle_in(folder), artifact_of(artifact_in(folder)), policy)
    assert (check.outcome, check.code) == ("failed", "trust.root")


ANYONE = (
    Signer(identity="https://github.com/*", issuer=ISSUER),
    Signer(identity="william@yossarian.net", issuer="https://github.com/login/oauth"),
)


@pytest.mark.parametrize(
    "name",
    ["bundle_cve_2022_36056.txt", "bundle_no_cert_v1.txt", "bundle_no_log_entry.txt"],
)
def test_known_attack_bundle_is_refused(name):
    folder = shared("corpora/security/sigstore-python-assets")
    data, bundle = (folder / name).read_bytes(), (folder / f"{name}.sigstore").read_bytes()
    for root in (None, embedded_root(STAGING)):
        policy = TrustPolicy(signers=ANYONE, trusted_root=root)
        check = verify_bundle(bundle, artifact_of(data), policy)
        assert (check.outcome, check.code[:6]) == ("failed", "trust.")


@pytest.mark.parametrize(
    ("name", "root"), [("bundle_v3_github.whl", None), ("integration/bundle_v3.txt", STAGING)]
)
def test_real_bundle_of_each_instance_verifies(name, root):
    folder = shared("corpora/security/sigstore-python-assets")
    data, bundle = (folder / name).read_bytes(), (folder / f"{name}.sigstore").read_bytes()
    policy = TrustPolicy(signers=ANYONE, trusted_root=embedded_root(root) if root else None)
    assert verify_bundle(bundle, artifact_of(data), policy).outcome == "passed"


@pytest.mark.parametrize("name", ["bundle.duplicate", "bundle.many_timestamp"])
def test_repeated_or_countless_timestamps_are_refused(name):
    folder = shared("corpora/security/sigstore-python-assets/tsa")
    config = json.loads((folder / "trust_config.json").read_text())
    policy = TrustPolicy(signers=ANYONE, trusted_root=json.dumps(config["trustedRoot"]).encode())
    artifact = artifact_of((folder / "bundle.txt").read_bytes())
    check = verify_bundle((folder / f"{name}.sigstore").read_bytes(), artifact, policy)
    assert (check.outcome, check.code) == ("failed", "trust.time")


@pytest.mark.parametrize("case", ["happy-path-v0.3", "managed-key-happy-path"])
def test_mutated_bundle_never_raises_and_never_gains_another_file(case):
    """Every changed byte ends in a Check; what still passes is what the signature does not cover."""
    folder = shared(SETS[1]) / case
    good, artifact = bundle_in(folder), artifact_of(artifact_in(folder))
    other, policy = artifact_of(b"another file"), policy_of(folder)
    for position in range(0, len(good), max(1, len(good) // 60)):
        changed = good[:position] + bytes([good[position] ^ 0x15]) + good[position + 1 :]
        verify_bundle(changed, artifact, policy)
        assert verify_bundle(changed, other, policy).outcome == "failed"
