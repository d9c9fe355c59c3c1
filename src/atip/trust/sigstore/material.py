"""The parts of a Sigstore bundle, read strictly: certificate or key, log entry, content.

Loaded only when a bundle is to be checked: it imports the `sigstore` package, pinned to one minor version because
parts of it are private. Widens what that package reads by two cases: bundles made with a public key, and bundles
of version 0.1 whose `intoto` log entry has a signed promise but no checkpoint (older npm and SLSA builders).
"""

from __future__ import annotations

import json
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509 import (
    DuplicateExtension,
    ExtensionNotFound,
    InvalidVersion,
    UnsupportedGeneralNameType,
    load_der_x509_certificate,
)
from sigstore._utils import cert_is_leaf
from sigstore.errors import Error
from sigstore.models import Bundle, InvalidBundle, TransparencyLogEntry
from sigstore_models.bundle.v1 import Bundle as BundleDocument

from atip.errors import FormatError
from atip.model.reading.reader import read_json

REFUSALS = (
    Error,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    OverflowError,
    InvalidSignature,
    UnsupportedAlgorithm,
    DuplicateExtension,
    ExtensionNotFound,
    InvalidVersion,
    UnsupportedGeneralNameType,
)
"""Errors of reading and checking hostile material; each means refused."""

VERSIONS = ("0.0.1", "0.0.2")


NO_PROOF = {"logIndex": "0", "rootHash": "", "treeSize": "1", "hashes": []}
"""Stands where an old bundle has no proof at all; without a checkpoint it can prove nothing by itself."""


class PromisedEntry(TransparencyLogEntry):
    """A log entry with a signed promise and no checkpoint: the promise alone is checked."""

    def _validate(self) -> None:
        if not (self._inner.inclusion_promise and self._inner.integrated_time):
            raise InvalidBundle("entry must contain an inclusion promise and its time")

    def _verify(self, keyring: Any) -> None:
        self._verify_set(keyring)


class Material(Bundle):
    """A bundle whose signer may be a certificate or a key of ours."""

    def _verify(self) -> None:
        material = self._inner.verification_material
        self.is_keyed = material.public_key is not None
        if self.is_keyed:
            self._read_keyed()
        elif self._is_promise_only():
            self._read_promised()
        else:
            super()._verify()

    def _is_promise_only(self) -> bool:
        entries = self._inner.verification_material.tlog_entries
        if self._inner.media_type != Bundle.BundleType.BUNDLE_0_1.value or len(entries) != 1:
            return False
        # SECURITY: only `intoto` entries of version 0.1 bundles; everything newer must prove inclusion.
        return (
            entries[0].kind_version.kind == "intoto" and not entries[0].inclusion_proof.checkpoint
        )

    def _read_promised(self) -> None:
        chain = self._inner.verification_material.x509_certificate_chain
        if not chain or not chain.certificates:
            raise InvalidBundle("expected certificate chain in bundle")
        leaf = load_der_x509_certificate(chain.certificates[0].raw_bytes)
        if not cert_is_leaf(leaf):
            raise InvalidBundle("the first certificate is not a leaf")
        self._signing_certificate = leaf
        self._log_entry = PromisedEntry(self._one_entry())

    def _read_keyed(self) -> None:
        if not self._inner.verification_material.tlog_entries:
            self.has_entry = False
            return
        self.has_entry = True
        entry = self._one_entry()
        promised = self._is_promise_only()
        self._log_entry = PromisedEntry(entry) if promised else TransparencyLogEntry(entry)

    def _one_entry(self) -> Any:
        entries = self._inner.verification_material.tlog_entries
        if len(entries) != 1:
            raise InvalidBundle("expected exactly one log entry in bundle")
        if entries[0].kind_version.version not in VERSIONS:
            raise InvalidBundle(f"unknown log entry version {entries[0].kind_version.version}")
        return entries[0]


def read_material(data: bytes) -> Material:
    """A bundle from its JSON, duplicate keys and oversized documents refused.

    Raises:
        ValueError, Error: one of `REFUSALS`.
    """
    try:
        document: Any = read_json(data)
    except FormatError as error:
        raise ValueError(error.message) from error
    if document.get("mediaType") == Bundle.BundleType.BUNDLE_0_1.value:
        for entry in document["verificationMaterial"]["tlogEntries"]:
            # The reader insists on a proof; `_is_promise_only` then asks for the promise instead.
            if not entry.get("inclusionProof") and entry["kindVersion"]["kind"] == "intoto":
                entry["inclusionProof"] = NO_PROOF
    return Material(BundleDocument.from_json(json.dumps(document)))
