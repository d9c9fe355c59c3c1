"""Context: what a verb can use besides its own options.

Has the two streams, whether output is a terminal, and the toolbox, created on first use.
stdout is the result; everything else goes to stderr.
"""

from __future__ import annotations

import os
import sys

from atip.errors import NeedsConfirmation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from atip.toolbox import Toolbox


class Context:
    """Passed to every verb's `run`."""

    def __init__(
        self,
        *,
        out: TextIO | None = None,
        err: TextIO | None = None,
        stdin: TextIO | None = None,
        as_json: bool = False,
        color: str = "auto",
    ) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.stdin = stdin or sys.stdin
        self.as_json = as_json
        self.is_tty = self.out.isatty()
        self.color = _wants_color(color, self.is_tty)
        self._app: Toolbox | None = None

    @property
    def app(self) -> Toolbox:
        """The toolbox of this user."""
        if self._app is None:
            from atip.toolbox import Toolbox

            self._app = Toolbox()
        return self._app

    def print(self, text: str = "") -> None:
        """Print one line of the result; wrapped at words on a terminal, elsewhere unchanged."""
        self.out.write(_fit(text, self.is_tty) + "\n")

    def print_document(self, text: str) -> None:
        """Print a result for copying or for a program: never wrapped."""
        self.out.write(text + "\n")

    def note(self, text: str) -> None:
        """Print one line to stderr: progress, warnings. Never part of the result."""
        self.err.write(_fit(text, self.err.isatty()) + "\n")

    def emit(self, document: object) -> None:
        """Print the result as exactly one JSON document."""
        if not self.is_tty:  # a program reads: the quick writer will do
            from atip.model.reading.plain_json import dumps

            self.out.write(dumps(document, allow_nan=False) + "\n")
            return
        import json

        self.out.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    def emit_pieces(self, pieces: Iterable[bytes | memoryview]) -> None:
        """Print the result as exactly one JSON document from encoded pieces; a large one is not copied."""
        if (self.out.encoding or "").lower() != "utf-8" or not hasattr(self.out, "buffer"):
            self.out.write("".join(bytes(piece).decode() for piece in pieces) + "\n")
            return
        self.out.flush()
        for piece in (*pieces, b"\n"):
            self.out.buffer.write(piece)
        self.out.buffer.flush()

    def confirm(self, question: str) -> bool:
        """Ask the user on the terminal.

        Raises:
            NeedsConfirmation: when there is no terminal.
        """
        if not (self.stdin.isatty() and self.err.isatty()):
            raise NeedsConfirmation(
                "consent.no-terminal",
                "this needs confirmation, and there is no terminal",
                hint="run it in a terminal",
            )
        self.err.write(f"{question} [y/N] ")
        self.err.flush()
        return self.stdin.readline().strip().lower() in ("y", "yes")


def _fit(text: str, is_tty: bool) -> str:
    if not is_tty or len(text) <= 40:
        return text
    from atip.cli.wrapping import columns, fit

    return fit(text, columns())


def _wants_color(choice: str, is_tty: bool) -> bool:
    if choice in ("always", "never"):
        return choice == "always"
    return is_tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
