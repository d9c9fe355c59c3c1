"""Columns: where the explanations of a list start, and lists that stand side by side."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from atip.inference.help.layout.page import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = re.compile(r" {2,}")
_SECOND = re.compile(r" {2,4}-(?=[A-Za-z0-9]{1,2} )")


def popular_columns(lines: Sequence[Line]) -> frozenset[int]:
    """Columns at which the explanations of several rows start."""
    counts: Counter[int] = Counter()
    for line in lines:
        if line.cells is not None or line.text[0] not in "-[":
            continue
        for gap in _GAP.finditer(line.raw, line.indent, min(len(line.raw), 200)):
            if line.raw[gap.end() : gap.end() + 1] not in ("-", "<", "["):
                counts[gap.end()] += 1
                break
    least = max(2, sum(counts.values()) // 12)
    return frozenset(column for column, count in counts.items() if count >= least)


def in_columns(line: Line, columns: frozenset[int]) -> bool:
    return any(gap.end() in columns for gap in _GAP.finditer(line.raw, line.indent, 200))


def split_columns(lines: list[Line]) -> list[Line]:
    """Tables with two definitions side by side: the right half follows the left as its own line."""
    counts: Counter[int] = Counter()
    rows = [
        line for line in lines if line.cells is None and line.text[0] == "-" and len(line.raw) < 200
    ]
    for line in rows:
        for match in _SECOND.finditer(line.raw, line.indent + 4):
            if line.raw[line.indent : match.start()].strip().count(" ") >= 1:
                counts[match.end() - 1] += 1
    column = next((column for column, count in counts.most_common(1) if count >= 3), 0)
    if not column or counts[column] * 2 < len(rows):
        return lines
    split: list[Line] = []
    for line in lines:
        raw = line.raw
        if (
            line.cells is None
            and raw[column - 2 : column] == "  "
            and raw[column : column + 1] == "-"
        ):
            split.append(Line(line.number, raw[:column].rstrip(), after_blank=line.after_blank))
            split.append(Line(line.number, raw[: line.indent] + raw[column:], after_blank=False))
        else:
            split.append(line)
    return [line for line in split if line.text]
