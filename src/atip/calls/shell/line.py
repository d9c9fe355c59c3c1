"""Shell line → commands: every simple command that a bash line may run, with its words resolved.

`parse_shell` reads the line strictly (`reader`), then resolves words (`shell.expansion.resolve`): quoting is
undone, braces are expanded, variables that the line itself sets to one known text are put in. What the
shell only fills in later is `UNKNOWN_TEXT`, and `TextOrigin` says where it will come from. Runs nothing,
reads no file, judges nothing. Order of execution is not modelled: every command counts as run.
"""

from __future__ import annotations

from atip.calls.shell.commands import ANY_CHAR as ANY_CHAR
from atip.calls.shell.commands import ANY_FILE as ANY_FILE
from atip.calls.shell.commands import ShellAssignment as ShellAssignment
from atip.calls.shell.commands import ShellCommand as ShellCommand
from atip.calls.shell.commands import ShellLine as ShellLine
from atip.calls.shell.commands import ShellRedirect as ShellRedirect
from atip.calls.shell.commands import ShellWord as ShellWord
from atip.calls.shell.commands import TextOrigin as TextOrigin
from atip.calls.shell.cursor import MAX_LINE, refuse
from atip.calls.shell.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_shell(line: str, *, home: str = "~", cwd: str = "", inner: bool = False) -> ShellLine:
    """Read a line.

    Args:
        home: what `~` and `$HOME` become.
        cwd: what `$PWD` becomes; empty: not known.
        inner: the line stands inside of another one, which may have set any variable.

    Raises:
        FormatError: `shell.syntax`; nothing else is ever raised.
    """
    check_characters(line)
    from atip.calls.shell.expansion.resolve import resolve
    from atip.calls.shell.reader import ShellReader

    try:
        nodes = ShellReader(line).script("")
        commands, functions = resolve(nodes, home=home, cwd=cwd, inner=inner)
    except RecursionError:
        refuse("nested too deeply")
    return ShellLine(text=line, commands=commands, functions=functions)


def read_argv(argv: Sequence[str]) -> ShellLine:
    """An argv as the one command that it is: every word is literal, and nothing is read by a shell.

    Raises:
        FormatError: `shell.syntax`: a word has invisible characters, or all are too long; as for a line.
    """
    words = tuple(ShellWord(text=word, raw=quote(word), pattern=word) for word in argv)
    text = " ".join(word.raw for word in words)
    check_characters(text)
    return ShellLine(text=text, commands=(ShellCommand(words=words, text=text),), direct=True)


def check_characters(line: str) -> None:
    """Refuse control and invisible characters. SECURITY: they make a line differ from what a person
    sees.

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
