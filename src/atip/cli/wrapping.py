"""Text for the width of the terminal: wraps between words, leaves indented lines unchanged."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NARROWEST = 20
_DEFAULT = 80


def columns() -> int:
    """Width of the terminal: `COLUMNS`, else the real width, or 80 without a terminal."""
    width = _configured_columns()
    for stream in (1, 2):  # the result may go elsewhere while a person sees the rest
        if width:
            break
        try:
            width = os.get_terminal_size(stream).columns
        except (OSError, ValueError):
            continue
    return max(width or _DEFAULT, NARROWEST)


def _configured_columns() -> int:
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isdecimal() else 0


def fit(text: str, width: int) -> str:
    """Break lines longer than `width` between words, and indent the rest; styles do not count."""
    lines = text.split("\n")
    if max(map(len, lines)) <= width:
        return text
    return "\n".join(part for line in lines for part in _broken(line, width))


def _broken(line: str, width: int) -> Iterable[str]:
    import re

    styles = re.compile("\x1b\\[[0-9;]*m")
    if len(styles.sub("", line)) <= width:
        yield line
        return
    bare = line.lstrip(" ")
    indent = " " * (len(line) - len(bare))
    below = indent + "  "
    current, used = "", 0
    for word in re.split("( +)", bare):
        size = len(styles.sub("", word))
        if used and not word.isspace() and len(indent) + used + size > width:
            yield indent + current.rstrip(" ")
            indent, current, used = below, "", 0
        current = current + word if used else word
        used += size
    yield indent + current.rstrip(" ")


def wrap_text(text: str, width: int) -> str:
    """Fill paragraphs to a width; indented lines are examples and stay unchanged."""
    import textwrap

    filled = []
    for paragraph in text.strip("\n").split("\n\n"):
        is_example = all(line.startswith("  ") for line in paragraph.split("\n"))
        plain = " ".join(paragraph.split())
        filled.append(paragraph if is_example else textwrap.fill(plain, width, break_long_words=False, break_on_hyphens=False))  # fmt: skip
    return "\n\n".join(filled)


def wrap_rows(rows: Iterable[tuple[str, str]], name_width: int, width: int) -> Iterable[str]:
    """`  name  text` lines, the text wrapped beside its name, or below it where the terminal is narrow."""
    import textwrap

    beside = name_width + 4
    indent = beside if width - beside >= NARROWEST else 6
    for name, text in rows:
        head = f"  {name.ljust(name_width)}  "
        lines = textwrap.wrap(text, max(width - indent, NARROWEST), break_long_words=False, break_on_hyphens=False)  # fmt: skip
        if indent == beside:
            yield head + (lines[0] if lines else "")
            yield from (" " * indent + line for line in lines[1:])
        else:
            yield head.rstrip()
            yield from (" " * indent + line for line in lines)
