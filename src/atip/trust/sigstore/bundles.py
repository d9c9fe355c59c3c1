"""Verify a Sigstore bundle offline: bytes in, Check out. The entry point of the lazily loaded rules.

ATIP 0.6 §3.2.2 "Integrity verification (Sigstore)"; same answer as `cosign verify-blob` with the same identity and
issuer (A27). Never fetches: the trusted root is given, or the one that ships with the `sigstore` package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.verdict import VerificationStep
from atip.trust.checks import Check, StepFailure, missing_extra, passed
from atip.trust.statements import find_statement

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.trust.digests import Artifact
    from atip.trust.expected import TrustPolicy

PRODUCTION = "https%3A%2F%2Ftuf-repo-cdn.sigstore.dev"
STAGING = "https%3A%2F%2Ftuf-repo-cdn.sigstage.dev"


def verify_bundle(data: bytes, artifact: Artifact, policy: TrustPolicy) -> Check:
    """Check a bundle against an artifact and our signers or keys.

    A bundle with an envelope passes only if the statement inside names the artifact's digest; its payload is
    in the Check, for the provenance rules.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    try:
        from atip.trust.sigstore import key_rules
        from atip.trust.sigstore import material as sigstore_material
        from atip.trust.sigstore import rules as sigstore_rules
    except ImportError as error:
        raise missing_extra(error.name or "sigstore") from error

    _quiet()
    steps: list[VerificationStep] = []

    def stage(name: str, code: str, check: Callable[[], Any]) -> Any:
        try:
            result = check()
        except sigstore_material.REFUSALS as error:
            raise StepFailure(_step(name, code, error)) from error
        steps.append(passed(name, _describe_step(name, result)))
        return result

    try:
        root = policy.trusted_root or embedded_root()
        rules = stage("signature.root", "trust.root", lambda: sigstore_rules.load_rules(root))
        material = stage(
            "signature.bundle", "trust.bundle", lambda: sigstore_material.read_material(data)
        )
        signer, facts = _check(rules, material, artifact, policy, stage, key_rules, sigstore_rules)
        payload, kind = _envelope(material)
        if payload is not None:
            stage("signature.subject", "trust.subject", lambda: _subject(payload, kind, artifact))
    except StepFailure as refused:
        return Check(outcome=refused.step.outcome, steps=(*steps, refused.step))
    return Check(
        outcome="passed",
        steps=tuple(steps),
        signer=signer,
        payload=payload or b"",
        payload_type=kind,
        certificate=facts,
    )


def _check(
    rules: Any, material: Any, artifact: Any, policy: Any, stage: Any, keyed: Any, certified: Any
) -> tuple[str, dict[str, str]]:
    if material.is_keyed:
        if not policy.keys_of("cosign"):
            raise _unknown(
                "signature.key", "trust.no-key", "signed with a key, but no key is configured"
            )
        key = keyed.check_keyed(rules, material, artifact, policy, stage)
        return key.name or "configured key", {}
    if not policy.signers:
        # SECURITY: "any valid signature" is anyone's signature.
        raise _unknown("signature.identity", "trust.no-signers", "no signer is configured")
    facts = certified.check_certified(rules, material, artifact, policy, stage)
    return facts["identity"], facts


def _quiet() -> None:
    """The public client logs warnings; what matters of them is in our steps."""
    import logging

    logger = logging.getLogger("sigstore")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _unknown(name: str, code: str, message: str) -> StepFailure:
    """No matching signer is configured: not checked, and never passed."""
    return StepFailure(VerificationStep(name=name, outcome="unchecked", code=code, message=message))


def _envelope(material: Any) -> tuple[bytes | None, str]:
    envelope = material._dsse_envelope
    if envelope is None:
        return None, ""
    return envelope._inner.payload, envelope._inner.payload_type


def _subject(payload: bytes, kind: str, artifact: Artifact) -> None:
    statement = find_statement(payload, kind)
    if statement is None:
        raise ValueError("the envelope does not contain an in-toto statement")
    if not statement.names(artifact):
        raise ValueError("the statement is about other files")


def _describe_step(name: str, result: Any) -> str:
    """Describe a passed step for display; empty where its name says it all."""
    if name == "signature.identity":
        return f"{result['identity']} by {result['issuer']}"
    if name == "signature.time":
        return ", ".join(str(time.time) for time in result)
    return ""


def _step(name: str, code: str, error: Exception) -> VerificationStep:
    lines = str(error).strip().splitlines()
    message = lines[0][:300] if lines else type(error).__name__
    return VerificationStep(name=name, outcome="failed", code=code, message=message)


def embedded_root(instance: str = PRODUCTION) -> bytes:
    """The trusted root that ships with the `sigstore` package; data of a package, not a look-up.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    from importlib import resources

    try:
        folder = resources.files("sigstore._store")
    except ImportError as error:
        raise missing_extra("sigstore") from error
    return folder.joinpath(instance, "trusted_root.json").read_bytes()
