"""Text for people: colours, tables, plurals, cleaning. No decisions.

Everything that came from outside passes `clean` before it reaches a terminal.
"""

from __future__ import annotations

import os

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
    """`text` in a style, where colours are wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if ctx.color else text


def clean(text: str, *, newlines: bool = False) -> str:
    """Text from outside without anything that could move the cursor, hide or reorder words.

    # SECURITY: escape, control, bidi, zero-width, tag and private-use characters become visible
    marks, so that a description cannot forge what a person reads.
    """
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    category = unicodedata.category
    return "".join(_clean_character(character, newlines, category(character)) for character in text)


def _clean_character(character: str, newlines: bool, category: str) -> str:
    if character == "\n":
        return "\n" if newlines else " "
    if character == "\t":
        return " "
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\u{{{ord(character):x}}}"
    return character


def width_of(ctx: Context) -> int:
    """Columns of the terminal; 80 when there is none."""
    if not ctx.is_tty:
        return 80
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        return 80


def shorten(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where cut."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def table(rows: Sequence[Sequence[str]], *, indent: str = "  ", width: int = 80) -> list[str]:
    """Rows as aligned columns; the last column takes what is left of the line."""
    if not rows:
        return []
    columns = max(len(row) for row in rows)
    widths = [
        max((len(row[i]) for row in rows if i < len(row)), default=0) for i in range(columns - 1)
    ]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[i]) if i < len(widths) else cell for i, cell in enumerate(row)]
        head = indent + "  ".join(cells[:-1]) + ("  " if len(cells) > 1 else "")
        lines.append((head + shorten(cells[-1], max(10, width - len(head)))).rstrip())
    return lines


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 tool`, `1,204 tools`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
