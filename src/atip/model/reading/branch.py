"""Branches of a large document: its top-level commands, each kept apart, and an outline that names them.

Pure, on plain values, before anything is decoded: the AWS CLI has 19,000 commands, and decoding them takes seconds, while a
command line means one branch. The outline is a document of its own that says what it leaves out (§3.1.1: of a large tool the overview is
kept); with a branch, or with all of them, it becomes what was kept.
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
"""In `x-atip` of a command of an outline: where the whole of it is."""
OVERVIEW = ("",)
"""Words that mean no branch: the tool alone (its root command is written with an empty name)."""
_STAYS = ("description", "effects", "aliases", "hidden", "deprecated")
_PART = ("partial", "filter", "totalCommands", "includedCommands", "omitted")


def is_large(document: Document) -> bool:
    """Whether a document has so many commands that only branches of it should be decoded."""
    commands = document.get("commands")
    if not isinstance(commands, dict):
        return False
    below = (one.get("commands") for one in commands.values() if isinstance(one, dict))
    return len(commands) + sum(len(one) for one in below if isinstance(one, dict)) >= LARGE


def split(document: Document, keep: Callable[[Document], str]) -> Document:
    """The outline of a large document; `keep` takes a branch and tells where it is."""
    commands: Document = {}
    for name, command in document["commands"].items():
        if not isinstance(command, dict) or not command.get("commands"):
            commands[name] = command
            continue
        outline = {key: value for key, value in command.items() if key in _STAYS}
        commands[name] = {**outline, "x-atip": {BRANCH: keep(command)}}
    told = {
        "partial": True,
        "filter": {"depth": 1},
        "totalCommands": sum(_leaves(one) for one in document["commands"].values()),
        "includedCommands": len(commands),
        "omitted": {"reason": "depth-limited", "safetyAssumption": "unknown"},
    }
    return {**document, **told, "commands": commands}


def joined(outline: Document, words: Collection[str], fetch: Callable[[str], Document]) -> Document:
    """The document of an outline: with the branches that `words` name, with all of them where they name none, and
    with none for `OVERVIEW`. What was never split is returned as it is.
    """
    commands = outline.get("commands")
    if not isinstance(commands, dict):
        return outline
    found = ((name, _place(command)) for name, command in commands.items())
    places = {name: str(place) for name, place in found if place is not None}
    if not places or tuple(words) == OVERVIEW:
        return outline
    meant = [name for name in commands if _is_meant(name, commands[name], words)]
    whole = {
        name: fetch(places[name]) if name in places and (name in meant or not meant) else command
        for name, command in commands.items()
    }
    if meant:
        told = {
            "filter": {"commands": meant},
            "includedCommands": sum(map(_leaves, whole.values())),
        }
        return {**outline, **told, "commands": whole}
    rest = {key: value for key, value in outline.items() if key not in _PART}
    return {**rest, "commands": whole}


def is_part(document: Document) -> bool:
    """Whether some branches of a document are not there."""
    commands = document.get("commands")
    below = commands.values() if isinstance(commands, dict) else ()
    return any(_place(one) is not None for one in below)


def _place(command: Any) -> object:
    own = command.get("x-atip") if isinstance(command, dict) else None
    return own.get(BRANCH) if isinstance(own, dict) else None


def _is_meant(name: str, command: Any, words: Collection[str]) -> bool:
    aliases = command.get("aliases") if isinstance(command, dict) else None
    return name in words or (isinstance(aliases, list) and any(one in words for one in aliases))


def _leaves(command: Any) -> int:
    below = command.get("commands") if isinstance(command, dict) else None
    return sum(map(_leaves, below.values())) if isinstance(below, dict) and below else 1
