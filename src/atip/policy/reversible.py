"""Reversible: whether version control can undo everything that a command writes. Data and one rule.

    (1) the program writes only what its words name: a short list, with the options that keep it so
    (2) every word that may be a file lies in the workspace, below a folder under version control
    (3) what exists there already is recorded by version control as it is now; what does not exist is new

The caller checks (2) and (3) in the file system. A program that is not on the list still asks, or is confined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.invocation import UNKNOWN_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.policy.command_context import CommandContext

    Restorable = Callable[[str], bool]
    """Whether an absolute path lies in a version-controlled workspace and is new or recorded there as it is."""

_WRITES_NAMED = {
    "touch": "-a -c -m --no-create",
    "mkdir": "-p -v --parents --verbose",
    "cp": "-f -n -p -v --force --no-clobber --preserve --verbose",
    "mv": "-f -n -v --force --no-clobber --verbose",
    "tee": "-a --append",
    "sed": "-i -E -r --in-place --regexp-extended",
    "black": "-q -l --quiet --line-length",
    "isort": "-q --quiet",
    "gofmt": "-w -s",
}
"""Program → options with which it still writes its operands and nothing else."""
_PRINTS = frozenset(
    ("echo", "printf", "cat", "head", "tail", "sort", "uniq", "cut", "tr", "grep", "jq", "wc", "ls", "date", "diff", "seq", "nl", "column")
)  # fmt: skip
"""Programs that only print: what they write is what the shell redirects."""
_WRITES_ITSELF = ("-o", "--o", "-i")
"""Prefixes of options that make such a program write a file: `sort -oX`."""


def is_reversible(subject: CommandContext, restorable: Restorable) -> bool:
    """Whether all that the command writes can be restored from version control."""
    if not subject.paths or any(UNKNOWN_TEXT in word for word in (*subject.argv, *subject.paths)):
        return False
    if not _names_what_it_writes(subject):
        return False
    return all(not _is_pattern(path) and restorable(path) for path in subject.paths)


def _names_what_it_writes(subject: CommandContext) -> bool:
    options_used = [word for word in subject.argv[1:] if word[:1] == "-" and len(word) > 1]
    if (subject.tool, *subject.path) == ("git", "add"):
        return not options_used
    if subject.tool in _PRINTS:
        return not any(word.startswith(_WRITES_ITSELF) for word in options_used)
    options = _WRITES_NAMED.get(subject.tool)
    if options is None or not set(options_used) <= set(options.split()):
        return False
    return subject.tool != "sed" or _is_substitution(_first_operand(subject))


def _first_operand(subject: CommandContext) -> str:
    return next((word for word in subject.argv[1:] if word[:1] != "-"), "")


def _is_substitution(script: str) -> bool:
    """`s/x/y/`, `s|x|y|g`: three equal marks, and letters that only choose what is replaced.

    SECURITY: `s/x/y/w FILE`, `w FILE` and `e` do more than change the operands.
    """
    if len(script) < 4 or script[0] != "s" or script[1].isalnum():
        return False
    parts = script[2:].split(script[1])
    return len(parts) == 3 and set(parts[2]) <= set("gI0123456789") and "\n" not in script


def _is_pattern(path: str) -> bool:
    return any(mark in path for mark in "*?[")
