"""Text for people: colors, tables, plurals, cleaning. No decisions.

Everything that came from outside passes `clean` before it reaches a terminal.
"""

from __future__ import annotations

from atip.cli.wrapping import NARROWEST, columns
from atip.model.text.visible_text import clean as clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.cli.context import Context

_STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}


def paint(ctx: Context, text: str, style: str) -> str:
    """`text` in a style, where colors are enabled."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if ctx.color else text


WIDEST = 30  # one long name must not push the last column of every row to the edge
UNLIMITED = 1 << 20  # a pipe has no width: nothing is cut or wrapped there


def width_of(ctx: Context) -> int:
    """Columns of the terminal; `UNLIMITED` where the output is not a terminal."""
    return columns() if ctx.is_tty else UNLIMITED


def shorten(text: str, width: int) -> str:
    """At most `width` characters, cut after a word where that is possible, with an ellipsis."""
    if len(text) <= width:
        return text
    head = text[: max(0, width - 1)]
    word_end = head.rfind(" ")
    return (head[:word_end] if word_end > width // 2 else head).rstrip(" ,;:") + "…"


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` columns, broken between words; `indent` before every line but the first."""
    if len(text) <= width:
        return [text]
    import textwrap

    return textwrap.wrap(
        text,
        max(20, width),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(
    rows: Sequence[Sequence[str]], *, indent: str = "  ", width: int = 80, wrapped: bool = False
) -> list[str]:
    """Rows as aligned columns; the last column gets the rest of the line, and is cut or wrapped there."""
    if not rows:
        return []
    columns = max(len(row) for row in rows)
    widths = [
        min(max((_size(row[i]) for row in rows if i < len(row)), default=0), WIDEST)
        for i in range(columns - 1)
    ]
    lines: list[str] = []
    for row in rows:
        cells = [
            cell + " " * (widths[i] - _size(cell)) if i < len(widths) else cell
            for i, cell in enumerate(row)
        ]
        head = indent + "  ".join(cells[:-1]) + ("  " if len(cells) > 1 else "")
        if len(cells) > 1 and width - _size(head) < NARROWEST:
            lines.extend(_below(row, indent, width, wrapped))
            continue
        room = max(NARROWEST, width - _size(head))
        parts = wrap(cells[-1], room) if wrapped else [shorten(cells[-1], room)]
        lines.extend(
            ((head if number == 0 else " " * _size(head)) + part).rstrip()
            for number, part in enumerate(parts or [""])
        )
    return lines


def _size(text: str) -> int:
    """Display width of a text, without styles."""
    if "\x1b" not in text:
        return len(text)
    import re

    return len(re.sub("\x1b\\[[0-9;]*m", "", text))


def _below(row: Sequence[str], indent: str, width: int, wrapped: bool) -> list[str]:
    """A row whose last column does not fit beside the others: it goes below them."""
    first = [cell.rstrip() for cell in row[:-1] if cell]
    inner = indent + "    "
    room = max(NARROWEST, width - len(inner))
    parts = wrap(row[-1], room) if wrapped else [shorten(row[-1], room)]
    lines = [indent + part for part in wrap("  ".join(first), width - len(indent))]
    return [*lines, *(inner + part for part in parts if part)]


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 tool`, `1,204 tools`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
