"""Parts of a parsed shell line: commands, words, and origins of text that is only known at run time."""

from __future__ import annotations

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT
from atip.model.value import Value

ANY_FILE, ANY_CHAR = "\1", "\2"
"""In `ShellWord.pattern`: a glob's `*` (no slash), and one character; `UNKNOWN_TEXT` is anything."""


class TextOrigin(Value):
    """Origin of text that is only known when the line runs.

    `kind`: `glob` (names of files), `variable` (the environment), `output` (of `commands`), `input` (read
    from what `commands` print; none: from a file), `process` (a pipe), `argument` (`$1`), `number`,
    `derived` (cut out of known `texts`), `choice` (one of `texts`), `later` (set elsewhere in the line).
    """

    kind: str
    name: str = ""
    commands: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()


class ShellWord(Value):
    """One word, or with `many` any number of words."""

    text: str
    raw: str = ""
    pattern: str = ""
    """Like `text`, but with globs marked; for comparing with paths."""
    origins: tuple[TextOrigin, ...] = ()
    many: bool = False

    @property
    def is_static(self) -> bool:
        return UNKNOWN_TEXT not in self.text

    @property
    def argument(self) -> str:
        """The word for the argv parser."""
        return ANY_WORDS if self.many and self.text == UNKNOWN_TEXT else self.text


class ShellRedirect(Value):
    """`kind`: `read`, `write`, `append`, `readwrite`, `here`, `copy`."""

    kind: str
    target: ShellWord


class ShellAssignment(Value):
    """A variable set before a command (or alone)."""

    name: str
    value: ShellWord


class ShellCommand(Value):
    """A simple command. `words` may be empty: only assignments or redirections."""

    words: tuple[ShellWord, ...] = ()
    assignments: tuple[ShellAssignment, ...] = ()
    redirects: tuple[ShellRedirect, ...] = ()
    feed: tuple[int, ...] | None = None
    """Commands whose output this one reads through a pipe; None: no pipe."""
    variables: tuple[str, ...] = ()
    """Variables of the environment whose values are put into the words; `!` is one with an unknown name."""
    sets: tuple[str, ...] = ()
    """Variables that get a value in another way than by assignment (`read`, `for`, `${x:=…}`); empty text: one with an unknown name."""
    code: tuple[str, ...] = ()
    """Reasons why unknown code may run here, whatever the command is."""
    text: str = ""
    """As written, for display."""

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.argument for word in self.words)


class ShellLine(Value):
    """All commands of a line, in the order in which they are written."""

    text: str
    commands: tuple[ShellCommand, ...] = ()
    functions: tuple[str, ...] = ()
    """Names that the line itself defines."""
    direct: bool = False
    """One argv that no shell reads: its first word names a program, never a builtin."""
