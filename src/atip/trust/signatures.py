"""Signatures over bytes by kind: cosign (Sigstore), minisign, GPG. ATIP 0.6 §3.2.2 `signature.type`.

Each takes the signed bytes, the detached signature and our policy; the signer named in a document is a claim and
is not even an argument here (A6). Names of Appendix A: `verify_cosign_signature`, `verify_shim_signature`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.trust.attestations import is_bundle, split_attestations, to_bytes
from atip.trust.checks import Check, failed, missing_extra, passed, unchecked
from atip.trust.digests import artifact_of
from atip.trust.sigstore.bundles import verify_bundle
from atip.trust.statements import find_statement

if TYPE_CHECKING:
    from atip.model.text.digest import Digest
    from atip.trust.digests import Artifact
    from atip.trust.expected import TrustPolicy

MAX_SIGNATURE = 1_000_000
KINDS = ("cosign", "minisign", "gpg")


def verify_cosign_signature(subject: bytes | Digest, bundle: bytes, policy: TrustPolicy) -> Check:
    """Check a Sigstore bundle or attestation document over a file (Appendix A `verifyCosignSignature`).

    Of several attestations one must pass.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    return best(verify_each(bundle, artifact_of(subject), policy))


def verify_each(document: bytes, artifact: Artifact, policy: TrustPolicy) -> list[Check]:
    """One Check for each attestation in a document; one failed Check when it cannot be read."""
    if len(document) > MAX_SIGNATURE:
        return [failed("signature.bundle", "trust.bundle", "the document is too large")]
    try:
        attestations = split_attestations(document)
    except FormatError as error:
        return [failed("signature.bundle", "trust.bundle", error.message)]
    return [_verify_one(attestation, artifact, policy) for attestation in attestations]


def best(checks: list[Check]) -> Check:
    """The first that passed; else the failed one that came furthest; else the unchecked one that did."""
    for check in checks:
        if check.outcome == "passed":
            return check
    broken = [check for check in checks if check.outcome == "failed"]
    return max(broken or checks, key=lambda check: len(check.steps))


def _verify_one(attestation: dict[str, Any], artifact: Artifact, policy: TrustPolicy) -> Check:
    if is_bundle(attestation):
        return verify_bundle(to_bytes(attestation), artifact, policy)
    if not policy.keys_of("cosign"):
        return unchecked(
            "signature.key", "trust.no-key", "signed with a key, but no key is configured"
        )
    try:
        from cryptography.exceptions import UnsupportedAlgorithm

        from atip.trust.sigstore.key_rules import load_keys, verify_envelope
    except ImportError as error:
        raise missing_extra(error.name or "cryptography") from error
    try:
        key, payload = verify_envelope(attestation, load_keys(policy))
    except (ValueError, TypeError, LookupError, UnsupportedAlgorithm) as error:
        return failed("signature.content", "trust.signature", str(error)[:300])
    before = (passed("signature.content"),)
    if policy.require_log or key.valid_from or key.valid_until:
        return failed("signature.log", "trust.log", "a bare envelope has no log entry", before)
    kind = str(attestation["payloadType"])
    statement = find_statement(payload, kind)
    if statement is None or not statement.names(artifact):
        return failed(
            "signature.subject", "trust.subject", "the statement is about other files", before
        )
    return Check(
        outcome="passed",
        steps=(*before, passed("signature.subject")),
        signer=key.name or "configured key",
        payload=payload,
        payload_type=kind,
    )


def verify_minisign_signature(data: bytes, signature: bytes, policy: TrustPolicy) -> Check:
    """Check a minisign signature, trusted comment included.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    keys = policy.keys_of("minisign")
    if not keys:
        return unchecked("signature.key", "trust.no-key", "no minisign key is configured")
    try:
        import minisign  # type: ignore[import-untyped]
    except ImportError as error:
        raise missing_extra("py-minisign") from error
    problems = (minisign.Error, ValueError, LookupError, TypeError)
    try:
        parsed = minisign.Signature.from_bytes(signature)
    except problems as error:
        return failed(
            "signature.bundle", "trust.bundle", f"not a minisign signature: {error}"[:300]
        )
    for key in keys:
        try:
            _minisign_key(minisign, key.data).verify(data, parsed)
        except problems:
            continue
        return _by(key.name or "configured key")
    return failed(
        "signature.content", "trust.signature", "the signature does not match any configured key"
    )


def _minisign_key(minisign: Any, data: bytes) -> Any:
    text = data.strip()
    if b"\n" in text:
        return minisign.PublicKey.from_bytes(text + b"\n")
    return minisign.PublicKey.from_base64(text)


def verify_gpg_signature(data: bytes, signature: bytes, policy: TrustPolicy) -> Check:
    """Check a detached OpenPGP signature against our certificates.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    keys = policy.keys_of("gpg")
    if not keys:
        return unchecked("signature.key", "trust.no-key", "no GPG key is configured")
    try:
        import pysequoia
    except ImportError as error:
        raise missing_extra("pysequoia") from error
    problems = (RuntimeError, ValueError, TypeError, OSError)
    try:
        parsed = pysequoia.Sig.from_bytes(signature)
    except problems as error:
        return failed(
            "signature.bundle", "trust.bundle", f"not an OpenPGP signature: {error}"[:300]
        )
    for key in keys:
        try:
            certificate = pysequoia.Cert.from_bytes(key.data)
            store = _Store(certificate)
            result = pysequoia.verify(bytes=data, store=store, signature=parsed)
        except problems:
            continue
        if result.valid_sigs:
            return _by(key.name or certificate.fingerprint)
    return failed(
        "signature.content", "trust.signature", "the signature does not match any configured key"
    )


class _Store:
    """Answers every question for a certificate with the one of ours; the ids in a signature choose nothing."""

    def __init__(self, certificate: Any) -> None:
        self.certificate = certificate

    def __call__(self, _ids: object) -> list[Any]:
        return [self.certificate]


def _by(signer: str) -> Check:
    return Check(outcome="passed", steps=(passed("signature.content"),), signer=signer)


def verify_signature(kind: str, data: bytes, signature: bytes, policy: TrustPolicy) -> Check:
    """Check a signature of one of the three kinds; an unknown kind is `unchecked`.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    if len(signature) > MAX_SIGNATURE:
        return failed("signature.bundle", "trust.bundle", "the signature is too large")
    if kind == "cosign":
        return verify_cosign_signature(data, signature, policy)
    if kind == "minisign":
        return verify_minisign_signature(data, signature, policy)
    if kind == "gpg":
        return verify_gpg_signature(data, signature, policy)
    return unchecked(
        "signature.type", "trust.signature-type", f"signatures of type `{kind[:40]}` are unknown"
    )


def verify_shim_signature(
    shim: bytes, signature: bytes, policy: TrustPolicy, *, kind: str = "cosign"
) -> Check:
    """Check the signature over a shim's own raw bytes (Appendix A `verifyShimSignature`, A5).

    Raises:
        TrustError: `trust.missing-extra`.
    """
    check = verify_signature(kind, shim, signature, policy)
    steps = tuple(step.replace(name=f"shim-{step.name}") for step in check.steps)
    return check.replace(steps=steps)
