"""Lumps: a file that stands for many programs may not call their other flags harmless by accident.

`rest: harmless` is a promise about every flag that is not listed. In a file of one program it is made
once; in a file with many `aliases` it is made for each of them, and the one member that writes with
`-o` or runs its `-e` slips through unseen. So a file with read-only commands, many aliases and
`rest: harmless` must also have `audited: aliases`: each member was checked on its own.
Pure. What a guard does with the facts is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 3
"""From this number of aliases on a file is a lump."""

LOOKING = frozenset(("nothing", "reads", "stdin", "input", "tty", "prompts", "runs"))
"""Effect words of a line that a guard may allow unasked."""

SAYS_NOTHING_ELSE = frozenset(("repeats", "reversible", "irreversible"))
"""Words about a second run or the way back: they neither add nor take away a danger."""


def find_unaudited(document: dict[str, object]) -> str | None:
    """Problem with the statement `audited` of a file, in one sentence; None if there is none.

    The statement is also refused where it has no effect: a file without such a promise must not look
    as if one had been checked.
    """
    aliases = str(document.get("aliases") or "").split()
    lump = len(aliases) >= MANY and _promises(document) and _looks(document)
    statement = document.get("audited")
    if statement not in (None, "aliases"):
        return "the only value of `audited` is `aliases`"
    if lump and statement is None:
        return (
            f"{len(aliases)} aliases share `rest: harmless`: look at the flags of each, split the file"
            " where they differ, then write `audited: aliases`"
        )
    if statement and not lump:
        return f"`audited` is for files with {MANY} or more aliases, `rest: harmless` and a way to look"
    return None


def _promises(source: object) -> bool:
    if isinstance(source, dict):
        return source.get("rest") == "harmless" or any(map(_promises, source.values()))
    return False


def _looks(document: dict[str, object]) -> bool:
    return any(_only_looks(line) for line in _profiles(document))


def _profiles(source: object) -> Iterator[str]:
    """Every `does` of a file: of the tool, its commands, its modes and its rules."""
    if isinstance(source, list):
        for item in source:
            yield from _profiles(item)
    if not isinstance(source, dict):
        return
    for key, value in source.items():
        if key == "does":
            yield str(value)
        elif key == "commands" and isinstance(value, dict):
            yield from (line for line in value.values() if isinstance(line, str))
            yield from _profiles(list(value.values()))
        elif key in ("options", "when"):
            yield from _profiles(list(value.values()) if isinstance(value, dict) else value)


def _only_looks(line: str) -> bool:
    words = line.partition(" -- ")[0].split()
    return all(word.rstrip("?") in LOOKING | SAYS_NOTHING_ELSE for word in words)
