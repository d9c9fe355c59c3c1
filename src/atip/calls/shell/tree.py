"""The small tree that the shell reader builds: pieces of words, words, redirections, commands.

Plain records with slots instead of Values: a long line has thousands of them, they live for one judgment
and never leave this package (`line.py` turns them into Values).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Piece:
    """A part of a word.

    `kind`: `text`; `tilde`; `variable` (`name`, `op`, `nested` pieces of its operand and subscript);
    `output` (`$(…)`, backticks: `script`); `process` (`<(…)`: `script`); `arithmetic` (`nested`,
    `name` holds the identifiers).
    """

    __slots__ = ("kind", "name", "nested", "op", "quoted", "script", "text")

    def __init__(
        self,
        kind: str,
        text: str = "",
        *,
        quoted: bool = False,
        name: str = "",
        op: str = "",
        nested: Sequence[Piece] = (),
        script: Sequence[ShellNode] = (),
    ) -> None:
        self.kind, self.text, self.quoted = kind, text, quoted
        self.name, self.op, self.nested, self.script = name, op, nested, script


class Word:
    """Pieces in order, and the text as written."""

    __slots__ = ("pieces", "raw")

    def __init__(self, pieces: list[Piece], raw: str) -> None:
        self.pieces, self.raw = pieces, raw

    @property
    def literal(self) -> str | None:
        """The text, if it is one unquoted text; what a keyword must be."""
        if len(self.pieces) == 1 and self.pieces[0].kind == "text" and not self.pieces[0].quoted:
            return self.pieces[0].text
        return None

    @property
    def static(self) -> str | None:
        """The text with its quotes undone, if nothing in it is filled in later."""
        if any(piece.kind != "text" for piece in self.pieces):
            return None
        return "".join(piece.text for piece in self.pieces)


class Redirect:
    """`kind`: `read`, `write`, `append`, `readwrite`, `here` (text in `word`), `copy` (of a descriptor).
    `variable` is set by `{variable}>file`."""

    __slots__ = ("kind", "variable", "word")

    def __init__(self, kind: str, word: Word) -> None:
        self.kind, self.word = kind, word
        self.variable = ""


class Assignment:
    """`name=word`, `name+=word`, or an array; `subscript` pieces of `name[…]=`."""

    __slots__ = ("append", "array", "declared", "name", "subscript", "word")

    def __init__(
        self, name: str, word: Word, *, append: bool, array: list[Word] | None,
        subscript: Sequence[Piece] = (),
    ) -> None:  # fmt: skip
        self.name, self.word, self.append, self.array = name, word, append, array
        self.subscript = subscript
        self.declared = False
        """An operand of `export` and the like, which also becomes a word."""


class ShellNode:
    """A command.

    `kind` `simple`: `assignments`, `words`. `pipeline`: `parts` are its stages, one node each. Others are
    compounds: `group subshell background if while for select case function test arithmetic coproc`, with lists of
    commands in `parts`, words (list of a loop, subject and patterns, operands) in `words`, and `name`.
    """

    __slots__ = ("assignments", "kind", "name", "parts", "redirects", "words")

    def __init__(
        self, kind: str, *, parts: list[list[ShellNode]] | None = None, words: list[Word] | None = None,
        name: str = "", assignments: list[Assignment] | None = None,
        redirects: list[Redirect] | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.name = kind, name
        self.parts = parts if parts is not None else []
        self.words = words if words is not None else []
        self.assignments = assignments if assignments is not None else []
        self.redirects = redirects if redirects is not None else []
