"""Fields: the words that a word becomes while it is resolved."""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.commands import ShellWord, TextOrigin
from atip.calls.shell.cursor import refuse
from atip.calls.shell.tree import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_TEXT = 20_000
MAX_ORIGINS = 64
"""SECURITY: `x=$x$x` a few dozen times must cost neither memory nor time."""


class Fields:
    """Words under construction."""

    def __init__(self) -> None:
        self.words: list[ShellWord] = []
        self.text: list[str] = []
        self.pattern: list[str] = []
        self.origins: list[TextOrigin] = []
        self.many = False
        self.any = False
        """Whether the current field exists even if it is empty."""

    def add(self, text: str, pattern: str | None = None) -> None:
        self.text.append(text)
        self.pattern.append(text if pattern is None else pattern)
        self.any = True

    def unknown(self, origins: Sequence[TextOrigin], *, many: bool) -> None:
        self.add(UNKNOWN_TEXT)
        self.origins += origins
        self.many = self.many or many

    def close(self, raw: str) -> None:
        if self.any:
            text = "".join(self.text)
            if len(text) > MAX_TEXT:
                refuse(f"a word of more than {MAX_TEXT:,} characters")
            origins = tuple(dict.fromkeys(self.origins))
            if len(origins) > MAX_ORIGINS:
                origins = (TextOrigin(kind="later"),)
            self.words.append(
                ShellWord(
                    text=text, raw=raw, pattern="".join(self.pattern), origins=origins,
                    many=self.many,
                )
            )  # fmt: skip
        self.text, self.pattern, self.origins = [], [], []
        self.many = self.any = False


def as_quoted(piece: Piece) -> Piece:
    """The piece where bash neither splits nor globs."""
    return Piece(
        piece.kind, piece.text, quoted=True, name=piece.name, op=piece.op, nested=piece.nested,
        script=piece.script,
    )  # fmt: skip
