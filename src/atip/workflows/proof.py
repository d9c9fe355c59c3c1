"""Proof: cases of a tool, what they showed, and what is kept of it. One face for `workflows.run.cases` and `workflows.evidence`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.workflows.evidence import ObservedRow
    from atip.workflows.host import Host
    from atip.workflows.run.cases import CasesReport


class Proof:
    """For one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def cases(self, data: bytes) -> CasesReport:
        """Run the cases of a file; errors as `workflows.run.cases`."""
        from atip.workflows.run.cases import observe_cases

        return observe_cases(self._host, data)

    def examples(self, tool: str) -> CasesReport:
        """Find cases for a tool, and run them."""
        from atip.workflows.run.cases import observe_examples

        return observe_examples(self._host, tool)

    def save(self, report: CasesReport) -> str:
        """Keep what was seen as evidence of this very file; returns the path."""
        from atip.workflows.run.cases import save_evidence

        return save_evidence(self._host, report.evidence)

    def rows(self, tool: str, path: str | None = None) -> tuple[ObservedRow, ...]:
        """What was observed of a tool, here or by our own proof run."""
        from atip.workflows.evidence import observed_rows
        from atip.workflows.lookup import on_path

        return observed_rows(self._host.places, tool, path or on_path(tool) or None)
