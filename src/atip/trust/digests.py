"""Digests of bytes: sha256, sha384, sha512 and nothing else (A22). ATIP 0.6 §3.2.2 step 1."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from atip.model.text.digest import Digest, find_digest
from atip.model.value import Value
from atip.model.verdict import VerificationStep
from atip.trust.checks import Check, failed, passed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.tool import Trust

# SECURITY: a literal table; `hashlib.new(name)` with a name from a document would take md5 or shake_128.
_HASHES = {"sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


def digest_of(data: bytes, algorithm: str = "sha256") -> Digest:
    """The digest of some bytes; `algorithm` is one of the three."""
    return Digest(algorithm=algorithm, hex=_HASHES[algorithm](data).hexdigest())


class Artifact(Value):
    """The thing that is said to be signed: its digests, and its bytes where we have them."""

    digests: Mapping[str, Digest]
    data: bytes | None = None

    def matches(self, claimed: Digest) -> bool:
        """Whether the claimed digest is the one we computed with the same algorithm."""
        ours = self.digests.get(claimed.algorithm)
        return ours is not None and hmac.compare_digest(ours.hex, claimed.hex)


def artifact_of(subject: bytes | Digest) -> Artifact:
    """From bytes, with all three digests; or from a digest alone, as for a file too large to hold."""
    if isinstance(subject, Digest):
        return Artifact(digests={subject.algorithm: subject})
    return Artifact(digests={name: digest_of(subject, name) for name in _HASHES}, data=subject)


def verify_binary_integrity(binary: bytes, trust: Trust | None) -> Check:
    """Compare the binary with `trust.integrity.checksum` (Appendix A `verifyBinaryIntegrity`).

    No checksum is `absent`; one of another algorithm or form is `unchecked`: it proves nothing.
    """
    integrity = trust.integrity if trust is not None else None
    checksum = integrity.checksum if integrity is not None else None
    if checksum is None:
        step = VerificationStep(
            name="digest",
            outcome="absent",
            code="trust.no-checksum",
            message="no checksum is given",
        )
        return Check(outcome="absent", steps=(step,))
    claimed = find_digest(checksum)
    if claimed is None:
        step = VerificationStep(
            name="digest",
            outcome="unchecked",
            code="trust.digest-algorithm",
            message="the checksum is not sha256, sha384 or sha512",
        )
        return Check(outcome="unchecked", steps=(step,))
    actual = digest_of(binary, claimed.algorithm)
    if not hmac.compare_digest(actual.hex, claimed.hex):
        return failed(
            "digest",
            "trust.digest-mismatch",
            f"the binary is {actual}, the document says {claimed}",
        )
    return Check(outcome="passed", steps=(passed("digest", str(actual)),))
