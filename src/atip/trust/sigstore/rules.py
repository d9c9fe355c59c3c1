"""The Sigstore procedure on one bundle, numbered; every refusal names its step.

    (1) time        a signed time: timestamp authority, or the log's promise
    (2) chain       the certificate leads to the trusted root and was valid at that time
    (3) sct         the certificate itself was logged
    (4) identity    code signing, and identity + issuer are among our signers
    (5) log         inclusion proof, checkpoint and promise of the log entry
    (6) content     the signature is over our artifact, or over the envelope that names it
    (7) entry       the log entry covers this signature, signer and content

With a key of ours (1) to (4) become: the key is one of ours and was valid at the log's time. Loaded lazily, like
`material`. The pieces are those of the public client; `SigstoreVerifier` widens it by `intoto` 0.0.2 entries and
treats the end of a timestamp authority's validity as inclusive, as the protobuf specification says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ExtendedKeyUsage, KeyUsage
from cryptography.x509.oid import ExtendedKeyUsageOID
from sigstore import dsse
from sigstore._internal.sct import verify_sct
from sigstore._internal.timestamp import TimestampVerificationResult
from sigstore._internal.trust import CertificateAuthority, KeyringPurpose
from sigstore.errors import VerificationError
from sigstore.hashes import Hashed
from sigstore.models import TrustedRoot
from sigstore.verify import Verifier
from sigstore.verify import verifier as public
from sigstore_models.common.v1 import HashAlgorithm
from sigstore_models.trustroot.v1 import TrustedRoot as RootDocument

from atip.trust.sigstore.certificates import certificate_facts
from atip.trust.sigstore.log import check_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.trust.digests import Artifact
    from atip.trust.expected import TrustPolicy
    from atip.trust.sigstore.material import Material

    Stage = Callable[[str, str, Callable[[], Any]], Any]
    """Runs one step under a name and a reason code; raises `Refused` when it fails."""

INTOTO = ("intoto", "0.0.2")


class _InclusiveAuthority(CertificateAuthority):
    """A timestamp authority whose validity includes its last instant."""

    @property
    def validity_period_end(self) -> Any:
        end = super().validity_period_end
        return end + end.resolution if end else None


class _Root(TrustedRoot):
    def get_timestamp_authorities(self) -> list[CertificateAuthority]:
        return [_InclusiveAuthority(chain) for chain in self._inner.timestamp_authorities]


class _AsEnvelope:
    """A bundle with an `intoto` entry, shown as one with a `dsse` entry: only its times are asked for."""

    def __init__(self, bundle: Any) -> None:
        kind = bundle.log_entry._inner.kind_version.model_copy(
            update={"kind": "dsse", "version": "0.0.1"}
        )
        self.verification_material = bundle.verification_material
        self.signature = bundle.signature
        self.log_entry = self
        self._inner = bundle.log_entry._inner.model_copy(update={"kind_version": kind})


class SigstoreVerifier(Verifier):
    """The public verifier with two corrections."""

    def _establish_time(self, bundle: Any) -> list[TimestampVerificationResult]:
        entry = bundle.log_entry._inner.kind_version
        if (entry.kind, entry.version) == INTOTO:
            return super()._establish_time(_AsEnvelope(bundle))  # type: ignore[arg-type]
        return super()._establish_time(bundle)

    def verify_log(self, material: Material) -> None:
        """Step (5)."""
        material.log_entry._verify(self._trusted_root.rekor_keyring(KeyringPurpose.VERIFY))


def load_rules(trusted_root: bytes) -> SigstoreVerifier:
    """The verifier for a trusted root given as JSON."""
    return SigstoreVerifier(trusted_root=_Root(RootDocument.from_json(trusted_root)))


def check_certified(
    rules: SigstoreVerifier,
    material: Material,
    artifact: Artifact,
    policy: TrustPolicy,
    stage: Stage,
) -> dict[str, str]:
    """Run the procedure on a bundle with a certificate; facts of the certificate when all steps passed."""
    certificate = material.signing_certificate
    times = stage("signature.time", "trust.time", lambda: _times(rules, material))
    chain = stage("signature.chain", "trust.certificate", lambda: _chain(rules, material, times))
    keyring = rules._trusted_root.ct_keyring
    stage(
        "signature.sct",
        "trust.certificate-log",
        lambda: verify_sct(certificate, chain, keyring(KeyringPurpose.VERIFY)),
    )
    facts: dict[str, str] = stage(
        "signature.identity", "trust.identity", lambda: _identity(certificate, policy)
    )
    stage("signature.log", "trust.log", lambda: rules.verify_log(material))
    stage("signature.content", "trust.signature", lambda: _content(material, artifact))
    stage("signature.entry", "trust.log-entry", lambda: _entry(material, artifact))
    return facts


def _times(rules: SigstoreVerifier, material: Material) -> list[TimestampVerificationResult]:
    times = rules._establish_time(material)
    if not times:
        raise VerificationError("no verified time of signing")
    return times


def _chain(
    rules: SigstoreVerifier, material: Material, times: list[TimestampVerificationResult]
) -> list[Any]:
    certificate = material.signing_certificate
    chain: list[Any] = []
    # SECURITY: every verified time must fall into the validity, not just one of them.
    for time in times:
        chain = rules._verify_chain_at_time(certificate, time)
        if not certificate.not_valid_before_utc <= time.time <= certificate.not_valid_after_utc:
            raise VerificationError("the certificate was not valid at the time of signing")
    return chain


def _identity(certificate: Any, policy: TrustPolicy) -> dict[str, str]:
    if not certificate.extensions.get_extension_for_class(KeyUsage).value.digital_signature:
        raise VerificationError("the certificate is not for signatures")
    usage = certificate.extensions.get_extension_for_class(ExtendedKeyUsage).value
    if ExtendedKeyUsageOID.CODE_SIGNING not in usage:
        raise VerificationError("the certificate is not for code signing")
    for facts in certificate_facts(certificate):
        # SECURITY: both values come from our configuration, never from the document (A6).
        if any(signer.matches(facts["identity"], facts["issuer"]) for signer in policy.signers):
            return facts
    names = ", ".join(facts["identity"] for facts in certificate_facts(certificate))
    raise VerificationError(f"signed by `{names}`, which is not a configured signer")


def _content(material: Material, artifact: Artifact) -> None:
    key: Any = material.signing_certificate.public_key()
    if material._dsse_envelope is not None:
        dsse._verify(key, material._dsse_envelope)
        return
    message = material._inner.message_signature
    if message is None:
        raise VerificationError("the bundle holds neither a signature nor an envelope")
    hashed = _hash_artifact(artifact)
    if message.message_digest is not None and message.message_digest.digest != hashed.digest:
        raise VerificationError("the bundle is about another digest")
    key.verify(message.signature, hashed.digest, ec.ECDSA(hashed._as_prehashed()))


def _entry(material: Material, artifact: Artifact) -> None:
    entry = material.log_entry._inner.kind_version
    kind = (entry.kind, entry.version)
    # Both the public client's comparison and ours, where both know the kind.
    check_entry(material, artifact, material.signing_certificate.public_bytes(Encoding.DER))
    if material._dsse_envelope is not None:
        if kind == ("hashedrekord", "0.0.2"):
            public._validate_hashedrekord_v002_dsse_entry_body(material)
        elif kind == ("dsse", "0.0.1"):
            public._validate_dsse_v001_entry_body(material)
        elif kind != INTOTO:
            raise VerificationError("the log entry is not of an envelope")
    elif kind == ("hashedrekord", "0.0.2"):
        public._validate_hashedrekord_v002_entry_body(material, _hash_artifact(artifact))
    elif kind == ("hashedrekord", "0.0.1"):
        public._validate_hashedrekord_v001_entry_body(material, _hash_artifact(artifact))
    else:
        raise VerificationError("the log entry is not of a signed file")


def _hash_artifact(artifact: Artifact) -> Hashed:
    digest = bytes.fromhex(artifact.digests["sha256"].hex)
    return Hashed(digest=digest, algorithm=HashAlgorithm.SHA2_256)
