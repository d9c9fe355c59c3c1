"""Statements and attestation documents: every wrapping, and what is not one."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.errors import FormatError
from atip.model.shapes.check import check_tool
from atip.trust.attestations import MAX_ATTESTATIONS, split_attestations
from atip.trust.digests import artifact_of
from atip.trust.statements import (
    IN_TOTO,
    find_origin,
    find_statement,
    normalize_source,
)

BUNDLE = {"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json"}
ENVELOPE = {"payload": "", "payloadType": IN_TOTO, "signatures": []}
DATA = artifact_of(b"data")


def encode(value):
    return json.dumps(value).encode()


def statement(**changes):
    value = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"digest": {"sha256": DATA.digests["sha256"].hex}}],
        "predicateType": "https://slsa.dev/provenance/v0.2",
        "predicate": {
            "builder": {"id": "https://b.example"},
            "buildType": "t",
            "invocation": {"configSource": {"uri": "git+https://s.example/a/b.git@refs/heads/x"}},
            "materials": [{"uri": "git+https://s.example/a/b@abc"}],
        },
    }
    return find_statement(encode({**value, **changes}), IN_TOTO)


@pytest.mark.proves("ATIP6-3.2.2-15")
@pytest.mark.parametrize(
    "document",
    [
        encode(BUNDLE),
        encode(ENVELOPE),
        encode(BUNDLE) + b"\n" + encode(ENVELOPE) + b"\n",
        encode({"attestations": [{"predicateType": "x", "bundle": BUNDLE}]}),
        encode(
            {
                "version": 1,
                "attestation_bundles": [
                    {
                        "publisher": {},
                        "attestations": [
                            {"version": 1, "verification_material": {}, "envelope": {}}
                        ],
                    }
                ],
            }
        ),
    ],
)
def test_every_wrapping_is_opened(document):
    """A20: JSON, JSONL, DSSE, Sigstore bundle."""
    found = split_attestations(document)
    assert found
    assert all("mediaType" in one or "payloadType" in one for one in found)


@pytest.mark.parametrize(
    "value",
    [{}, [], 7, {"attestations": []}, {"attestations": [BUNDLE] * (MAX_ATTESTATIONS + 1)}],
)
def test_what_is_no_attestation_is_an_error(value):
    with pytest.raises(FormatError) as caught:
        split_attestations(encode(value))
    assert caught.value.code == "trust.attestation"


@given(st.recursive(st.none() | st.text() | st.integers(), lambda x: st.lists(x) | st.dictionaries(
    st.sampled_from(["attestations", "attestation_bundles", "bundle", "envelope", "version",
                     "verification_material", "mediaType", "payload", "subject", "digest"]), x)))  # fmt: skip
def test_no_document_makes_the_reader_fail_otherwise(value):
    with contextlib.suppress(FormatError):
        split_attestations(encode(value))
    find_statement(encode(value), IN_TOTO)


def test_subject_must_be_our_file():
    assert statement().names(DATA)
    assert not statement().names(artifact_of(b"other"))
    assert not statement(subject=[]).names(DATA)
    sha1 = [{"digest": {"sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}}]
    assert not statement(subject=sha1).names(DATA)


def test_digests_of_one_subject_must_all_agree():
    mixed = {"sha256": DATA.digests["sha256"].hex, "sha512": "0" * 128}
    assert not statement(subject=[{"digest": mixed}]).names(DATA)


def test_origin_of_the_older_format():
    origin = find_origin(statement())
    assert (origin.builder, origin.sources) == ("https://b.example", ("https://s.example/a/b",))


def test_sources_that_disagree_stay_visible():
    predicate = {**statement().predicate, "materials": [{"uri": "git+https://evil.example/x"}]}
    origin = find_origin(statement(predicate=predicate))
    assert origin.sources == ("https://s.example/a/b", "https://evil.example/x")


@pytest.mark.parametrize("kind", ["text/plain", "", "application/vnd.in-toto+JSON"])
def test_other_payload_types_are_not_statements(kind):
    assert find_statement(b"{}", kind) is None


@pytest.mark.parametrize(
    ("uri", "same"),
    [
        ("git+https://GitHub.com/a/b@refs/tags/v1", "https://github.com/a/b"),
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("https://github.com/a/b/", "https://github.com/a/b"),
        ("https://github.com@evil.example/a", "https://github.com@evil.example/a"),
        ("pkg:docker/x@sha256:0", "pkg:docker/x@sha256:0"),
    ],
)
def test_sources_have_one_spelling(uri, same):
    assert normalize_source(uri) == same


@pytest.mark.proves("ATIP6-3.2.2-16")
@pytest.mark.parametrize(
    ("name", "codes"),
    [("slsa-provenance-v1", []), ("in-toto", []), ("trust-me", ["format.provenance"])],
)
def test_format_of_a_provenance_is_one_of_two(name, codes):
    document = {
        "atip": {"version": "0.6"},
        "name": "x",
        "version": "1",
        "description": "x",
        "trust": {"source": "native", "provenance": {"url": "https://h.example/a", "format": name}},
    }
    problems = [one for one in check_tool(document) if one.severity == "error"]
    assert [problem.code for problem in problems if "provenance" in problem.path] == codes
