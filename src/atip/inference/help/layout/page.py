"""Page: help text as numbered lines, free of terminal decoration.

First stage of the help parser. Strips ANSI and overstrike sequences, expands tabs, cuts what is
beyond any real help text, and turns boxed tables (rich, typer) into plain rows. It does not know
what an option is. Everything here is one pass over the text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from atip.inference.help.layout.line import Line as Line

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CHARS = 4_000_000
MAX_LINES = 30_000
MAX_LINE = 20_000
"""Beyond these the text is cut; `Page.cut` says so. The largest manual pages stay below."""

# SECURITY: classes on both sides of each repetition are disjoint, so matching is linear.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]"
)
_CONTROLS = re.compile(r"[\x00-\x07\x0b-\x1f\x7f\u200b\u200e\u200f\ufeff]")
_NEWLINES = re.compile(r"\r\n|\r|\v|\f|\u2028|\u0085")
_OVERSTRIKE = re.compile(r"[^\n\b]\x08")


_MANUAL = re.compile(r"(\S{1,80}\(\d\w{0,4}\)).*\1$")


def is_manual_head(text: str) -> bool:
    """`LS(1)   User Commands   LS(1)`, above and below a formatted manual page."""
    return _MANUAL.match(text[:200]) is not None


class Page:
    """All non-blank lines of one text."""

    __slots__ = ("cut", "lines", "manual")

    def __init__(self, lines: Sequence[Line], *, cut: bool) -> None:
        self.lines = list(lines)
        self.cut = cut
        """The text was longer than any help text and its end was not read."""
        self.manual = bool(lines) and is_manual_head(lines[0].text)
        """A formatted manual page: its sections describe more than the command line."""


def read_page(text: str) -> Page:
    """Any text → lines. Never fails; a text of blanks has no lines."""
    from atip.inference.help.layout.boxes import unbox

    cut = len(text) > MAX_CHARS
    rows = clean(text[:MAX_CHARS]).split("\n")
    lines: list[Line] = []
    blank = True
    for number, row in enumerate(rows, 1):
        if not row or row.isspace():
            blank = True
            continue
        if len(lines) >= MAX_LINES:
            cut = True
            break
        if len(row) > MAX_LINE:
            row, cut = row[:MAX_LINE], True
        lines.append(Line(number, _plain_flags(_columns(row)), after_blank=blank))
        blank = False
    return Page(_join_hyphens(unbox(lines)), cut=cut)


_REPEATS = re.compile(r"^( *-(\w))(?:\|\2+){1,3}(?=, --)")
_THOR = re.compile(r"^ *(?:-\w, +)?\[--[\w-]+(?:=[^\[\]]{1,200})?\](?:, \[--[\w-]+\])? *(?:# |$)")
_TYPED_SET = re.compile(r"^( *-[^{}:]{1,60} )[A-Z]\w{0,30}:\{([^{}]{1,300})\} (?=\S|$)")
_OPTIONAL = re.compile(r"^( +)\[(-[^\[\]]{1,100})\](\.\.\.)?(?=  +[A-Za-z(])")
_THOR_NOTE = re.compile(r"^ {20,}# (?=Default: |Possible values: )")


def _plain_flags(row: str) -> str:
    """Rows of frameworks with marks of their own, in the plain form and with the same columns.

    `-v|vv|vvv, --verbose` (Symfony), `-c, [--config=FILE]   # …` (Thor), `--mode VALUE:{fast, slow} How` (plumbum) and
    `[-n, --limit LIMIT]  How many` (cappa).
    """
    start = row[:12].lstrip()
    if start.startswith(("-", "[-")):
        if "|" in row[:20]:
            row = _REPEATS.sub(lambda match: match[1], row)
        if ":{" in row[:100] and (match := _TYPED_SET.match(row[:400])) is not None:
            plain = f"{match[1]}{{{match[2].replace(', ', ',')}}}"
            return plain.ljust(match.end()) + row[match.end() :]
        match = _THOR.match(row[:400])
        if match is not None:
            plain = match[0].replace("[", " ").replace("]", " ").replace("#", " ")
            plain = re.sub(r"(--[\w-]+) , +(--no-)", r"\1, \2", plain)
            return plain.ljust(match.end()) + row[match.end() :]
        if (match := _OPTIONAL.match(row[:400])) is not None:
            plain = f"{match[1]} {match[2]} {match[3] or ''}"
            return plain + row[match.end() :]
    elif "# " in row[20:200] and (note := _THOR_NOTE.match(row[:200])) is not None:
        return " " * note.end() + row[note.end() :]
    return row


def clean(text: str) -> str:
    """Without escape sequences, overstrikes and control characters; line ends are `\\n`."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\x08" in text:
        # `b\bb` is bold and `_\bb` underlined: what was printed last stays.
        text = _OVERSTRIKE.sub("", text).replace("\x08", "")
    text = _NEWLINES.sub("\n", text)
    return _CONTROLS.sub("", text)


def _columns(row: str) -> str:
    if "\t" in row:
        row = row.expandtabs(8)[:MAX_LINE]
    return row.replace("\u00a0", " ").rstrip()


def _join_hyphens(lines: list[Line]) -> list[Line]:
    """`con‐` + `tent` of formatted manual pages → `content`; the line count does not change."""
    for upper, lower in pairwise(lines):
        if upper.raw.endswith("\u2010") and not lower.after_blank and lower.cells is None:
            head, _, rest = lower.text.partition(" ")
            upper.raw = upper.raw[:-1] + head
            upper.text = upper.raw.strip()
            lower.text = rest.strip()
            lower.raw = " " * lower.indent + lower.text
    return [line for line in lines if line.text]
