"""Judging a shim's bytes: its signature against our signers, its document, the binary it is about. Pure.

(1) signature over the raw bytes   (2) strict reading   (3) `binary.hash` is the look-up key

The order matters: nothing is parsed before it is known who signed it, where a signature is required.
Implements ATIP 0.6 §3.2.2 "verify_and_load_shim" with A5, A6, A13, A25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import FormatError, TrustError
from atip.model.value import Value
from atip.registry.shims.approval import check_binary
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from atip.model.tool import Tool
    from atip.registry.remote.sources import RegistrySource
    from atip.trust.expected import TrustPolicy


class CheckedShim(Value):
    """A shim that was judged."""

    digest: str
    tool: Tool
    signer: str
    """The verified signer; empty: none."""
    registry: str
    """Address of the registry it came from."""
    stale: bool = False
    """Its registry did not answer, so it may be outdated."""


def shim_policy(source: RegistrySource, *, required: bool) -> TrustPolicy:
    """Accepted signers of this registry's shims: from our configuration only (A6).

    Raises:
        FormatError: `trust.policy`.
    """
    from atip.trust.expected import create_trust_policy

    signers = [{"identity": identity, "issuer": issuer} for identity, issuer in source.signers]
    return create_trust_policy(
        {"signers": signers, "keys": list(source.keys), "requireSignatures": required}
    )


def policy_digest(policy: TrustPolicy) -> str:
    """A digest of the signers and keys, stored with a verification: another digest invalidates it."""
    return sha256_hex(repr((policy.signers, policy.keys)).encode())


def kind_of(bundle: bytes) -> str:
    """Kind of a signature, by its first bytes."""
    start = bundle.lstrip()[:40]
    if start.startswith(b"untrusted comment:"):
        return "minisign"
    if start.startswith(b"-----BEGIN PGP"):
        return "gpg"
    return "cosign"


def verify_signature_of(shim: bytes, bundle: bytes | None, policy: TrustPolicy) -> str:
    """(1) Return who signed these bytes; empty when unsigned and no signature is required.

    Raises:
        TrustError: `registry.unsigned` when a signature is required and there is none; `registry.signature` when
            there is one and it is wrong, or when it is required and none of our signers made it.
    """
    if bundle is None:
        if policy.require_signatures:
            raise TrustError(
                "registry.unsigned", "the shim is not signed, but a signature is required"
            )
        return ""
    if not policy.signers and not policy.keys and not policy.require_signatures:
        # No signer is configured: the shim counts as unsigned.
        return ""
    from atip.trust.signatures import verify_shim_signature

    check = verify_shim_signature(shim, bundle, policy, kind=kind_of(bundle))
    if check.outcome == "passed":
        return check.signer
    # SECURITY: a wrong signature is worse than none; it must not pass as unsigned (A21).
    if check.outcome == "failed" or policy.require_signatures:
        reason = next((step.message for step in reversed(check.steps) if step.message), "")
        raise TrustError(
            "registry.signature",
            f"the shim's signature is refused: {reason[:300]}",
            hint="its signer is not trusted for this registry, or the shim was changed",
            details={"reason": check.code},
        )
    return ""


def read_shim(data: bytes, digest: str) -> Tool:
    """(2) and (3): the document, about this very binary.

    Raises:
        FormatError: it cannot be read.
        TrustError: `registry.wrong-binary`.
    """
    from atip.model.reading.decode import decode

    tool = decode(data).tool
    check_binary(tool, digest)
    if not tool.name:
        raise FormatError("registry.shim", "the shim has no tool name")
    return tool
