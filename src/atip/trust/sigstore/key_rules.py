"""Bundles signed with a public key of ours (`cosign --key`, npm's registry keys): signature, log, validity.

The key comes from our configuration; the hint inside a bundle chooses nothing. Loaded lazily.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
    load_pem_public_key,
)

from atip.trust.sigstore.log import check_entry

if TYPE_CHECKING:
    from atip.trust.digests import Artifact
    from atip.trust.expected import Key, TrustPolicy
    from atip.trust.sigstore.material import Material
    from atip.trust.sigstore.rules import SigstoreVerifier, Stage

_HASHES: dict[str, Any] = {
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
MAX_SIGNATURES = 16
_MESSAGE_HASHES = {"SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}


def check_keyed(
    rules: SigstoreVerifier,
    material: Material,
    artifact: Artifact,
    policy: TrustPolicy,
    stage: Stage,
) -> Key:
    """Run the procedure on a bundle with a key; the key of ours that signed, when all steps passed."""
    keys = stage("signature.key", "trust.key", lambda: load_keys(policy))
    key, public = stage(
        "signature.content", "trust.signature", lambda: _signing_key(keys, material, artifact)
    )
    stage("signature.time", "trust.time", lambda: _check_timestamps(rules, material))
    signed: Key = key
    if not material.has_entry:
        stage("signature.log", "trust.log", lambda: _no_entry(policy, signed))
        return signed
    stage("signature.log", "trust.log", lambda: rules.verify_log(material))
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    stage("signature.entry", "trust.log-entry", lambda: check_entry(material, artifact, der))
    stage("signature.validity", "trust.key-expired", lambda: _check_validity(material, signed))
    return signed


def load_key(data: bytes) -> Any:
    """A public key from PEM or DER.

    Raises:
        ValueError: when it is neither.
    """
    if b"-----BEGIN" in data:
        return load_pem_public_key(data)
    return load_der_public_key(data)


def verify_raw(public: Any, signature: bytes, message: bytes, *, algorithm: str = "sha256") -> None:
    """Check a signature over the message itself.

    Raises:
        InvalidSignature: when it is not one.
        ValueError: for a kind of key that we do not use.
    """
    hash_algorithm = _HASHES[algorithm]()
    if isinstance(public, ec.EllipticCurvePublicKey):
        public.verify(signature, message, ec.ECDSA(hash_algorithm))
    elif isinstance(public, ed25519.Ed25519PublicKey):
        public.verify(signature, message)
    elif isinstance(public, rsa.RSAPublicKey) and public.key_size >= 2048:
        public.verify(signature, message, padding.PKCS1v15(), hash_algorithm)
    else:
        raise ValueError("keys of this kind or size are not supported")


def _signing_key(keys: list[tuple[Key, Any]], material: Material, artifact: Artifact) -> Any:
    from cryptography.exceptions import InvalidSignature

    for key, public in keys:
        try:
            _check_content(public, material, artifact)
        except InvalidSignature:
            continue
        return key, public
    raise ValueError("the signature does not match any configured key")


def _check_content(public: Any, material: Material, artifact: Artifact) -> None:
    if material._dsse_envelope is not None:
        envelope = material._dsse_envelope
        verify_raw(public, envelope.signature, envelope.pae())
        return
    message = material._inner.message_signature
    if message is None:
        raise ValueError("the bundle holds neither a signature nor an envelope")
    algorithm = "sha256"
    if message.message_digest is not None:
        algorithm = _MESSAGE_HASHES[message.message_digest.algorithm.value]
    digest = bytes.fromhex(artifact.digests[algorithm].hex)
    if message.message_digest is not None and message.message_digest.digest != digest:
        raise ValueError("the bundle is about another digest")
    if artifact.data is not None:
        verify_raw(public, message.signature, artifact.data, algorithm=algorithm)
    elif isinstance(public, ec.EllipticCurvePublicKey):
        scheme = ec.ECDSA(utils.Prehashed(_HASHES[algorithm]()))
        public.verify(message.signature, digest, scheme)
    else:
        raise ValueError("a digest alone is not enough for a key of this kind")


def _check_timestamps(rules: SigstoreVerifier, material: Material) -> list[Any]:
    """A key needs no signed time, but a timestamp by an untrusted authority is refused."""
    if not material.verification_material.timestamp_verification_data:
        return []
    times = rules._verify_timestamp_authority(material)
    if not times:
        raise ValueError("none of the timestamps is by a trusted authority")
    return times


def _no_entry(policy: TrustPolicy, key: Key) -> None:
    # A key with an end of validity needs a signed time, and only the log gives one here.
    if policy.require_log or key.valid_from or key.valid_until:
        raise ValueError("the bundle has no log entry, and one is required")


def _check_validity(material: Material, key: Key) -> None:
    if not (key.valid_from or key.valid_until):
        return
    seconds = material.log_entry._inner.integrated_time
    # SECURITY: without the promise the integrated time is not signed.
    if not seconds or not material.log_entry._inner.inclusion_promise:
        raise ValueError("the key has a validity, and the bundle has no signed time")
    if key.valid_from and seconds < key.valid_from:
        raise ValueError("signed before the key was valid")
    if key.valid_until and seconds > key.valid_until:
        raise ValueError("signed after the key had expired")


def verify_envelope(envelope: dict[str, Any], keys: list[tuple[Key, Any]]) -> tuple[Key, bytes]:
    """A bare DSSE envelope: the key of ours that signed it, and the payload.

    Raises:
        ValueError: when no signature is by a key of ours.
    """
    import base64

    from cryptography.exceptions import InvalidSignature

    kind, payload = (
        str(envelope["payloadType"]),
        base64.b64decode(envelope["payload"], validate=True),
    )
    encoded = kind.encode()
    message = b"DSSEv1 %d %s %d %s" % (len(encoded), encoded, len(payload), payload)
    for signature in envelope["signatures"][:MAX_SIGNATURES]:
        raw = base64.b64decode(signature["sig"], validate=True)
        for key, public in keys:
            try:
                verify_raw(public, raw, message)
            except InvalidSignature:
                continue
            return key, payload
    raise ValueError("none of the configured keys signed the envelope")


def load_keys(policy: TrustPolicy) -> list[tuple[Key, Any]]:
    """The `cosign` keys of a policy, parsed.

    Raises:
        ValueError: for a key that cannot be read: a broken configuration must not pass as an empty one.
    """
    return [(key, load_key(key.data)) for key in policy.keys_of("cosign")]
