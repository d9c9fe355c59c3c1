"""Cursor over a shell line: position, bounds, blanks, comments, here-documents. Refuses what bash refuses."""

from __future__ import annotations

from atip.calls.shell.tree import Piece, Redirect, Word
from atip.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

MAX_LINE = 100_000
MAX_DEPTH = 100
MAX_NODES = 3_000
"""Parts of a line. SECURITY: a line with more is refused at once, before it costs time."""
MAX_PIECES = 8_000
"""Quoted and plain pieces of all words: `'a''a'` has two. SECURITY: the same."""
META = frozenset(" \t\n|&;()<>")


def refuse(why: str, at: int = -1, *, unclosed: str = "") -> NoReturn:
    """Raise `shell.syntax`; the message says what is wrong.

    Args:
        unclosed: the quote that has no end: every shell refuses such a line.
    """
    where = f" (at character {at + 1})" if at >= 0 else ""
    raise FormatError(
        "shell.syntax",
        f"cannot parse the line as bash would: {why}{where}",
        hint="a line that cannot be parsed is never allowed",
        details={"unclosed": unclosed} if unclosed else None,
    )


class Cursor:
    """Shared parts of the word grammar and the command grammar."""

    def __init__(self, text: str, depth: int = 0, budget: list[int] | None = None) -> None:
        self.text, self.size, self.at = text, len(text), 0
        self.depth = depth
        self.budget = budget if budget is not None else [MAX_NODES, MAX_PIECES]
        self.pending: list[tuple[Redirect, str, bool, bool]] = []
        """Here-documents whose bodies begin behind the next newline: (where, end, tabs, quoted)."""

    # --- bounds ----------------------------------------------------------------------------------

    def enter(self) -> None:
        """One level deeper. SECURITY: a bomb of brackets must cost neither stack nor time."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            refuse(f"nested deeper than {MAX_DEPTH} levels", self.at)

    def leave(self) -> None:
        self.depth -= 1

    def spend(self) -> None:
        self.budget[0] -= 1
        if self.budget[0] < 0:
            refuse(f"more than {MAX_NODES} parts", self.at)

    def check_pieces(self, count: int) -> None:
        """Refuse a word of more pieces than are left."""
        if count > self.budget[1]:
            refuse(f"more than {MAX_PIECES} pieces of words", self.at)

    # --- characters ------------------------------------------------------------------------------

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def take(self, token: str) -> bool:
        """Consume `token` if it is next."""
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.take(token):
            refuse(f"`{token}` is missing", self.at)

    def blank(self) -> None:
        """Skip spaces, joined lines and a comment; a newline stays."""
        text = self.text
        while self.at < self.size:
            char = text[self.at]
            if char in " \t":
                self.at += 1
            elif char == "\\" and text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#" and self._starts_token():
                end = text.find("\n", self.at)
                self.at = self.size if end < 0 else end
            else:
                return

    def _starts_token(self) -> bool:
        """`#` begins a comment only where a word could begin; behind `\\`-newline a word may go on."""
        if self.at == 0:
            return True
        before = self.text[self.at - 1]
        if before == "\n" and self.text[self.at - 2 : self.at - 1] == "\\":
            refuse("a comment behind a joined line", self.at)
        return before in META

    def newlines(self) -> bool:
        """Skip blanks and newlines, reading the here-documents that begin there."""
        skipped = False
        self.blank()
        while self.peek() == "\n":
            self.at += 1
            skipped = True
            self.bodies()
            self.blank()
        return skipped

    # --- here-documents --------------------------------------------------------------------------

    def bodies(self) -> None:
        """Read the bodies of all pending here-documents."""
        waiting, self.pending = self.pending, []
        for redirect, end, tabs, quoted in waiting:
            lines: list[str] = []
            while True:
                if self.at >= self.size:
                    refuse(f"the here-document `{end}` has no end", self.at)
                stop = self.text.find("\n", self.at)
                line = self.text[self.at : self.size if stop < 0 else stop]
                after = self.size if stop < 0 else stop + 1
                stripped = line.lstrip("\t") if tabs else line
                if stripped == end:
                    # the newline behind the end word also ends the command
                    self.at = after
                    break
                self.at = after
                lines.append(stripped + "\n")
            redirect.word = self.here_word("".join(lines), quoted)

    def here_word(self, body: str, quoted: bool) -> Word:
        """The text of a here-document; the word grammar adds expansions."""
        return Word([Piece("text", body, quoted=True)], body)
