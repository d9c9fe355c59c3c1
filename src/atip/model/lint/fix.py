"""Repairs: only safe, mechanical ones, on values or on the text of a file.

SECURITY: no repair may make a document declare less danger. The only fact that is ever added is
`reversible: false`; a rule that proposes anything else beside it is refused here, not just in review.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.lint.findings import Edit, LintFinding
    from atip.model.reading.positions import Positions


def apply_fixes(document: dict[str, Any], findings: Iterable[LintFinding]) -> dict[str, Any]:
    """A copy of the document with every applicable edit made; the document itself is untouched."""
    fixed: dict[str, Any] = json.loads(json.dumps(document))
    for edit in select_edits(findings):
        holder: Any = fixed
        for part in edit.parts[:-1]:
            holder = _child(holder, part)
        last = edit.parts[-1]
        is_there = _child(holder, last) is not None
        if is_there == (edit.action == "replace") and holder is not None:
            holder[last] = edit.value
    return fixed


def fixed_text(positions: Positions, findings: Iterable[LintFinding]) -> str:
    """The text with the same edits made in place; everything else stays as it was written."""
    changes = [replacement(positions, edit) for edit in select_edits(findings)]
    text = positions.text
    for start, end, new in sorted((change for change in changes if change), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def replacement(positions: Positions, edit: Edit) -> tuple[int, int, str] | None:
    """One edit as (start, end, new text), or None if its place is not there."""
    value = json.dumps(edit.value, ensure_ascii=False)
    if edit.action == "replace":
        span = positions.span(edit.parts)
        return (*span, value) if span else None
    span = positions.span(edit.parts[:-1])
    if span is None or positions.span(edit.parts):
        return None
    member = f"{json.dumps(edit.parts[-1], ensure_ascii=False)}: {value}"
    last = positions.last_member(edit.parts[:-1])
    if last is None:
        return span[0] + 1, span[0] + 1, member
    before = positions.text[span[0] : last[0]]
    line = before.rfind("\n")
    blank = before[line + 1 :]
    separator = f",\n{blank}" if line >= 0 and not blank.strip() else ", "
    return last[1], last[1], separator + member


def select_edits(findings: Iterable[LintFinding]) -> list[Edit]:
    """One edit per place, conservative ones only; the rest waits for the next round."""
    edits: dict[tuple[str | int, ...], Edit] = {}
    for finding in findings:
        if finding.edit is not None and is_conservative(finding.edit):
            edits.setdefault(finding.edit.parts, finding.edit)
    return list(edits.values())


def is_conservative(edit: Edit) -> bool:
    """Whether an edit adds no claim: text for text, or the dangerous value of a fact."""
    if edit.action == "add":
        return edit.parts[-1] == "reversible" and edit.value is False
    return isinstance(edit.value, str)


def _child(holder: Any, part: str | int) -> Any:
    if isinstance(holder, dict):
        return holder.get(part)
    if isinstance(holder, list) and isinstance(part, int) and part < len(holder):
        return holder[part]
    return None
