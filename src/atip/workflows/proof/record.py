"""Proof: run the cases of a tool, and save or read evidence. Facade for `workflows.proof.cases` and `workflows.proof.evidence`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atip.workflows.host import Host
    from atip.workflows.proof.cases import CasesReport
    from atip.workflows.proof.evidence import ObservedRow


class Proof:
    """Cases and evidence of one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def cases(self, data: bytes) -> CasesReport:
        """Run the cases of a file; errors as `workflows.proof.cases`."""
        from atip.workflows.proof.cases import observe_cases

        return observe_cases(self._host, data)

    def examples(self, tool: str) -> CasesReport:
        """Generate cases for a tool, and run them."""
        from atip.workflows.proof.cases import observe_examples

        return observe_examples(self._host, tool)

    def save(self, report: CasesReport) -> str:
        """Save the observations as evidence of exactly this file; returns the path."""
        from atip.workflows.proof.cases import save_evidence

        return save_evidence(self._host, report.evidence)

    def rows(self, tool: str, path: str | None = None) -> tuple[ObservedRow, ...]:
        """Observations of a tool, local or from our own proof run."""
        from atip.workflows.lookup import on_path
        from atip.workflows.proof.evidence import observed_rows

        return observed_rows(self._host.places, tool, path or on_path(tool) or None)
