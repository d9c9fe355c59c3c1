"""Lint: find what is unwise, contradictory or malicious in a valid document.

Pure. Rules are rows of `lint.rules.table.RULES`; each is a small function that reads an Index and yields
hits. Severity and options come from a LintConfig. Facts about the machine are
passed as LintFacts. Implements the list of the public reference and more (docs/formats/lint-rules.md).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from atip.model.lint.config import RECOMMENDED, LintConfig
from atip.model.lint.findings import Edit, LintFacts, LintFinding, RuleHit
from atip.model.lint.index import DocumentIndex
from atip.model.lint.rules.table import RULES, check_of
from atip.model.problems import render_path
from atip.model.reading.encode import encode

if TYPE_CHECKING:
    from atip.model.tool import Tool

__all__ = ["RECOMMENDED", "Edit", "LintConfig", "LintFacts", "LintFinding", "lint", "lint_tool"]

_NO_FACTS = LintFacts()
MAX_FINDINGS = 1_000
"""Per rule: a document made to flood one rule can neither fill a terminal nor hide another rule."""


def lint(
    document: dict[str, Any], *, config: LintConfig = RECOMMENDED, facts: LintFacts | None = None
) -> tuple[LintFinding, ...]:
    """All findings in a raw metadata document or shim, in the order of the document."""
    index = DocumentIndex(document)
    findings: list[LintFinding] = []
    for name in RULES:
        severity, options = config.setting_of(name)
        if severity is None:
            continue
        hits = check_of(name)(index, options, facts or _NO_FACTS)
        findings += [_finding(name, severity, hit) for hit in islice(hits, MAX_FINDINGS)]
        if next(hits, None) is not None:
            more = RuleHit(
                parts=(), message=f"more than {MAX_FINDINGS:,} findings; the rest is not shown"
            )
            findings.append(_finding(name, severity, more))
    order = _order(document)
    findings.sort(key=lambda finding: order(finding.parts))
    return tuple(findings)


def lint_tool(tool: Tool, *, config: LintConfig = RECOMMENDED) -> tuple[LintFinding, ...]:
    """The same for a Tool, as its document would be written."""
    return lint(encode(tool), config=config)


def _finding(rule: str, severity: Any, hit: RuleHit) -> LintFinding:
    return LintFinding(
        rule=rule,
        severity="info" if hit.is_note else severity,
        parts=hit.parts,
        path=render_path(hit.parts),
        message=hit.message,
        hint=hit.hint,
        edit=hit.edit,
    )


def _order(document: dict[str, Any]) -> Any:
    """Sort key: position of each step among its siblings, so that findings follow the file."""
    ranks: dict[int, dict[str, int]] = {}

    def key(parts: tuple[str | int, ...]) -> tuple[int, ...]:
        value: Any = document
        places = []
        for part in parts:
            if isinstance(part, str):
                if not isinstance(value, dict):
                    break
                if id(value) not in ranks:
                    ranks[id(value)] = {name: number for number, name in enumerate(value)}
                places.append(ranks[id(value)].get(part, len(value)))
                value = value.get(part)
            else:
                places.append(part)
                value = value[part] if isinstance(value, list) and part < len(value) else None
        return tuple(places)

    return key
