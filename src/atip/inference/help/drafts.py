"""Drafts: options while a help text is read. Values only; `options` fills them and builds options from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class OptionDraft:
    """An option while its evidence is collected."""

    __slots__ = (
        "conflicts",
        "equals",
        "flags",
        "group",
        "guessed",
        "lines",
        "negatable",
        "optional_value",
        "paragraphs",
        "part",
        "raw",
        "repeat",
        "required",
        "text",
        "truncated",
        "value",
    )  # fmt: skip

    def __init__(self, flags: Sequence[str], lines: tuple[int, int], part: str) -> None:
        self.flags = list(flags)
        self.lines = lines
        self.part = part
        """Part of the page that has it: `definition`, `usage` or `prose`."""
        self.value: str | None = None
        self.raw = ""
        self.optional_value = self.repeat = self.negatable = self.truncated = False
        self.required = self.guessed = False
        self.equals = False
        """The value is written with `=`."""
        self.text = self.paragraphs = self.group = ""
        self.conflicts: list[str] = []
