"""`atip verify` and the protocol of the public conformance suite, as processes."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("minisign")
pytest.importorskip("sigstore")

import minisign

from tests.cli.run import atip
from tests.shared import shared


@pytest.fixture
def signed(tmp_path):
    """A file with a minisign signature beside it, and the public key."""
    pair = minisign.KeyPair.generate()
    (tmp_path / "tool").write_bytes(b"the tool")
    (tmp_path / "tool.minisig").write_bytes(bytes(pair.secret_key.sign(b"the tool")))
    (tmp_path / "key.pub").write_bytes(bytes(pair.public_key))
    return tmp_path


def trust(home, document):
    folder = home / ".config" / "agent-tools"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trust.json"
    path.write_text(json.dumps(document))
    path.chmod(0o600)
    return folder


def test_signature_beside_the_file_is_verified_with_the_given_key(signed):
    words = ("verify", str(signed / "tool"), "--key", str(signed / "key.pub"), "--type", "minisign")
    ran = atip(*words, "--json", home=signed)
    assert (ran.code, ran.document["security"]["level"]) == (0, "VERIFIED")
    assert [step["number"] for step in ran.document["steps"]] == [1, 2, 3]
    ran = atip(*words, home=signed)
    assert "security: VERIFIED, recommended: execute" in ran.out
    (signed / "tool").write_bytes(b"another tool")
    ran = atip(*words, "--json", home=signed)
    assert (ran.code, ran.document["security"]["recommendation"]) == (1, "block")
    assert "trust.signature" in ran.document["reasons"]


def test_without_configuration_a_signature_is_unverified(signed):
    ran = atip("verify", str(signed / "tool"), "--json", home=signed)
    assert (ran.code, ran.document["security"]["level"]) == (1, "UNVERIFIED")


def test_keys_come_from_the_trust_settings(signed):
    folder = trust(signed, {"keys": [{"type": "minisign", "file": "key.pub", "name": "ours"}]})
    (folder / "key.pub").write_bytes((signed / "key.pub").read_bytes())
    ran = atip("verify", str(signed / "tool"), "--json", home=signed)
    assert (ran.code, ran.document["security"]["signer"]) == (0, "ours")


def test_unreadable_trust_settings_stop_the_run(signed):
    trust(signed, {"keyz": []})
    ran = atip("verify", str(signed / "tool"), "--json", home=signed)
    assert ran.code != 0
    assert ran.document["error"]["code"].startswith("format.")


def test_identity_without_issuer_is_a_usage_error(signed):
    ran = atip("verify", str(signed / "tool"), "--identity", "a@b.c", "--json", home=signed)
    assert (ran.code, ran.document["error"]["code"]) == (2, "cli.usage")


def test_real_provenance_is_verified_offline(tmp_path):
    source = shared("corpora/sigstore/slsa-github")
    trust(
        tmp_path,
        {
            "signers": [
                {
                    "identity": "https://github.com/bazel-contrib/publish-to-bcr/*",
                    "issuer": "https://token.actions.githubusercontent.com",
                }
            ],
            "builders": ["https://github.com/bazel-contrib/publish-to-bcr/*"],
            "sources": ["https://github.com/aspect-build/rules_lint"],
        },
    )
    ran = atip("verify", str(source / "MODULE.bazel"), "--json", home=tmp_path)
    assert (ran.code, ran.document["security"]["slsaLevel"]) == (0, 3)
    ran = atip("verify", str(source / "MODULE-wrong-signer.bazel"), "--json", home=tmp_path)
    assert (ran.code, ran.document["security"]["level"]) == (1, "PROVENANCE_FAIL")


def test_conformance_protocol_answers_by_exit_code(tmp_path):
    base = shared("corpora/sigstore/conformance")
    case = base / "managed-key-and-trusted-root"
    words = ["verify-bundle", "--bundle", str(case / "bundle.sigstore.json")]
    words += ["--key", str(case / "key.pub"), "--trusted-root", str(case / "trusted_root.json")]
    assert atip(*words, str(base / "a.txt"), home=tmp_path).code == 0
    digest = "sha256:a0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf"
    assert atip(*words, digest, home=tmp_path).code == 0
    refused = atip(*words, digest[:-1] + "e", home=tmp_path)
    assert (refused.code, refused.err.split(":")[0]) == (1, "trust.signature")
    assert "verify-bundle" not in atip("--help", home=tmp_path).out
