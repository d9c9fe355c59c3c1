"""Checksums: three algorithms, and what they decide."""

from __future__ import annotations

import hashlib

import pytest

from atip.model.tool import Integrity, Trust
from atip.trust.digests import artifact_of, digest_of, verify_binary_integrity

BINARY = b"\x7fELF binary"


def claim(checksum):
    return Trust(integrity=Integrity(checksum=checksum))


@pytest.mark.proves("ATIP6-3.2.2-05", "ATIP6-A-08", "ATIP6-11-03")
@pytest.mark.parametrize("name", ["sha256", "sha384", "sha512"])
def test_right_checksum_passes(name):
    check = verify_binary_integrity(BINARY, claim(str(digest_of(BINARY, name)).upper().lower()))
    assert (check.outcome, check.code) == ("passed", "")


@pytest.mark.proves("ATIP6-3.2.2-20")
@pytest.mark.parametrize("name", ["sha256", "sha384", "sha512"])
def test_wrong_checksum_fails(name):
    check = verify_binary_integrity(BINARY + b"!", claim(str(digest_of(BINARY, name))))
    assert (check.outcome, check.code) == ("failed", "trust.digest-mismatch")


@pytest.mark.proves("ATIP6-3.2.2-05")
@pytest.mark.parametrize(
    "checksum",
    [
        "md5:" + hashlib.md5(BINARY).hexdigest(),
        "sha1:" + hashlib.sha1(BINARY).hexdigest(),
        "shake_128:00",
        "sha256:abc",
        hashlib.sha256(BINARY).hexdigest(),
        "",
    ],
)
def test_other_algorithms_prove_nothing(checksum):
    check = verify_binary_integrity(BINARY, claim(checksum))
    assert (check.outcome, check.code) == ("unchecked", "trust.digest-algorithm")


def test_no_checksum_is_absent():
    assert verify_binary_integrity(BINARY, None).outcome == "absent"


def test_artifact_matches_by_the_same_algorithm_only():
    artifact = artifact_of(digest_of(BINARY, "sha512"))
    assert artifact.matches(digest_of(BINARY, "sha512"))
    assert not artifact.matches(digest_of(BINARY, "sha256"))
