"""Attestation documents of every wrapping → single bundles or envelopes (A20). Splits; verifies nothing.

Read are: a Sigstore bundle, a DSSE envelope, JSONL of either, the documents of npm and of GitHub's API
(`attestations`), PyPI's provenance (`attestation_bundles`) and a single PEP 740 attestation.
"""

from __future__ import annotations

import json
from typing import Any

from atip.errors import FormatError
from atip.model.reading.reader import fail, read_json
from atip.trust.statements import IN_TOTO

MAX_ATTESTATIONS = 64
"""A document with more is refused: each costs a verification."""
BUNDLE_V3 = "application/vnd.dev.sigstore.bundle.v0.3+json"


def split_attestations(data: bytes) -> list[dict[str, Any]]:
    """Every bundle (`mediaType`) and bare envelope (`payloadType`) in a document, in order.

    Raises:
        FormatError: `format.…` when it is not JSON or JSONL, `trust.attestation` when it holds neither.
    """
    attestations: list[dict[str, Any]] = []
    for value in _values(data):
        attestations += _unwrap(value)
        if len(attestations) > MAX_ATTESTATIONS:
            raise fail("trust.attestation", f"more than {MAX_ATTESTATIONS} attestations")
    if not attestations:
        raise fail("trust.attestation", "no attestation in the document")
    return attestations


def is_bundle(attestation: dict[str, Any]) -> bool:
    return "mediaType" in attestation


def to_bytes(attestation: dict[str, Any]) -> bytes:
    return json.dumps(attestation).encode()


def _values(data: bytes) -> list[Any]:
    try:
        return [read_json(data)]
    except FormatError:
        lines = [line for line in data.splitlines() if line.strip()]
        if len(lines) < 2 or len(lines) > MAX_ATTESTATIONS:
            raise
        return [read_json(line) for line in lines]


def _unwrap(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        raise fail("trust.attestation", "an attestation must be an object")
    if "mediaType" in value or ("payload" in value and "payloadType" in value):
        return [value]
    if "attestation_bundles" in value:
        bundles = _objects(value["attestation_bundles"])
        return [attestation for bundle in bundles for attestation in _unwrap(bundle)]
    if "attestations" in value:
        return [
            attestation
            for child in _objects(value["attestations"])
            for attestation in _unwrap(child)
        ]
    if isinstance(value.get("bundle"), dict):
        return _unwrap(value["bundle"])
    if "verification_material" in value and "envelope" in value:
        return [_from_pep740(value)]
    raise fail("trust.attestation", "neither a bundle nor an envelope")


def _objects(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > MAX_ATTESTATIONS:
        raise fail(
            "trust.attestation", f"expected a list of at most {MAX_ATTESTATIONS} attestations"
        )
    return value


def _from_pep740(value: dict[str, Any]) -> dict[str, Any]:
    """PEP 740 has the parts of a bundle under other names."""
    material, envelope = value["verification_material"], value["envelope"]
    if value.get("version") != 1 or not (isinstance(material, dict) and isinstance(envelope, dict)):
        raise fail("trust.attestation", "not a PEP 740 attestation of version 1")
    return {
        "mediaType": BUNDLE_V3,
        "verificationMaterial": {
            "certificate": {"rawBytes": material.get("certificate")},
            "tlogEntries": material.get("transparency_entries"),
        },
        "dsseEnvelope": {
            "payload": envelope.get("statement"),
            "payloadType": IN_TOTO,
            "signatures": [{"sig": envelope.get("signature")}],
        },
    }
