"""Report of a scan: counts, reasons, warnings; includes what was skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.discovery.files.directories import Directories
from atip.discovery.files.executables import Executables
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.discovery.sources.source_order import SourceFinding


class ScanPlan(Value):
    """Programs that a scan would execute."""

    program_count: int
    commands: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "found": self.program_count,
            "executes": [list(command) for command in self.commands],
        }


class ScanReport:
    """Grows while a scan runs; `summary` is what is shown and remembered."""

    def __init__(self, directories: Directories, executables: Executables) -> None:
        self.directories = directories
        self.executables = executables
        self.ran: set[str] = set()
        """Paths of the programs that were executed, however often."""
        self.by_source: dict[str, int] = {}
        self.unknown = 0
        self.removed: list[str] = []
        """Names that are no longer there."""
        self.refusals: list[dict[str, str]] = []
        self.warnings: list[dict[str, str]] = []
        self._remembered: dict[str, Any] | None = None

    @classmethod
    def unchanged(cls, summary: dict[str, Any]) -> ScanReport:
        """Nothing changed since the scan that wrote `summary`; nothing was executed."""
        report = cls(Directories(), Executables())
        report._remembered = {**summary, "executed": 0, "unchanged": True}
        return report

    def add_finding(self, name: str, finding: SourceFinding | None) -> None:
        if finding is None:
            self.unknown += 1
        else:
            self.by_source[finding.source_kind] = self.by_source.get(finding.source_kind, 0) + 1

    def add_unchanged(self, source_kind: str) -> None:
        """A tool that has not changed; `source_kind` is empty if it is known by name only."""
        if source_kind:
            self.by_source[source_kind] = self.by_source.get(source_kind, 0) + 1
        else:
            self.unknown += 1

    def add_refusal(self, name: str, code: str, message: str) -> None:
        self.refusals.append({"name": name, "code": code, "message": message})

    def warn(self, name: str, code: str) -> None:
        self.warnings.append({"name": name, "code": code})

    def unreadable(self, path: str) -> None:
        self.warnings.append({"name": path, "code": "file.unreadable"})

    def summary(self) -> dict[str, Any]:
        """JSON-ready."""
        if self._remembered is not None:
            return self._remembered
        reasons: dict[str, int] = {}
        for skipped in self.executables.skipped:
            reasons[skipped.reason] = reasons.get(skipped.reason, 0) + 1
        return {
            "found": len(self.executables.programs),
            "sources": dict(sorted(self.by_source.items())),
            "unknown": self.unknown,
            "executed": len(self.ran),
            "unchanged": False,
            "removed": self.removed[:200],
            "refused": self.refusals[:200],
            "warnings": self.warnings[:200],
            "shadowed": [item.to_json() for item in self.executables.shadowed[:200]],
            "skipped": {
                "directories": [item.to_json() for item in self.directories.skipped],
                "files": dict(sorted(reasons.items())),
            },
        }


SOURCES = {
    "override": "your own overrides",
    "native": "answered --agent",
    "shim": "shims by hash",
    "adapter": "CLI.md and CMP adapters",
    "framework": "framework introspection",
    "completion": "completion scripts",
    "help": "help texts",
    "man": "man pages",
    "knowledge": "curated knowledge only",
    "summary": "one-line summary only",
}
WARNINGS = {
    "probe.name-mismatch": "reports another name; stored under its file name",
    "probe.changed-answer": "reports different metadata than before for the same file; the old metadata is kept",
    "probe.file-changed": "changed while it was probed; scan again",
    "file.unreadable": "cannot be read",
}


def render_summary(summary: dict[str, Any]) -> str:
    """The summary as plain text; stored with the scan, so that an unchanged scan prints it again."""
    described = sum(summary["sources"].values())
    executed = summary["executed"]
    lines = [
        f"{summary['found']:,} tool{'' if summary['found'] == 1 else 's'} found, {described:,} described, "
        f"{executed:,} program{'' if executed == 1 else 's'} executed"
        + (" (nothing changed)" if summary["unchanged"] else "")
    ]
    lines += [
        f"{number:>6,}  {SOURCES[source_kind]}"
        for source_kind, number in summary["sources"].items()
    ]
    if summary["unknown"]:
        lines.append(
            f"{summary['unknown']:>6,}  known by name and hash only (`atip scan --learn` asks them)"
        )
    if summary.get("removed"):
        lines.append(f"{len(summary['removed']):>6,}  no longer there, forgotten")
    skipped = summary["skipped"]
    lines += [f"{number:>6,}  not scanned: {reason}" for reason, number in skipped["files"].items()]
    lines += [
        f"        directory skipped: {directory['path']} ({directory['reason']})"
        for directory in skipped["directories"]
    ]
    if summary["shadowed"]:
        lines.append(f"{len(summary['shadowed']):>6,}  shadowed by an earlier directory")
    if summary["refused"]:
        names = ", ".join(refusal["name"] for refusal in summary["refused"][:6])
        lines.append(f"{len(summary['refused']):>6,}  looked native but gave no metadata: {names}")
    for warning in summary["warnings"]:
        lines.append(f"        {warning['name']}: {WARNINGS.get(warning['code'], warning['code'])}")
    return "\n".join(line if line.isprintable() else ascii(line)[1:-1] for line in lines)
