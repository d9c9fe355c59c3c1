"""SLSA provenance: signed by one of ours, about our file, from a builder and a source of our policy.

The level is derived from what was verified and never read from a document (A19):

    0  nothing verified
    1  a provenance of the right shape about our file, from a signer of ours, by a builder outside a hosted platform
    2  the same, and the platform itself signed: a hosted runner, attested by the certificate
    3  the same, and the signing workflow is not the project's own: the build cannot forge its provenance

Level 4 is never derived: no document proves two-party review. Implements ATIP 0.6 §3.2.2, A19, A20.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.verdict import VerificationStep
from atip.trust.checks import Check, failed, passed, unchecked
from atip.trust.digests import artifact_of
from atip.trust.expected import matches
from atip.trust.signatures import best, verify_each
from atip.trust.statements import find_origin, find_statement, normalize_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.model.text.digest import Digest
    from atip.trust.expected import TrustPolicy
    from atip.trust.statements import BuildOrigin

HOSTED_RUNNERS = ("github-hosted", "gitlab-hosted")


def fetch_and_verify_provenance(
    url: str,
    expected_level: int,
    *,
    subject: bytes | Digest,
    policy: TrustPolicy,
    fetch: Callable[[str], bytes],
) -> Check:
    """Get an attestation with the caller's `fetch` and verify it (Appendix A `fetchAndVerifyProvenance`).

    Raises:
        FetchError: from `fetch`.
        TrustError: `trust.missing-extra`.
    """
    check = verify_provenance(fetch(url), subject, policy)
    if check.outcome == "passed" and check.slsa_level < expected_level:
        return _too_low(check, expected_level)
    return check


def verify_provenance(document: bytes, subject: bytes | Digest, policy: TrustPolicy) -> Check:
    """Verify an attestation document; of several provenances one must satisfy everything.

    Raises:
        TrustError: `trust.missing-extra`.
    """
    artifact = artifact_of(subject)
    checks = [_judge(check, policy) for check in verify_each(document, artifact, policy)]
    check = best(checks)
    steps = tuple(step.replace(name=f"provenance-{step.name}") for step in check.steps)
    check = check.replace(steps=steps)
    if check.outcome == "passed" and check.slsa_level < policy.minimum_slsa_level:
        return _too_low(check, policy.minimum_slsa_level)
    return check


def _too_low(check: Check, required: int) -> Check:
    message = f"derived SLSA level {check.slsa_level}, required {required}"
    low = failed("provenance-level", "trust.slsa-level", message, check.steps)
    return low.replace(slsa_level=check.slsa_level)


def _judge(check: Check, policy: TrustPolicy) -> Check:
    if check.outcome != "passed":
        return check
    statement = find_statement(check.payload, check.payload_type)
    origin = find_origin(statement) if statement is not None else None
    if origin is None:
        return failed(
            "predicate", "trust.predicate", "not a SLSA provenance v0.2 or v1", check.steps
        )
    missing = [name for name in ("builders", "sources") if not getattr(policy, name)]
    if missing:
        message = f"no {' and no '.join(missing)} configured"
        one = unchecked("origin", "trust.no-expectation", message)
        return one.replace(steps=(*check.steps, *one.steps))
    problem = _builder_problem(origin, policy) or _source_problem(origin, check, policy)
    if problem is not None:
        return check.replace(outcome="failed", steps=(*check.steps, problem), payload=b"")
    level = derive_level(origin, check)
    steps = (
        *check.steps,
        passed("builder", origin.builder),
        passed("source", origin.sources[0]),
        passed("level", f"derived SLSA level {level}"),
    )
    return check.replace(
        steps=steps, slsa_level=level, builder=origin.builder, source=origin.sources[0]
    )


def _builder_problem(origin: BuildOrigin, policy: TrustPolicy) -> VerificationStep | None:
    if any(matches(origin.builder, builder) for builder in policy.builders):
        return None
    return VerificationStep(
        name="builder",
        outcome="failed",
        code="trust.builder",
        message=f"built by `{origin.builder[:200]}`, which is not a configured builder",
    )


def _source_problem(
    origin: BuildOrigin, check: Check, policy: TrustPolicy
) -> VerificationStep | None:
    attested = check.certificate.get("source", "")
    sources = [*origin.sources, *([normalize_source(attested)] if attested else [])]
    # SECURITY: a builder that vouches for one repository in the certificate and for another in the payload.
    if len(set(sources)) != 1:
        names = ", ".join(dict.fromkeys(sources)) or "none"
        message = f"expected one source, the document names: {names}"[:300]
        return VerificationStep(
            name="source", outcome="failed", code="trust.source-conflict", message=message
        )
    if any(matches(sources[0], _source(source)) for source in policy.sources):
        return None
    message = f"built from `{sources[0][:200]}`, which is not a configured source"
    return VerificationStep(name="source", outcome="failed", code="trust.source", message=message)


def _source(expected: str) -> str:
    """A wildcard stays as it is written; everything else is compared in one spelling."""
    return expected if expected.endswith("*") else normalize_source(expected)


def derive_level(origin: BuildOrigin, check: Check) -> int:
    """The SLSA level that the verified material supports; see the table above."""
    facts = check.certificate
    runner = facts.get("runner", "")
    # Certificates from before the runner extension: the builder, which policy trusts, is the platform's own.
    platform = bool(facts) and origin.builder.startswith("https://github.com/")
    if runner not in HOSTED_RUNNERS and not (not runner and platform):
        return 1
    workflow, source = facts.get("identity", ""), facts.get("source", "")
    own = not source or workflow.startswith(source.rstrip("/") + "/")
    # The builder that is named must be the workflow that signed, or lie in the same repository.
    signed_by_builder = _repository(origin.builder) == _repository(workflow)
    return 3 if not own and signed_by_builder else 2


def _repository(workflow: str) -> str:
    return workflow.partition("/.github/")[0]
