"""Terminal: questions on the user's own terminal, secrets without echo. Implements AIP-29 "Surface adapters".

The caller passes the streams; questions are cleaned of control characters before they are shown.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TextIO

from atip.bundles.surfaces.interface import PromptQuestion, cancellation, settle
from atip.codecs.providers.safety import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_TRIES = 5


class TerminalSurface:
    """A person at a terminal."""

    name = "terminal"
    can_ask = True

    def __init__(
        self, reader: TextIO, writer: TextIO, *, browse: Callable[[str], bool] | None = None
    ) -> None:
        """
        Args:
            browse: opens an address in the user's browser and returns whether it could; None: the address is only shown.
        """
        self._reader = reader
        self._writer = writer
        self._browse = browse

    def ask(self, question: PromptQuestion) -> str:
        """
        Raises:
            AtipError: `setup.cancelled` at the end of input or after five invalid answers.
        """
        if question.description:
            self.show(question.description)
        for at, (value, label) in enumerate(question.options, 1):
            self.show(f"  {at}. {label}" + (f" ({value})" if label != value else ""))
        for _ in range(MAX_TRIES):
            line = self._line(question)
            if line is None:
                break
            answer = settle(question, line)
            if answer is not None:
                return answer
            self.show("not a valid answer; try again")
        raise cancellation(question)

    def _line(self, question: PromptQuestion) -> str | None:
        default = f" [{clean_text(question.default)}]" if question.default is not None else ""
        kind = " (y/n)" if question.type == "boolean" else ""
        self._writer.write(f"{clean_text(question.text)}{kind}{default}: ")
        self._writer.flush()
        with _no_echo(self._reader) if question.type == "secret" else contextlib.nullcontext():
            line = self._reader.readline()
        if question.type == "secret":
            self._writer.write("\n")
        return line or None

    def show(self, text: str) -> None:
        self._writer.write(clean_text(text) + "\n")
        self._writer.flush()

    def open(self, url: str) -> None:
        self.show(f"open this address: {url}")
        if self._browse is not None:
            self._browse(url)

    @contextlib.contextmanager
    def keyboard(self) -> Iterator[int]:
        """Keys one by one (`typed_keys`); -1: not a terminal."""
        from atip.system.programs.terminal import typed_keys

        try:
            handle = self._reader.fileno()
        except (OSError, ValueError):
            handle = -1
        with typed_keys(handle) as typed:
            yield typed

    def close(self) -> None:
        return


@contextlib.contextmanager
def _no_echo(reader: TextIO):  # type: ignore[no-untyped-def]
    """Turn off echo; streams that are not a terminal have none."""
    import termios

    try:
        handle = reader.fileno()
        before = termios.tcgetattr(handle)
    except (OSError, ValueError, termios.error):
        yield
        return
    quiet = before.copy()
    quiet[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(handle, termios.TCSAFLUSH, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSAFLUSH, before)
