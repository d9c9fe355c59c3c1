"""Verdict: what we verified about a binary and its description, step by step.

A `Trust` is what a document claims about itself; policy never reads it, only a Verdict. Values only: the
procedure that makes one is in `trust.procedure`. Implements ATIP 0.6 §3.2.2 with A21.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal

from atip.model.value import Value

if TYPE_CHECKING:
    Outcome = Literal["passed", "failed", "unchecked", "absent"]
    Recommendation = Literal["block", "confirm", "sandbox", "execute"]
    Capability = Literal["attested", "matched", "mismatched", "unknown"]


class TrustLevel(enum.Enum):
    """The five levels of §3.2.2; the values are the words that policy rules use.

    SECURITY: not an IntEnum. `level <= UNSIGNED` would let UNVERIFIED and PROVENANCE_FAIL pass as if they were
    better than unsigned; levels can only be compared for equality.
    """

    COMPROMISED = "compromised"
    UNSIGNED = "unsigned"
    UNVERIFIED = "unverified"
    PROVENANCE_FAIL = "provenance-fail"
    VERIFIED = "verified"

    @property
    def number(self) -> int:
        """The number in the specification; for reports, not for comparing."""
        return list(TrustLevel).index(self)


SLSA_TRUST = ("untrusted", "low", "medium", "high", "full")
"""SLSA level 0 to 4 → how far a provenance is trusted."""


class VerificationStep(Value):
    """One numbered step of a verification."""

    name: str
    """Stable slug, such as `signature.log`."""
    outcome: Outcome
    """`absent`: there was nothing to check; `unchecked`: there was, and it could not be or was not."""
    code: str = ""
    """Reason, such as `trust.digest-mismatch`; empty when passed."""
    message: str = ""

    def to_json(self, number: int) -> dict[str, object]:
        return {
            "number": number,
            "step": self.name,
            "outcome": self.outcome,
            "code": self.code,
            "message": self.message,
        }


class Verdict(Value):
    """Security (may these bytes be trusted) apart from capability (do they match the description)."""

    level: TrustLevel
    recommendation: Recommendation
    steps: tuple[VerificationStep, ...] = ()
    capability: Capability = "unknown"
    """Whether the description is of this very binary; `attested`: and signed by a signer of ours. Says nothing
    about who made the binary."""
    signer: str = ""
    """Identity or key name that signed, as configured by us; empty when no signer was verified."""
    attested_by: str = ""
    """Signer of the description of these bytes; empty if no trusted signer signed it."""
    slsa_level: int = 0
    """Derived from what was verified, never copied from a document (A19)."""
    builder: str = ""
    source: str = ""
    """Of a verified provenance; empty when none was verified."""

    @property
    def provenance_trust(self) -> str:
        """Meaning of the derived SLSA level, in words (A19)."""
        return SLSA_TRUST[max(0, min(self.slsa_level, len(SLSA_TRUST) - 1))]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Codes of everything that did not pass, in order, without repetition."""
        return tuple(dict.fromkeys(step.code for step in self.steps if step.code))

    def to_json(self) -> dict[str, object]:
        """JSON-ready form, used by `verify --json` and by the audit record."""
        return {
            "security": {
                "level": self.level.name,
                "number": self.level.number,
                "recommendation": self.recommendation,
                "signer": self.signer or None,
                "attestedBy": self.attested_by or None,
                "slsaLevel": self.slsa_level,
                "provenanceTrust": self.provenance_trust,
                "builder": self.builder or None,
                "source": self.source or None,
            },
            "capability": self.capability,
            "reasons": list(self.reasons),
            "steps": [step.to_json(number) for number, step in enumerate(self.steps, 1)],
        }
