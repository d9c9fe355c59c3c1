"""The question on the command line: `--agent`, and the words that belong to it.

Implements ATIP 0.6 §3.1 and §3.1.1.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FLAG = "--agent"
HELP = "print what this program can do as JSON for AI agents (ATIP) and exit"
USAGE = "usage: --agent [--commands=NAME,…] [--depth=N]"


def question(words: Sequence[str]) -> list[str] | None:
    """The words that belong to `--agent`, or None if the command line is not a question to us.

    Only options may stand before it: after a command's name it is that command's own affair.
    """
    if FLAG not in words:
        return None
    before: list[str] = []
    for position, word in enumerate(words):
        if word == FLAG:
            return [*before, *words[position + 1 :]]
        if word == "--" or not word.startswith("-"):
            return None
        if word.startswith(("--commands=", "--depth=")):
            before.append(word)
    return None


def parse_request(words: Sequence[str]) -> tuple[list[str], int | None]:
    """`--commands=a,b --depth 2` → what to show.

    Raises:
        ValueError: for anything else.
    """
    commands: list[str] = []
    depth: int | None = None
    rest = list(words)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        if flag not in ("--commands", "--depth") or not (equals or rest):
            raise ValueError(f"`{flag[:40]}` is not understood with --agent; {USAGE}")
        value = value if equals else rest.pop(0)
        if flag == "--commands":
            commands.append(value)
        elif value.isascii() and value.isdigit() and 0 < len(value) < 5 and int(value):
            depth = int(value)
        else:
            raise ValueError(f"--depth needs a number of 1 or more; {USAGE}")
    return commands, depth
