"""Real npm and PyPI attestations and SLSA provenances: verified offline; tampered and wrong ones refused."""

from __future__ import annotations

import base64
import datetime
import json
import re

import pytest

pytest.importorskip("sigstore")

from atip.trust.expected import Key, Signer, TrustPolicy
from atip.trust.provenance import fetch_and_verify_provenance, verify_provenance
from atip.trust.signatures import verify_cosign_signature
from tests.shared import shared

GITHUB = "https://token.actions.githubusercontent.com"
GENERATOR = "https://github.com/slsa-framework/slsa-github-generator/.github/workflows/"
PUBLISHER = "https://github.com/bazel-contrib/publish-to-bcr/.github/workflows/publish.yaml@*"
RELEASE = "https://github.com/trailofbits/pypi-attestations/.github/workflows/release.yml@*"
PYPI = "pypi/pypi_attestations-0.0.19.tar.gz"

PROVENANCES = {
    # artifact: (document, identity, source, derived level)
    PYPI: (PYPI + ".slsa.attestation", RELEASE, "trailofbits/pypi-attestations", 2),
    "npm/gundam-visor-cli-v1-tag.tgz": (
        "npm/gundam-visor-cli-v1-tag.tgz.json",
        "https://github.com/ramonpetgrave64/gundam-visor/.github/workflows/npm-publish.yml@*",
        "ramonpetgrave64/gundam-visor",
        2,
    ),
    "npm/provenance-npm-test-ossf.tgz": (
        "npm/provenance-npm-test-ossf.tgz.json",
        GENERATOR + "*",
        "laurentsimon/provenance-npm-test",
        3,
    ),
    "slsa-github/MODULE.bazel": (
        "slsa-github/MODULE.bazel.intoto.jsonl",
        PUBLISHER,
        "aspect-build/rules_lint",
        3,
    ),
    "slsa-github/delegator/binary-linux-amd64-push-v14.2": (
        "slsa-github/delegator/binary-linux-amd64-push-v14.2.build.slsa",
        GENERATOR + "delegator_generic_slsa3.yml@refs/heads/main",
        "slsa-framework/example-package",
        2,
    ),
}


def load(name):
    return (shared("corpora/sigstore") / name).read_bytes()


def policy_for(artifact, **changes):
    _, identity, source, _ = PROVENANCES[artifact]
    policy = TrustPolicy(
        signers=(Signer(identity=identity, issuer=GITHUB),),
        builders=("https://github.com/*",),
        sources=(f"https://github.com/{source}",),
    )
    return policy.replace(**changes)


def verified(artifact, **changes):
    return verify_provenance(
        load(PROVENANCES[artifact][0]), load(artifact), policy_for(artifact, **changes)
    )


@pytest.mark.proves("ATIP6-3.2.2-15", "ATIP6-3.2.2-17", "ATIP6-3.2.2-22")
@pytest.mark.parametrize("artifact", PROVENANCES)
def test_real_provenance_verifies_with_its_derived_level(artifact):
    check = verified(artifact)
    assert (check.outcome, check.code) == ("passed", "")
    assert check.slsa_level == PROVENANCES[artifact][3]
    assert check.source == f"https://github.com/{PROVENANCES[artifact][2]}"


@pytest.mark.parametrize("artifact", PROVENANCES)
def test_provenance_of_another_file_is_refused(artifact):
    check = verify_provenance(load(PROVENANCES[artifact][0]), b"other", policy_for(artifact))
    assert (check.outcome, check.code) == ("failed", "trust.subject")


@pytest.mark.proves("ATIP6-3.2.2-18")
@pytest.mark.parametrize("artifact", PROVENANCES)
@pytest.mark.parametrize(
    ("changes", "outcome", "code"),
    [
        ({"builders": ("https://builder.example/x",)}, "failed", "trust.builder"),
        ({"sources": ("https://github.com/other/source",)}, "failed", "trust.source"),
        ({"builders": ()}, "unchecked", "trust.no-expectation"),
        ({"sources": ()}, "unchecked", "trust.no-expectation"),
        ({"minimum_slsa_level": 4}, "failed", "trust.slsa-level"),
        ({"signers": (Signer(identity="x@y.z", issuer=GITHUB),)}, "failed", "trust.identity"),
    ],
)
def test_what_policy_does_not_expect_is_not_verified(artifact, changes, outcome, code):
    check = verified(artifact, **changes)
    assert (check.outcome, check.code) == (outcome, code)


