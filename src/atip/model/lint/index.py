"""A raw document, walked once, for the lint rules: commands, parameters, effects, texts.

Works on what was written, not on a Tool, because findings point at places in the file and wrong
types are findings too. Whatever has an unexpected type is skipped here; `valid-document` reports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    Parts = tuple[str | int, ...]

MAX_DEPTH = 64


class CommandNode(Value):
    """The tool itself (`words` empty) or one command."""

    parts: Parts
    words: tuple[str, ...]
    raw: dict[str, Any]
    above: CommandNode | None = None

    @property
    def is_leaf(self) -> bool:
        return not self.raw.get("commands")

    @property
    def effects(self) -> dict[str, Any]:
        return as_dict(self.raw.get("effects"))

    def options(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        return members(self.raw.get("options"), (*self.parts, "options"))

    def arguments(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        return members(self.raw.get("arguments"), (*self.parts, "arguments"))

    def up(self) -> Iterator[CommandNode]:
        """The groups around it, nearest first, the tool last."""
        node = self.above
        while node is not None:
            yield node
            node = node.above


class DocumentIndex:
    """Everything the rules need, computed once."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.root = CommandNode(parts=(), words=(), raw=document)
        self.commands = list(_commands(self.root))
        self.nodes = [self.root, *self.commands]
        self.children: dict[Parts, dict[str, CommandNode]] = {}
        """Commands below a place, by name and by alias."""
        for node in self.commands:
            below = self.children.setdefault(node.parts[:-2], {})
            for name in (node.words[-1], *strings(node.raw.get("aliases"))):
                below.setdefault(name, node)

        self.global_flags = _flags(self.global_options())
        self._flags: dict[int, dict[str, bool]] = {}

    def flags_of(self, node: CommandNode) -> dict[str, bool]:
        """Flags of one command → whether they take a value; computed once."""
        key = id(node.raw)
        if key not in self._flags:
            self._flags[key] = _flags(node.options())
        return self._flags[key]

    @property
    def raw(self) -> dict[str, Any]:
        return self.root.raw

    @property
    def name(self) -> str:
        name = self.raw.get("name")
        if not isinstance(name, str):
            name = as_dict(self.raw.get("binary")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def trust(self) -> dict[str, Any]:
        return as_dict(self.raw.get("trust"))

    def global_options(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        return members(self.raw.get("globalOptions"), ("globalOptions",))

    def options(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        """Every option, the global ones first."""
        yield from self.global_options()
        for node in self.nodes:
            yield from node.options()

    def arguments(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        for node in self.nodes:
            yield from node.arguments()

    def patterns(self) -> Iterator[tuple[Parts, dict[str, Any]]]:
        return members(self.raw.get("patterns"), ("patterns",))

    def effects(self) -> Iterator[tuple[CommandNode, Parts, dict[str, Any]]]:
        """Every `effects` object that is one."""
        for node in self.nodes:
            if isinstance(node.raw.get("effects"), dict):
                yield node, (*node.parts, "effects"), node.raw["effects"]

    def texts(self) -> Iterator[tuple[Parts, str, bool]]:
        """Every string of the document; the flag tells keys from values."""
        stack: list[tuple[Parts, Any]] = [((), self.raw)]
        while stack:
            path, value = stack.pop()
            if isinstance(value, str):
                yield path, value, False
            elif isinstance(value, dict) and len(path) < MAX_DEPTH:
                for key, item in value.items():
                    if isinstance(key, str):
                        yield (*path, key), key, True
                    stack.append(((*path, key), item))
            elif isinstance(value, list) and len(path) < MAX_DEPTH:
                stack.extend(((*path, number), item) for number, item in enumerate(value))


def _commands(root: CommandNode) -> Iterator[CommandNode]:
    stack = [root]
    while stack:
        parent = stack.pop()
        children = parent.raw.get("commands")
        if not isinstance(children, dict) or len(parent.words) >= MAX_DEPTH:
            continue
        nodes = [
            CommandNode(
                parts=(*parent.parts, "commands", name),
                words=(*parent.words, name),
                raw=command,
                above=parent,
            )
            for name, command in children.items()
            if isinstance(command, dict) and isinstance(name, str)
        ]
        yield from nodes
        stack.extend(reversed(nodes))


def _flags(options: Iterator[tuple[Parts, dict[str, Any]]]) -> dict[str, bool]:
    return {
        flag: option.get("type") != "boolean"
        for _parts, option in options
        for flag in strings(option.get("flags"))
    }


def members(value: Any, path: Parts) -> Iterator[tuple[Parts, dict[str, Any]]]:
    """The objects of an array, each with its path."""
    for number, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield (*path, number), item


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> list[str]:
    """The strings of an array; anything else is none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
