"""One command of a stored document, as a partial document (§3.1.1).

The same answer as `view`, on plain values: `show git commit --json` prints one of 200 commands, and decoding all of them costs
ten times more than reading them. Where the answer needs more than names and stated effects (a document that is a
part already, dotted names, nothing destructive left out), this returns None and `view` answers. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Node = dict[str, Any]

OMITTED_COMMANDS = "omittedCommands"
"""In `x-atip` of a group: how many leaves below it are not in this document."""
_PART = ("partial", "filter", "omitted", "totalCommands", "includedCommands")


def plain_part(document: Node, words: Sequence[str]) -> Node | None:
    """The document with only the command that `words` name; None where only `view` can tell."""
    if any(key in document for key in _PART):
        return None
    path = resolve_words(document, words)
    if not path or not _states_danger(document, path):
        return None
    part, _ = _prune(document, path)
    return {
        **part,
        "partial": True,
        "filter": {"commands": [" ".join(path)], "depth": None},
        "totalCommands": sum(count_leaves(subcommand) for subcommand in _below(document).values()),
        "includedCommands": sum(map(_count_described, _below(part).values())),
        "omitted": {"reason": "filtered", "safetyAssumption": "known-unsafe"},
    }


def resolve_words(document: Node, words: Sequence[str]) -> list[str] | None:
    """Names of the commands on the way: by name or by alias."""
    path: list[str] = []
    node = document
    for word in words:
        commands = _below(node)
        name = word if word in commands else _alias(commands, word)
        if name is None:
            return None
        path.append(name)
        node = commands[name]
    return path


def _alias(commands: Mapping[str, Node], word: str) -> str | None:
    return next(
        (name for name, command in commands.items() if word in (command.get("aliases") or ())), None
    )


def _below(node: Node) -> dict[str, Node]:
    """Commands of a node; without the one that has no name, which is the tool itself."""
    commands = node.get("commands")
    if not isinstance(commands, dict):
        return {}
    return {
        name: command for name, command in commands.items() if name and isinstance(command, dict)
    }


def _prune(node: Node, path: Sequence[str]) -> tuple[Node, int]:
    """A node with only one way down, and how many leaves were left out beside it."""
    if not path:
        return node, 0
    commands = _below(node)
    child, gone = _prune(commands[path[0]], path[1:])
    if gone:
        own = child.get("x-atip")
        own_fields = own if isinstance(own, dict) else {}
        child = {**child, "x-atip": {**own_fields, OMITTED_COMMANDS: _omitted_count(child) + gone}}
    itself = {"": node["commands"][""]} if "" in node["commands"] else {}
    others = sum(count_leaves(command) for name, command in commands.items() if name != path[0])
    return {**node, "commands": {**itself, path[0]: child}}, others


def _states_danger(document: Node, path: Sequence[str]) -> bool:
    """Whether a command beside the path is stated to lose something; one is enough to warn of all."""
    node = document
    for name in path:
        commands = _below(node)
        if any(states_loss(command) for other, command in commands.items() if other != name):
            return True
        node = commands[name]
    return False


def states_loss(command: Node) -> bool:
    """Whether a command, one below it or one of its flags is stated to lose something."""
    if any(states_loss(subcommand) for subcommand in _below(command).values()):
        return True
    is_runnable = not _below(command) or bool(command.get("effects") or command.get("options"))
    return is_runnable and any(map(_loses, _effects(command)))


def _effects(command: Node) -> Iterator[object]:
    """Declared effects of a command, and those that its flags add."""
    yield command.get("effects")
    options = command.get("options")
    for option in options if isinstance(options, list) else ():
        own = option.get("x-atip") if isinstance(option, dict) else None
        yield own.get("effects") if isinstance(own, dict) else None


def _loses(effects: object) -> bool:
    if not isinstance(effects, dict):
        return False
    files = effects.get("filesystem")
    return bool(
        effects.get("destructive") is True
        or (isinstance(files, dict) and files.get("delete") is True)
        or effects.get("deletes")
    )


def count_leaves(command: Node) -> int:
    """Commands without subcommands at or below a command (A40)."""
    below = _below(command)
    noted = _omitted_count(command)
    if not below:
        return noted or 1
    return noted + sum(map(count_leaves, below.values()))


def _count_described(command: Node) -> int:
    below = _below(command)
    return sum(map(_count_described, below.values())) if below else not _omitted_count(command)


def _omitted_count(command: Node) -> int:
    own = command.get("x-atip")
    number = own.get(OMITTED_COMMANDS) if isinstance(own, dict) else None
    return number if type(number) is int and number > 0 else 0
