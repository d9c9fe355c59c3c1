"""Whether a transparency log entry covers this signature, key and content.

Without this, any valid entry of the log could be attached to a bundle (CVE-2022-36056). Entries: `hashedrekord`
0.0.1 and 0.0.2, `dsse` 0.0.1, `intoto` 0.0.2. Every comparison is by decoded bytes; a missing field is a mismatch.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from atip.model.reading.reader import read_json

if TYPE_CHECKING:
    from atip.trust.digests import Artifact
    from atip.trust.sigstore.material import Material

_REKOR_HASHES = {"SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}


def check_entry(material: Material, artifact: Artifact, signer: bytes) -> None:
    """Compare the entry with the bundle; `signer` is DER: a certificate, or the key's SubjectPublicKeyInfo.

    Raises:
        ValueError: with the first difference.
    """
    entry = material.log_entry._inner
    body: Any = read_json(entry.canonicalized_body)
    kind, version = entry.kind_version.kind, entry.kind_version.version
    if (body["kind"], body["apiVersion"]) != (kind, version):
        raise ValueError("the log entry is of another kind than the bundle says")
    if (kind, version) == ("intoto", "0.0.2"):
        _check_intoto(material, body["spec"]["content"], signer)
    elif (kind, version) == ("dsse", "0.0.1"):
        _check_dsse(material, body["spec"], signer)
    elif (kind, version) == ("hashedrekord", "0.0.1"):
        _check_hashedrekord(material, body["spec"], artifact, signer)
    elif (kind, version) == ("hashedrekord", "0.0.2"):
        _check_hashedrekord_2(material, body["spec"]["hashedRekordV002"], artifact, signer)
    else:
        raise ValueError(f"log entries of kind {kind} {version} are not supported")


def _check_intoto(material: Material, content: Any, signer: bytes) -> None:
    envelope = _envelope(material)
    logged = content["envelope"]
    (signature,) = logged["signatures"]
    _same(logged["payloadType"], envelope._inner.payload_type, "payload type")
    # This kind of entry holds the signature in base64 twice.
    _same(_base64(_base64(signature["sig"])), envelope.signature, "signature")
    _same(_public_der(_base64(signature["publicKey"])), signer, "signer")
    _check_payload(content["payloadHash"], envelope)


def _check_dsse(material: Material, spec: Any, signer: bytes) -> None:
    envelope = _envelope(material)
    (signature,) = spec["signatures"]
    _same(_base64(signature["signature"]), envelope.signature, "signature")
    _same(_public_der(_base64(signature["verifier"])), signer, "signer")
    _check_payload(spec["payloadHash"], envelope)


def _check_payload(claimed: Any, envelope: Any) -> None:
    _same(claimed["algorithm"], "sha256", "payload hash algorithm")
    _same(claimed["value"], hashlib.sha256(envelope._inner.payload).hexdigest(), "payload hash")


def _check_hashedrekord(material: Material, spec: Any, artifact: Artifact, signer: bytes) -> None:
    message = material._inner.message_signature
    if message is None:
        raise ValueError("a hashedrekord entry without a message signature")
    claimed = spec["data"]["hash"]
    digest = artifact.digests[claimed["algorithm"]]
    _same(claimed["value"].lower(), digest.hex, "artifact digest")
    _same(_base64(spec["signature"]["content"]), message.signature, "signature")
    _same(_public_der(_base64(spec["signature"]["publicKey"]["content"])), signer, "signer")


def _check_hashedrekord_2(material: Material, spec: Any, artifact: Artifact, signer: bytes) -> None:
    algorithm = _REKOR_HASHES[spec["data"]["algorithm"]]
    if material._inner.message_signature is not None:
        expected = bytes.fromhex(artifact.digests[algorithm].hex)
    else:
        expected = getattr(hashlib, algorithm)(_envelope(material).pae()).digest()
    _same(_base64(spec["data"]["digest"]), expected, "artifact digest")
    _same(_base64(spec["signature"]["content"]), material.signature, "signature")
    verifier = spec["signature"]["verifier"]
    raw = verifier.get("publicKey") or verifier["x509Certificate"]
    _same(_base64(raw["rawBytes"]), signer, "signer")


def _envelope(material: Material) -> Any:
    envelope = material._dsse_envelope
    if envelope is None:
        raise ValueError("the log entry is of an envelope, and the bundle has none")
    return envelope


def _base64(text: str | bytes) -> bytes:
    return base64.b64decode(text, validate=True)


def _public_der(pem: bytes) -> bytes:
    """DER of a PEM certificate or public key; two spellings of one key compare equal."""
    if b"BEGIN CERTIFICATE" in pem:
        return x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    return load_pem_public_key(pem).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _same(logged: object, ours: object, what: str) -> None:
    if logged != ours:
        raise ValueError(f"the log entry has another {what}")
