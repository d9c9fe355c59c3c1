"""Branches of a large document: its top-level commands, stored separately, and an outline that lists them.

Pure, on plain values, before anything is decoded: the AWS CLI has 19,000 commands, and decoding them takes seconds, while a
command line needs one branch. The outline is a partial document (§3.1.1); with all its branches it becomes the original
document again.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    Document = dict[str, Any]

LARGE = 1_000
"""Commands on the first two levels from which on a document is kept in branches."""
BRANCH = "branch"
"""In `x-atip` of a command of an outline: where its branch is stored."""
OVERVIEW = ("",)
"""Words for no branch: the tool alone (its root command has an empty name)."""
_STAYS = ("description", "effects", "aliases", "hidden", "deprecated")
_PART = ("partial", "filter", "totalCommands", "includedCommands", "omitted")


def is_large(document: Document) -> bool:
    """Whether a document has so many commands that only branches of it should be decoded."""
    commands = document.get("commands")
    if not isinstance(commands, dict):
        return False
    below = (command.get("commands") for command in commands.values() if isinstance(command, dict))
    return (
        len(commands) + sum(len(subcommand) for subcommand in below if isinstance(subcommand, dict))
        >= LARGE
    )


def split(document: Document, keep: Callable[[Document], str]) -> Document:
    """The outline of a large document; `keep` stores a branch and returns its place."""
    commands: Document = {}
    for name, command in document["commands"].items():
        if not isinstance(command, dict) or not command.get("commands"):
            commands[name] = command
            continue
        outline = {key: value for key, value in command.items() if key in _STAYS}
        commands[name] = {**outline, "x-atip": {BRANCH: keep(command)}}
    part_fields = {
        "partial": True,
        "filter": {"depth": 1},
        "totalCommands": sum(_leaves(command) for command in document["commands"].values()),
        "includedCommands": len(commands),
        "omitted": {"reason": "depth-limited", "safetyAssumption": "unknown"},
    }
    return {**document, **part_fields, "commands": commands}


def joined(outline: Document, words: Collection[str], fetch: Callable[[str], Document]) -> Document:
    """The document of an outline: with the branches that `words` name, with all of them where they name none, and
    with none for `OVERVIEW`. What was never split is returned as it is.
    """
    commands = outline.get("commands")
    if not isinstance(commands, dict):
        return outline
    branches = ((name, _place(command)) for name, command in commands.items())
    places = {name: str(place) for name, place in branches if place is not None}
    if not places or tuple(words) == OVERVIEW:
        return outline
    selected = [name for name in commands if _is_selected(name, commands[name], words)]
    commands_by_name = {
        name: fetch(places[name])
        if name in places and (name in selected or not selected)
        else command
        for name, command in commands.items()
    }
    if selected:
        part_fields = {
            "filter": {"commands": selected},
            "includedCommands": sum(map(_leaves, commands_by_name.values())),
        }
        return {**outline, **part_fields, "commands": commands_by_name}
    rest = {key: value for key, value in outline.items() if key not in _PART}
    return {**rest, "commands": commands_by_name}


def is_part(document: Document) -> bool:
    """Whether some branches of a document are missing."""
    commands = document.get("commands")
    below = commands.values() if isinstance(commands, dict) else ()
    return any(_place(subcommand) is not None for subcommand in below)


def _place(command: Any) -> object:
    own = command.get("x-atip") if isinstance(command, dict) else None
    return own.get(BRANCH) if isinstance(own, dict) else None


def _is_selected(name: str, command: Any, words: Collection[str]) -> bool:
    aliases = command.get("aliases") if isinstance(command, dict) else None
    return name in words or (isinstance(aliases, list) and any(alias in words for alias in aliases))


def _leaves(command: Any) -> int:
    below = command.get("commands") if isinstance(command, dict) else None
    return sum(map(_leaves, below.values())) if isinstance(below, dict) and below else 1
