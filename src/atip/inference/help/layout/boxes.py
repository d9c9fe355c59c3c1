"""Boxes: tables drawn with line characters (rich, typer, rich-click) → rows of cells.

A box is a title line, rows between two borders, and a bottom line. Its columns are found from the
blanks that all rows share; a cell that was wrapped is joined again. Lines outside of boxes pass
through untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.line import Line

_SIDES = "│┃║"
_TOPS = "╭┌┏╔"
_BOTTOMS = "╰└┗╚"
_RULES = "─━═┄┈╌ ╮┐┓╗╯┘┛╝┬┳╦┴┻╩├┤┣┫┡┩╇╈┼╋"
MAX_BOX_ROWS = 2_000
MAX_ROWS = 4_000
"""Rows in all boxes of a page; later ones stay as they are."""


def unbox(lines: Sequence[Line]) -> list[Line]:
    """Lines with every box replaced by a title line and one line per row of the table."""
    if not any(line.text[0] in _TOPS or line.text[0] in _SIDES for line in lines):
        return list(lines)
    page: list[Line] = []
    rows: list[Line] = []
    blank = False
    count = 0
    for line in lines:
        first = line.text[0]
        if first in _SIDES and len(line.text) > 1 and count < MAX_ROWS:
            count += 1
            inner = _inner(line)
            inner.after_blank = blank
            blank = not inner.text
            if inner.text:
                rows.append(inner)
            if len(rows) < MAX_BOX_ROWS:
                continue
        if rows:
            page.extend(_table(rows))
            rows = []
        if first in _TOPS:
            title = line.text[1:].strip(_RULES)
            if title:
                _retitle(line, title)
                page.append(line)
        elif first not in _BOTTOMS and line.text.strip(_RULES):
            page.append(line)
    return page + _table(rows)


def _retitle(line: Line, title: str) -> None:
    line.raw = line.text = title if title.endswith(":") else title + ":"
    line.indent = 0
    line.after_blank = True
    line.title = True


def _inner(line: Line) -> Line:
    """The content between the two borders, with the left border's column kept as a blank."""
    raw = line.raw
    left = line.indent
    body = raw[left + 1 :].rstrip()
    if body and body[-1] in _SIDES:
        body = body[:-1]
    line.raw = " " * (left + 1) + body.rstrip()
    line.text = line.raw.strip()
    line.indent = len(line.raw) - len(line.raw.lstrip())
    return line


def _table(rows: list[Line]) -> list[Line]:
    rows = [row for row in rows if row.text.strip(_RULES + _SIDES)]
    table, prose = _without_prose(rows)
    if not table:
        return prose
    spans = _spans(table)
    grid = [[row.raw[start:end].strip(" " + _SIDES) for start, end in spans] for row in table]
    key = _key_column(grid)
    flags = sum(parts[key].startswith("-") for parts in grid) * 2 > sum(
        bool(parts[key]) for parts in grid
    )
    starts: list[Line] = []
    cells: list[str] = []
    for row, parts in zip(table, grid, strict=True):
        if not starts or _starts_row(parts, key, flags):
            if starts:
                _finish(starts[-1], cells)
            cells = parts
            starts.append(row)
        else:
            cells = [
                _append(cell, part, end - start)
                for cell, part, (start, end) in zip(cells, parts, spans, strict=True)
            ]
    _finish(starts[-1], cells)
    return prose + starts


def _without_prose(rows: list[Line]) -> tuple[list[Line], list[Line]]:
    """Rows of the table, and the paragraphs inside of the box that are not part of it."""
    table: list[Line] = []
    prose: list[Line] = []
    chunk: list[Line] = []
    left = min((row.indent for row in rows), default=0)
    for row in [*rows, None]:
        if row is not None and not (row.after_blank and chunk):
            chunk.append(row)
            continue
        is_prose = all(line.indent == left and "  " not in line.text for line in chunk)
        long = len(chunk) > 1 or any(len(line.text) > 40 for line in chunk)
        (prose if is_prose and long else table).extend(chunk)
        chunk = [row] if row is not None else []
    return table, prose


def _key_column(grid: list[list[str]]) -> int:
    """The column that names a row: the first that holds more than the mark of required ones."""
    for index in range(len(grid[0])):
        if any(parts[index].strip("*") for parts in grid):
            return index
    return 0


def _starts_row(parts: list[str], key: int, flags: bool) -> bool:
    if any(parts[:key]):
        return True
    if not flags:
        return bool(parts[key])
    lead = next((index for index, part in enumerate(parts) if part), 0)
    return parts[lead].startswith("-") and (lead == key or lead < len(parts) - 1)


def _append(cell: str, part: str, width: int) -> str:
    if not part:
        return cell
    if not cell:
        return part
    # A value list that filled its column was cut in the middle of a word.
    tail = cell.rsplit(" ", 1)[-1]
    folded = " " not in part and (
        (cell[0] in "[<{(" and len(tail) >= min(width, 8)) or cell.startswith("-")
    )
    return cell + ("" if folded or cell.endswith(("|", "-")) else " ") + part


def _finish(head: Line, cells: list[str]) -> None:
    head.cells = tuple(cells)
    head.after_blank = False
    head.text = "  ".join(cell for cell in cells if cell)
    head.raw = " " * head.indent + head.text


def _spans(rows: list[Line]) -> list[tuple[int, int]]:
    """Columns of the table: maximal runs without a gap of two columns blank in all rows."""
    width = max(len(row.raw) for row in rows)
    used = bytearray(width + 2)
    for row in rows:
        raw = row.raw
        for column in range(row.indent, len(raw)):
            char = raw[column]
            if char != " " and char not in _SIDES:
                used[column] = 1
    spans: list[tuple[int, int]] = []
    column = 0
    while column < width:
        if not used[column]:
            column += 1
            continue
        end = column
        while end < width and (used[end] or used[end + 1]):
            end += 1
        spans.append((column, end))
        column = end
    return spans
