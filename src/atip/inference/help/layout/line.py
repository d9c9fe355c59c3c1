"""Line: one non-blank line of a help text."""

from __future__ import annotations


class Line:
    """One non-blank line. `raw` keeps columns; `text` is stripped of blanks at both ends."""

    __slots__ = ("after_blank", "cells", "indent", "number", "raw", "text", "title")

    def __init__(self, number: int, raw: str, *, after_blank: bool) -> None:
        self.number = number
        """1-based line number in the text as given."""
        self.raw = raw
        self.text = raw.strip()
        self.indent = len(raw) - len(raw.lstrip())
        self.after_blank = after_blank
        self.cells: tuple[str, ...] | None = None
        """Columns of a row of a boxed table; None outside of boxes."""
        self.title = False
        """The line is the title of a box."""

    def __repr__(self) -> str:
        return f"Line({self.number}, {self.raw!r})"
