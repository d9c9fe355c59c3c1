"""Names that cannot be commands: keys of a pager or an editor, exit codes, words of a sentence. Pure.

A help text or a manual page calls many things commands: what one types into `less`, the language of `sed` or a shell, a key table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from atip.model.tool import Command, Tool

FEW = 3
"""A shorter list of single characters may be anything."""
MANY = 20
"""Commands that other sources list, from which on …"""
MOST = 1.0
"""… a manual page that lists so many times more describes something else beside them (key tables, formats, a language)."""
_KEY = re.compile(r"(?:ESC|C|M|S|Ctrl|Alt|Meta|Shift)-\S{1,10}|\^\S|[\W_]{1,3}|.", re.I)


def are_keys(names: Collection[str]) -> bool:
    """Whether a list is one of keys: most of it are single characters, or `ESC-x`, `C-x`, `^X`."""
    keys = sum(_KEY.fullmatch(name) is not None for name in names)
    return len(names) >= FEW and 2 * keys > len(names)


def may_be_command(name: str) -> bool:
    """Whether a name in a manual page can be that of a command; headings, first words of sentences, exit codes and keys cannot."""
    return not (
        name[:1].isupper()
        or name.isdigit()
        or "." in name
        or len(name) == 1
        or _KEY.fullmatch(name)
    )


def without_other_lists(manual: Tool, known: Mapping[str, Command] | None) -> Tool:
    """A manual page without the commands that the help or a completion script does not have, where its list is evidently one of
    something else: it has few of theirs, or far more than they have."""
    names = set(manual.commands or ())
    listed = set(known or ()) | {
        alias for command in (known or {}).values() for alias in command.aliases or ()
    }
    shared = names & listed
    is_other = 2 * len(shared) < min(len(listed), len(names))
    is_more = len(listed) >= MANY and len(names - listed) > MOST * len(listed)
    if not listed or not (is_other or is_more):
        return manual
    commands = {name: one for name, one in (manual.commands or {}).items() if name in listed}
    return manual.replace(commands=commands or None)
