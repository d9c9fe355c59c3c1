"""From bytes and claims to a Verdict: the numbered procedure of ATIP 0.6 §3.2.2 with A21's correction.

    (1) digest        the binary is the one whose checksum is given
    (2) description   the description is of this binary (`binary.hash`)
    (3) signature     of the binary, by a signer or key of ours
    (4) shim          signature of the description itself, never mixed with (3) (A5)
    (5) provenance    builder, source and derived level

Whatever fails blocks; what is missing is unsigned; what is there and was not checked is unverified. Never fetches:
the caller brings the bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.text.digest import find_digest
from atip.model.value import Value
from atip.model.verdict import TrustLevel, Verdict, VerificationStep
from atip.trust.checks import Check, failed, passed, unchecked
from atip.trust.digests import artifact_of, verify_binary_integrity
from atip.trust.provenance import verify_provenance
from atip.trust.signatures import verify_shim_signature, verify_signature

if TYPE_CHECKING:
    from atip.model.tool import Signature, Tool
    from atip.model.verdict import Capability, Recommendation
    from atip.trust.expected import TrustPolicy

CLAIMED_RATINGS = {
    "native": "high",
    "vendor": "high",
    "org": "medium",
    "community": "low",
    "user": "low",
    "inferred": "very low",
}
"""Rating that a document claims by naming its source (§3.2.2). A claim, shown as one; no level follows from it."""

ABSENT = Check(outcome="absent")


class Materials(Value):
    """The bytes that belong to a tool. None: not there, or could not be had."""

    binary: bytes
    signature: bytes | None = None
    signature_kind: str = ""
    """Kind of a signature found beside the binary; empty: as the metadata says, else cosign."""
    shim: bytes | None = None
    shim_signature: bytes | None = None
    shim_kind: str = ""
    """Kind of the description's signature; empty: as the description says, else cosign."""
    provenance: bytes | None = None


class VerificationResults(Value):
    """Results of the checks (Appendix A `VerificationResults`)."""

    integrity: Check = ABSENT
    description: Check = ABSENT
    signature: Check = ABSENT
    shim: Check = ABSENT
    provenance: Check = ABSENT


def verify_tool(
    materials: Materials,
    metadata: Tool | None,
    policy: TrustPolicy,
    *,
    shim_policy: TrustPolicy | None = None,
) -> Verdict:
    """Run the whole procedure.

    Args:
        shim_policy: whose signatures over descriptions count, where that is not `policy`: as configured for the registry
            that the description came from.

    Raises:
        TrustError: `trust.missing-extra` when a signature is there and the packages are not.
    """
    results = VerificationResults(
        integrity=verify_binary_integrity(materials.binary, metadata.trust if metadata else None),
        description=_check_description(materials.binary, metadata),
        signature=_check_signature(materials, metadata, policy),
        shim=_check_shim(materials, metadata, shim_policy or policy),
        provenance=_check_provenance(materials, metadata, policy),
    )
    level = evaluate_trust_level(metadata, results)
    proven = results.provenance if results.provenance.outcome == "passed" else ABSENT
    return Verdict(
        level=level,
        recommendation=recommend(level, results, policy),
        steps=_steps(results),
        capability=_capability(results),
        signer=results.signature.signer or proven.signer,
        attested_by=results.shim.signer if results.shim.outcome == "passed" else "",
        slsa_level=proven.slsa_level,
        builder=proven.builder,
        source=proven.source,
    )


def evaluate_trust_level(metadata: Tool | None, results: VerificationResults) -> TrustLevel:
    """The level that follows from what was checked (Appendix A `evaluateTrustLevel`, A21).

    `metadata` can only lower the level: a signature or provenance that it names and that was not checked is UNVERIFIED.
    """
    # SECURITY: a failed signature is worse than none; as UNSIGNED an attacker could downgrade by breaking it.
    if "failed" in (
        results.integrity.outcome,
        results.description.outcome,
        results.signature.outcome,
        results.shim.outcome,
    ):
        return TrustLevel.COMPROMISED
    if results.provenance.outcome == "failed":
        return TrustLevel.PROVENANCE_FAIL
    claims = [_claimed_signature(metadata) is not None, _claims_provenance(metadata)]
    proofs = [results.signature, results.provenance]
    open_claims = [
        proof
        for claim, proof in zip(claims, proofs, strict=True)
        if proof.outcome == "unchecked" or (claim and proof.outcome != "passed")
    ]
    if open_claims or "unchecked" in (results.integrity.outcome, results.shim.outcome):
        return TrustLevel.UNVERIFIED
    # A provenance is a signature over the binary's digest; either proof suffices when the other is not claimed.
    if any(proof.outcome == "passed" for proof in proofs):
        return TrustLevel.VERIFIED
    return TrustLevel.UNSIGNED


