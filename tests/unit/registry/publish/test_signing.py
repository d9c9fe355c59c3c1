"""Signing shims: with keys and minisign, what clients verify; inferred ones apart; private keys stay private."""

from __future__ import annotations

import json
import os
import stat

import pytest

from atip.errors import NotFoundError, TrustError, UsageError
from atip.registry.publish.signing.role_keys import load_private, load_role_keys, make_role_keys
from atip.registry.publish.signing.shim_signing import (
    default_key,
    key_signer,
    sign_shims,
    sign_with_key,
    sigstore_signer,
)
from atip.registry.shims.check import verify_signature_of
from atip.trust.expected import Key, TrustPolicy
from tests.unit.registry.publish.source import Source, digits_of


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


def policy(kind, data):
    return TrustPolicy(
        keys=(Key(type=kind, data=data, name="maintainer"),), require_signatures=True
    )


def bundle_of(source, content="a"):
    return (source.folder / f"shims/{digits_of(content)}.json.bundle").read_bytes()


def test_key_signature_is_what_clients_verify(source):
    path = source.add()
    key = default_key(str(source.keys), inferred=False)
    sign_shims(str(source.folder), key_signer(key))
    trusted = policy("cosign", (source.keys / "shims.pub").read_bytes())
    assert verify_signature_of(path.read_bytes(), bundle_of(source), trusted) == "maintainer"
    with pytest.raises(TrustError):
        verify_signature_of(path.read_bytes() + b" ", bundle_of(source), trusted)


@pytest.mark.parametrize("kind", ["ed25519", "rsa"])
def test_other_kinds_of_keys_sign_too(kind):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

    private = (
        ed25519.Ed25519PrivateKey.generate()
        if kind == "ed25519"
        else rsa.generate_private_key(65537, 2048)
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    bundle = sign_with_key(private, b"shim")
    assert verify_signature_of(b"shim", bundle, policy("cosign", public)) == "maintainer"


def test_minisign_signature_is_what_clients_verify(source, tmp_path):
    import minisign

    pair = minisign.KeyPair.generate()
    secret = tmp_path / "minisign.key"
    secret.write_bytes(bytes(pair.secret_key))
    secret.chmod(0o600)
    path = source.add()
    sign_shims(str(source.folder), key_signer(str(secret)))
    assert bundle_of(source).startswith(b"untrusted comment:")
    trusted = policy("minisign", bytes(pair.public_key))
    assert verify_signature_of(path.read_bytes(), bundle_of(source), trusted) == "maintainer"


def test_only_unsigned_shims_are_signed(source):
    source.add("a")
    key = default_key(str(source.keys), inferred=False)
    sign_shims(str(source.folder), key_signer(key))
    before = bundle_of(source)
    source.add("b")
    report = sign_shims(str(source.folder), key_signer(key))
    assert (report.signed, report.already_signed) == ((digits_of("b"),), 1)
    assert bundle_of(source) == before
    assert len(sign_shims(str(source.folder), key_signer(key), again=True).signed) == 2


def test_inferred_shims_have_a_key_of_their_own(source):
    source.add("a")
    source.add("b", trust={"source": "inferred", "verified": False})
    maintainer = default_key(str(source.keys), inferred=False)
    report = sign_shims(str(source.folder), key_signer(maintainer))
    assert (report.signed, report.skipped) == ((digits_of("a"),), (digits_of("b"),))
    machine = default_key(str(source.keys), inferred=True)
    report = sign_shims(str(source.folder), key_signer(machine), inferred=True)
    assert report.signed == (digits_of("b"),)
    assert maintainer != machine


def test_named_shim_that_is_not_there_is_named(source):
    source.add()
    key = default_key(str(source.keys), inferred=False)
    with pytest.raises(NotFoundError) as caught:
        sign_shims(str(source.folder), key_signer(key), only=["0" * 64])
    assert caught.value.code == "publish.no-shim"


def test_without_identity_nothing_is_sent(monkeypatch):
    for name in list(os.environ):
        if name.startswith(
            ("GITHUB_", "GITLAB", "CI", "SIGSTORE", "BUILDKITE", "CIRCLE", "ACTIONS")
        ):
            monkeypatch.delenv(name)
    with pytest.raises(UsageError) as caught:
        sigstore_signer()
    assert caught.value.code == "publish.no-identity"


def test_broken_identity_token_is_a_typed_error(monkeypatch):
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", "not-a-token")
    with pytest.raises(TrustError) as caught:
        sigstore_signer()
    assert caught.value.code == "publish.sigstore"


def test_new_keys_are_readable_by_nobody_else(tmp_path):
    make_role_keys(str(tmp_path / "keys"), ["timestamp"])
    default_key(str(tmp_path / "keys"), inferred=False)
    for path in (tmp_path / "keys").glob("*.pem"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_key_that_others_may_read_is_refused(tmp_path):
    make_role_keys(str(tmp_path), ["timestamp"])
    (tmp_path / "timestamp.pem").chmod(0o644)
    for load in (
        load_role_keys,
        lambda folder: load_private(os.path.join(folder, "timestamp.pem")),
    ):
        with pytest.raises(TrustError) as caught:
            load(str(tmp_path))
        assert caught.value.code == "publish.key-mode"


def test_file_that_is_no_key_is_refused(tmp_path):
    path = tmp_path / "x.pem"
    path.write_text("hello")
    path.chmod(0o600)
    with pytest.raises(TrustError) as caught:
        key_signer(str(path))
    assert caught.value.code == "publish.key"


def test_bundle_is_one_json_document_of_the_current_kind(source):
    source.add()
    sign_shims(str(source.folder), key_signer(default_key(str(source.keys), inferred=False)))
    bundle = json.loads(bundle_of(source))
    assert bundle["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"


def test_identity_signs_through_sigstore_with_the_raw_bytes(source, monkeypatch):
    """The services are out of reach here: the context that talks to them is a stand-in, the bundle a real one."""
    import contextlib

    import sigstore.models
    import sigstore.oidc
    import sigstore.sign

    seen = []

    class StandIn:
        @contextlib.contextmanager
        def signer(self, token):
            seen.append(token)
            yield self

        def sign_artifact(self, data):
            seen.append(data)
            return self

        def to_json(self):
            return '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'

    monkeypatch.setenv("MY_TOKEN", "token")
    monkeypatch.setattr(sigstore.oidc, "IdentityToken", lambda raw: f"parsed {raw}")
    monkeypatch.setattr(sigstore.models.ClientTrustConfig, "production", lambda: "config")
    monkeypatch.setattr(
        sigstore.sign.SigningContext, "from_trust_config", lambda _config: StandIn()
    )
    path = source.add()
    sign_shims(str(source.folder), sigstore_signer("MY_TOKEN"))
    assert seen == ["parsed token", path.read_bytes()]
    assert json.loads(bundle_of(source))["mediaType"].endswith("bundle.v0.3+json")
