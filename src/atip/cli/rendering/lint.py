"""Findings as text, as JSON and as SARIF 2.1.0. Pure rendering: nothing is read, nothing decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.cli.output import clean, count, paint
from atip.model.lint.fix import is_conservative, replacement
from atip.model.lint.rules.table import RULES
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.cli.context import Context
    from atip.model.lint.findings import LintFinding
    from atip.model.reading.positions import Positions, TextRange

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_COLORS = {"error": "red", "warning": "yellow", "info": "blue"}


class LintedFile(Value):
    """One file with its findings, and the positions of its values (None for YAML)."""

    file: str
    findings: tuple[LintFinding, ...] = ()
    positions: Positions | None = None
    fixed: int = 0
    """Findings that `--fix` repaired; they are no longer in `findings`."""

    def number_of(self, severity: str) -> int:
        return sum(1 for finding in self.findings if finding.severity == severity)

    def place(self, finding: LintFinding) -> TextRange | None:
        return self.positions.place(finding.parts) if self.positions is not None else None


def render_text(
    results: Sequence[LintedFile], ctx: Context, *, quiet: bool = False
) -> Iterator[str]:
    """Lines, grouped by file; `quiet` shows errors only."""
    for result in results:
        visible = [f for f in result.findings if f.severity == "error" or not quiet]
        if visible:
            yield paint(ctx, clean(result.file), "bold")
            for finding in visible:
                yield from _lines(result, finding, ctx)
    totals = [
        count(sum(result.number_of(severity) for result in results), noun)
        for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "note"))
    ]
    repaired = sum(result.fixed for result in results)
    fixable = sum(1 for r in results for f in r.findings if f.edit is not None)
    tail = f"; {repaired} repaired" if repaired else ""
    tail += f"; {fixable} can be repaired with --fix" if fixable else ""
    yield f"{count(len(results), 'file')}: {', '.join(totals)}{tail}"


def _lines(result: LintedFile, finding: LintFinding, ctx: Context) -> Iterator[str]:
    place = result.place(finding)
    where = f"{place.line}:{place.column}" if place else "-"
    label = paint(ctx, finding.severity, _COLORS[finding.severity])
    path = clean(finding.path)
    yield f"  {where:>7}  {label}  {path}: {clean(finding.message)} [{finding.rule}]"
    if finding.hint:
        yield f"           {clean(finding.hint)}"


def render_json(results: Sequence[LintedFile]) -> dict[str, object]:
    """The `--json` document; its shape is pinned by a test."""
    return {
        "files": [
            {
                "file": result.file,
                "errors": result.number_of("error"),
                "warnings": result.number_of("warning"),
                "notes": result.number_of("info"),
                "fixed": result.fixed,
                "findings": [_json(result, finding) for finding in result.findings],
            }
            for result in results
        ],
        "errors": sum(result.number_of("error") for result in results),
        "warnings": sum(result.number_of("warning") for result in results),
        "notes": sum(result.number_of("info") for result in results),
    }


def _json(result: LintedFile, finding: LintFinding) -> dict[str, object]:
    document = finding.to_json()
    place = result.place(finding)
    if place is not None:
        document.update(
            line=place.line, column=place.column, endLine=place.end_line, endColumn=place.end_column
        )
    return document


def render_sarif(results: Sequence[LintedFile], version: str) -> dict[str, object]:
    """SARIF 2.1.0 with rules, regions and fixes, for code-scanning services."""
    names = list(RULES)
    rules = [
        {
            "id": name,
            "shortDescription": {"text": rule.summary},
            "defaultConfiguration": {"level": _LEVELS[rule.levels[1] or "warning"]},
            "properties": {"category": rule.category},
        }
        for name, rule in RULES.items()
    ]
    sarif_results = [
        _result(result, finding, names) for result in results for finding in result.findings
    ]
    run = {
        "tool": {"driver": {"name": "atip", "semanticVersion": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": sarif_results,
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(result: LintedFile, finding: LintFinding, names: list[str]) -> dict[str, Any]:
    artifact = {"uri": _uri(result.file)}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    place = result.place(finding)
    if place is not None:
        physical["region"] = _region(place)
    text = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    document: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": clean(text)},
        "locations": [
            {
                "physicalLocation": physical,
                "logicalLocations": [{"fullyQualifiedName": clean(finding.path)}],
            }
        ],
    }
    change = _replacement(result, finding)
    if change is not None:
        document["fixes"] = [
            {
                "description": {"text": "safe, mechanical repair"},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}],
            }
        ]
    return document


def _replacement(result: LintedFile, finding: LintFinding) -> dict[str, Any] | None:
    if finding.edit is None or result.positions is None or not is_conservative(finding.edit):
        return None
    change = replacement(result.positions, finding.edit)
    if change is None:
        return None
    start, end, text = change
    region = _region(result.positions.range(start, end))
    return {"deletedRegion": region, "insertedContent": {"text": text}}


def _region(place: TextRange) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _uri(file: str) -> str:
    from urllib.parse import quote

    return "stdin" if file == "-" else quote(file.removeprefix("./"))