def recommend(
    level: TrustLevel, results: VerificationResults, policy: TrustPolicy
) -> Recommendation:
    """Recommendation for a trust level: block, confirm, sandbox or execute."""
    if level in (TrustLevel.COMPROMISED, TrustLevel.PROVENANCE_FAIL):
        return "block"
    if level is TrustLevel.VERIFIED:
        return "execute"
    if policy.require_signatures:
        return "block"
    # Unsigned, yet the very bytes that the description is about: confinement is enough. Else a person decides.
    described = results.description.outcome == "passed" or results.integrity.outcome == "passed"
    return "sandbox" if level is TrustLevel.UNSIGNED and described else "confirm"


def _check_description(binary: bytes, metadata: Tool | None) -> Check:
    claimed = metadata.binary.hash if metadata is not None and metadata.binary is not None else None
    if claimed is None:
        return ABSENT
    digest = find_digest(claimed)
    if digest is None:
        return unchecked("description", "trust.digest-algorithm", "`binary.hash` is not a digest")
    if not artifact_of(binary).matches(digest):
        message = "the description is of another binary"
        return failed("description", "trust.description-mismatch", message)
    return Check(outcome="passed", steps=(passed("description", str(digest)),))


def _check_signature(materials: Materials, metadata: Tool | None, policy: TrustPolicy) -> Check:
    claim = _claimed_signature(metadata)
    if materials.signature is not None:
        kind = materials.signature_kind or (claim.type if claim else None) or "cosign"
        return verify_signature(kind, materials.binary, materials.signature, policy)
    if claim is not None:
        message = "the metadata names a signature, but it was not found"
        return unchecked("signature", "trust.signature-missing", message)
    return _absent("signature", "trust.unsigned", "the binary has no signature")


def _check_shim(materials: Materials, metadata: Tool | None, policy: TrustPolicy) -> Check:
    claim = metadata.trust.shim_signature if metadata and metadata.trust else None
    if materials.shim is not None and materials.shim_signature is not None:
        kind = materials.shim_kind or (claim.type if claim else None) or "cosign"
        return verify_shim_signature(materials.shim, materials.shim_signature, policy, kind=kind)
    if claim is not None:
        message = "the description names its signature, but it was not found"
        return unchecked("shim-signature", "trust.signature-missing", message)
    if materials.shim is not None and policy.require_signatures:
        return failed(
            "shim-signature", "trust.unsigned", "the description must be signed, but is not"
        )
    return ABSENT


def _check_provenance(materials: Materials, metadata: Tool | None, policy: TrustPolicy) -> Check:
    if materials.provenance is not None:
        return verify_provenance(materials.provenance, materials.binary, policy)
    if policy.minimum_slsa_level:
        message = f"SLSA level {policy.minimum_slsa_level} is required, but there is no provenance"
        return failed("provenance", "trust.no-provenance", message)
    if _claims_provenance(metadata):
        message = "the metadata names a provenance, but it was not found"
        return unchecked("provenance", "trust.provenance-missing", message)
    return _absent("provenance", "trust.no-provenance", "no provenance is given")


def _absent(name: str, code: str, message: str) -> Check:
    step = VerificationStep(name=name, outcome="absent", code=code, message=message)
    return Check(outcome="absent", steps=(step,))


def _claimed_signature(metadata: Tool | None) -> Signature | None:
    trust = metadata.trust if metadata is not None else None
    return trust.integrity.signature if trust is not None and trust.integrity is not None else None


def _claims_provenance(metadata: Tool | None) -> bool:
    return bool(metadata and metadata.trust and metadata.trust.provenance)


def _steps(results: VerificationResults) -> tuple[VerificationStep, ...]:
    return (
        *results.integrity.steps,
        *results.description.steps,
        *results.signature.steps,
        *results.shim.steps,
        *results.provenance.steps,
    )


def _capability(results: VerificationResults) -> Capability:
    if results.description.outcome == "failed":
        return "mismatched"
    if results.description.outcome != "passed":
        return "unknown"
    return "attested" if results.shim.outcome == "passed" else "matched"
