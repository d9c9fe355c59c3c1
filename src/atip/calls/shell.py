"""Shell line → commands: every simple command that a bash line may run, with its words resolved.

`parse_shell` reads the line strictly (`shell_reader`), then resolves words (`shell_resolve`): quoting is
undone, braces are expanded, variables that the line itself sets to one known text are put in. What the
shell only fills in later is `UNKNOWN_TEXT`, and `Origin` says where it will come from. Runs nothing,
reads no file, judges nothing. Order of execution is not modelled: every command counts as run.
"""

from __future__ import annotations

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT
from atip.calls.shell_cursor import MAX_LINE, refuse
from atip.model.value import Value

ANY_FILE, ANY_CHAR = "\1", "\2"
"""In `ShellWord.pattern`: a glob's `*` (no slash), and one character; `UNKNOWN_TEXT` is anything."""


class Origin(Value):
    """Where text comes from that is not known before the line runs.

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
    origins: tuple[Origin, ...] = ()
    many: bool = False

    @property
    def is_static(self) -> bool:
        return UNKNOWN_TEXT not in self.text

    @property
    def argument(self) -> str:
        """The word as the argv parser wants it."""
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
    """Variables of the environment whose values are put into the words; `!` is one nobody can name."""
    sets: tuple[str, ...] = ()
    """Variables that get a value in another way than by assignment (`read`, `for`, `${x:=…}`); empty text: one nobody can name."""
    code: tuple[str, ...] = ()
    """Reasons why unknown code may run here, whatever the command is."""
    text: str = ""
    """As written, for people."""

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.argument for word in self.words)


class ShellLine(Value):
    """All commands of a line, in the order in which they are written."""

    text: str
    commands: tuple[ShellCommand, ...] = ()
    functions: tuple[str, ...] = ()
    """Names that the line itself defines."""


def parse_shell(line: str, *, home: str = "~", cwd: str = "") -> ShellLine:
    """Read a line.

    Args:
        home: what `~` and `$HOME` become.
        cwd: what `$PWD` becomes; empty: not known.

    Raises:
        FormatError: `shell.syntax`; nothing else is ever raised.
    """
    check_characters(line)
    from atip.calls.shell_reader import ShellReader
    from atip.calls.shell_resolve import resolve

    try:
        nodes = ShellReader(line).script("")
        commands, functions = resolve(nodes, home=home, cwd=cwd)
    except RecursionError:
        refuse("nested too deeply")
    return ShellLine(text=line, commands=commands, functions=functions)


def check_characters(line: str) -> None:
    """SECURITY: control characters rewrite what a person sees, invisible ones hide a word's end: such a
    line is not what it looks like.

    Raises:
        FormatError: `shell.syntax`.
    """
    if len(line) > MAX_LINE:
        refuse(f"longer than {MAX_LINE:,} characters")
    if line.isascii():
        if any((char < " " and char not in "\t\n") or char == "\x7f" for char in line):
            refuse("a control character")
        return
    import unicodedata

    for at, char in enumerate(line):
        if char in "\t\n" or " " <= char < "\x7f":
            continue
        category = unicodedata.category(char)
        if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"):
            refuse("an invisible or control character", at)