@pytest.mark.parametrize("stem", ["gundam-visor-cli-v1-tag", "provenance-npm-test-ossf"])
def test_tampered_npm_provenance_is_refused(stem):
    artifact = f"npm/{stem}.tgz"
    document = load(f"npm/{stem}-invalidsigprov.tgz.json")
    check = verify_provenance(document, load(artifact), policy_for(artifact))
    assert (check.outcome, check.code) == ("failed", "trust.signature")


def test_valid_signature_of_the_wrong_signer_is_refused():
    name = "slsa-github/MODULE-wrong-signer.bazel"
    policy = policy_for("slsa-github/MODULE.bazel")
    check = verify_provenance(load(f"{name}.intoto.jsonl"), load(name), policy)
    assert (check.outcome, check.code) == ("failed", "trust.identity")


@pytest.mark.proves("ATIP6-A-09")
def test_fetched_provenance_must_reach_the_expected_level():
    document, fetched = load(PROVENANCES[PYPI][0]), []

    def fetch(url):
        fetched.append(url)
        return document

    def ask(level):
        return fetch_and_verify_provenance(
            "https://a.example/x", level, subject=load(PYPI), policy=policy_for(PYPI), fetch=fetch
        )

    assert (ask(2).outcome, ask(2).slsa_level) == ("passed", 2)
    assert (ask(3).outcome, ask(3).code) == ("failed", "trust.slsa-level")
    assert set(fetched) == {"https://a.example/x"}


CIRCLE = "https://circleci.com/api/v2/projects/fdd9283f-e619-46af-8f9c-851f7d3e8b2b/*"
WHEEL = "pypi/circleci_sign_publish_example-0.0.1.dev137-py3-none-any.whl"
PUBLISHED = {
    WHEEL + ".publish.attestation": (CIRCLE, "https://oidc.circleci.com"),
    WHEEL + ".provenance": (CIRCLE, "https://oidc.circleci.com"),
    PYPI + ".publish.attestation": (RELEASE, GITHUB),
    PYPI + ".provenance": (RELEASE, GITHUB),
    PYPI + ".slsa.sigstore.json": (RELEASE, GITHUB),
    "pypi/gitlab_oidc_project-0.0.3.tar.gz.publish.attestation": (
        "https://gitlab.com/facutuesca/gitlab-oidc-project/*",
        "https://gitlab.com",
    ),
    "pypi/gcb_attestation_test-0.0.0.tar.gz.provenance": (
        "919436158236-compute@developer.gserviceaccount.com",
        "https://accounts.google.com",
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_pypi_attestation_verifies_and_its_tampered_copy_does_not(name):
    identity, issuer = PUBLISHED[name]
    artifact = name
    for ending in (".publish.attestation", ".provenance", ".slsa.sigstore.json"):
        artifact = artifact.removesuffix(ending)
    policy = TrustPolicy(signers=(Signer(identity=identity, issuer=issuer),))
    assert verify_cosign_signature(load(artifact), load(name), policy).outcome == "passed"
    tampered = re.sub(rb"\bME([QUY])C", rb"ME\1D", load(name))
    assert tampered != load(name)
    assert verify_cosign_signature(load(artifact), tampered, policy).outcome == "failed"


def seconds(text):
    return int(datetime.datetime.fromisoformat(text).timestamp()) if text else 0


def npm_keys(**changes):
    document = json.loads(load("trusted-roots/npm-registry-keys.json"))
    return tuple(
        Key(
            type="cosign",
            data=base64.b64decode(key["publicKey"]["rawBytes"]),
            name=key["keyId"],
            valid_from=seconds(key["publicKey"]["validFor"].get("start")),
            valid_until=seconds(key["publicKey"]["validFor"].get("end")),
        ).replace(**changes)
        for key in document["keys"]
        if key["keyUsage"] == "npm:attestations"
    )


@pytest.mark.parametrize("stem", ["gundam-visor-cli-v1-tag", "provenance-npm-test-ossf"])
def test_npm_publish_attestation_verifies_with_the_registry_key(stem):
    data, document = load(f"npm/{stem}.tgz"), load(f"npm/{stem}.tgz.json")
    check = verify_cosign_signature(data, document, TrustPolicy(keys=npm_keys(), require_log=True))
    assert check.outcome == "passed"


def test_key_that_had_expired_is_refused():
    policy = TrustPolicy(keys=npm_keys(valid_until=seconds("2023-01-01T00:00:00Z")))
    stem = "npm/gundam-visor-cli-v1-tag.tgz"
    check = verify_cosign_signature(load(stem), load(f"{stem}.json"), policy)
    assert (check.outcome, check.code) == ("failed", "trust.key-expired")
