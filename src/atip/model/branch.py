"""One branch of a large document: what a command line could mean, without the thousands of commands beside it.

Pure, on plain values, before anything is decoded: the AWS CLI has 19,000 commands, and decoding them takes seconds.
For use, not for telling: what is shown as a part of a tool says so itself (`view.py`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LARGE = 1_000
"""Commands on the first two levels from which on a document is worth cutting."""
_STAYS = ("description", "effects", "aliases", "hidden", "deprecated")


def branch_of(document: dict[str, Any], words: Iterable[str]) -> dict[str, Any]:
    """The document; where it is large and one of `words` names a command, the others keep their description only."""
    commands = document.get("commands")
    if not isinstance(commands, dict):
        return document
    wanted = {name for name, one in commands.items() if _is_meant(name, one, set(words))}
    if not wanted or _size(commands) < LARGE:
        return document
    cut = {name: one if name in wanted else _outline(one) for name, one in commands.items()}
    return {**document, "commands": cut}


def _is_meant(name: str, command: Any, words: set[str]) -> bool:
    aliases = command.get("aliases") if isinstance(command, dict) else None
    return name in words or (isinstance(aliases, list) and not words.isdisjoint(map(str, aliases)))


def _size(commands: dict[str, Any]) -> int:
    below = (one.get("commands") for one in commands.values() if isinstance(one, dict))
    return len(commands) + sum(len(one) for one in below if isinstance(one, dict))


def _outline(command: Any) -> Any:
    if not isinstance(command, dict):
        return command
    return {key: value for key, value in command.items() if key in _STAYS}
