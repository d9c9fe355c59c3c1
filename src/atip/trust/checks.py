"""Check: the outcome of one cryptographic question, with the steps that led to it. Pure values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import TrustError
from atip.model.value import Value
from atip.model.verdict import VerificationStep

if TYPE_CHECKING:
    from atip.model.verdict import Outcome

EMPTY: dict[str, str] = {}


class Check(Value):
    """Whether something verified. `outcome` is the contract, `steps` are the explanation."""

    outcome: Outcome
    steps: tuple[VerificationStep, ...] = ()
    signer: str = ""
    payload: bytes = b""
    """Content of a DSSE envelope; empty unless passed."""
    payload_type: str = ""
    certificate: dict[str, str] = EMPTY
    """Facts of the verified certificate: `identity`, `issuer`, `source`, `runner`; empty for keys."""
    slsa_level: int = 0
    builder: str = ""
    source: str = ""

    @property
    def code(self) -> str:
        """Reason of the first step that did not pass."""
        return next((step.code for step in self.steps if step.code), "")


class StepFailure(Exception):
    """A step failed; carries it."""

    def __init__(self, step: VerificationStep) -> None:
        super().__init__(step.message)
        self.step = step


def failed(name: str, code: str, message: str, before: tuple[VerificationStep, ...] = ()) -> Check:
    step = VerificationStep(name=name, outcome="failed", code=code, message=message)
    return Check(outcome="failed", steps=(*before, step))


def unchecked(name: str, code: str, message: str) -> Check:
    step = VerificationStep(name=name, outcome="unchecked", code=code, message=message)
    return Check(outcome="unchecked", steps=(step,))


def passed(name: str, message: str = "") -> VerificationStep:
    return VerificationStep(name=name, outcome="passed", message=message)


def missing_extra(package: str) -> TrustError:
    """The packages that check signatures are not installed here."""
    return TrustError(
        "trust.missing-extra",
        f"signatures cannot be checked without the package `{package}`",
        hint="pip install 'atip-cli[verify]'",
    )
