"""Rows: definition lists whose terms are not flags – commands, arguments.

Splits each row into term and explanation by the columns that the rows of a section share. What
a term means is read in `help/commands.py` and `help/arguments.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from atip.inference.help.layout.entries import MAX_TERM, Definition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section

_GAP = re.compile(r" {2,}")


def find_rows(section: Section, lines: Sequence[Line]) -> list[Definition]:
    """Definitions whose term is not a flag: commands, arguments, choices, variables."""
    base = min((line.indent for line in lines), default=0)
    columns = _row_columns(lines)
    definitions: list[Definition] = []
    for line in lines:
        if line.cells is not None:
            cells = [cell for cell in line.cells if cell and cell != "*"]
            if cells:
                right = line.cells[-1] if len(cells) > 1 else ""
                left = "  ".join(cells[: len(cells) - 1] if right else cells)
                definitions.append(Definition(line, left, right, len(left) + 2, section))
            continue
        last = definitions[-1] if definitions else None
        if last is not None and last.column and line.indent >= last.column > last.indent:
            last.extend(line)
            continue
        if last is not None and line.indent > last.indent and not _is_table_row(line, columns):
            last.extend(line)
            continue
        left, right, column = split_row(line, columns)
        if not right and line.indent > base and last is not None and line.indent > last.indent:
            last.extend(line)
            continue
        definitions.append(Definition(line, left, right, column, section))
    return definitions


def _row_columns(lines: Sequence[Line]) -> frozenset[int]:
    counts: Counter[int] = Counter()
    for line in lines:
        gap = _GAP.search(line.raw, line.indent, min(len(line.raw), 200))
        if gap is not None and line.cells is None:
            counts[gap.end()] += 1
    least = max(1, sum(counts.values()) // 8)
    return frozenset(column for column, count in counts.items() if count >= least)


def _is_table_row(line: Line, columns: frozenset[int]) -> bool:
    gap = _GAP.search(line.raw, line.indent, min(len(line.raw), 200))
    return gap is not None and gap.end() in columns


def split_row(line: Line, columns: frozenset[int]) -> tuple[str, str, int]:
    """Term, explanation and its column of a row that does not start with a flag."""
    raw, start = line.raw, line.indent
    gap = _GAP.search(raw, start, min(len(raw), MAX_TERM))
    if gap is not None:
        return raw[start : gap.start()], raw[gap.end() :], gap.end()
    for column in sorted(columns):
        if start < column < len(raw) and raw[column - 1] == " " and raw[column] != " ":
            left = raw[start : column - 1].rstrip()
            if left.count(" ") < 2 or any(char in left for char in "<[{="):
                return left, raw[column:], column
    for mark in (": ", " : ", " - ", " -- ", " – ", " — "):
        at = raw.find(mark, start, start + 120)
        if at > 0:
            return raw[start:at].rstrip(), raw[at + len(mark) :].strip(), at + len(mark)
    return raw[start:], "", 0
