"""Completion trees: what the three readers of completion scripts collect → `Command`.

Facts of a script are added path by path; building merges the spellings of one option. The source
of all evidence is `completion`, with the line of the script.
"""

from __future__ import annotations

from atip.inference.help import prose
from atip.model.tool import BOOLEAN, Command, Option

MAX_NODES = 5_000
MAX_OPTIONS = 60_000


class CompletionFlag:
    """One option while a script is read."""

    __slots__ = ("choices", "description", "flags", "line", "placeholder", "takes_value")

    def __init__(self, flags: list[str], line: int) -> None:
        self.flags = flags
        self.line = line
        self.description = ""
        self.placeholder = ""
        self.takes_value = False
        self.choices: list[str] = []


class CompletionNode:
    """A command of the tree."""

    __slots__ = ("aliases", "children", "description", "flags", "line")

    def __init__(self, line: int) -> None:
        self.line = line
        self.description = ""
        self.aliases: list[str] = []
        self.flags: dict[str, CompletionFlag] = {}
        self.children: dict[str, CompletionNode] = {}


class CompletionTree:
    """All commands that a script names."""

    def __init__(self) -> None:
        self.root = CompletionNode(1)
        self.nodes = self.options = 0

    def node(self, path: tuple[str, ...], line: int) -> CompletionNode:
        """The command at `path`, made if new; the root once the tree is full."""
        node = self.root
        for name in path:
            child = node.children.get(name)
            if child is None:
                if self.nodes >= MAX_NODES or not is_command_name(name):
                    return self.root
                self.nodes += 1
                child = node.children[name] = CompletionNode(line)
            node = child
        return node

    def flags_at(self, path: tuple[str, ...]) -> dict[str, CompletionFlag]:
        """Flags of a command so far; empty if the command is unknown."""
        node: CompletionNode | None = self.root
        for name in path:
            node = node.children.get(name) if node else None
        return node.flags if node else {}

    def add_command(
        self, path: tuple[str, ...], name: str, line: int, description: str = ""
    ) -> None:
        if is_command_name(name):
            node = self.node((*path, name), line)
            node.description = node.description or description.strip()

    def add_flag(
        self,
        path: tuple[str, ...],
        flags: list[str],
        line: int,
        *,
        description: str = "",
        takes_value: bool = False,
        placeholder: str = "",
        choices: list[str] | None = None,
    ) -> None:
        """Adds or completes an option; flags that were seen before are the same option."""
        node = self.node(path, line)
        spellings = [flag for flag in flags if is_flag(flag)]
        if not spellings or self.options >= MAX_OPTIONS:
            return
        entry = next((node.flags[flag] for flag in spellings if flag in node.flags), None)
        if entry is None:
            entry = CompletionFlag([], line)
            self.options += 1
        for flag in spellings:
            if flag not in node.flags:
                entry.flags.append(flag)
                node.flags[flag] = entry
        entry.description = entry.description or description.strip()
        entry.placeholder = entry.placeholder or placeholder
        entry.takes_value = entry.takes_value or takes_value
        entry.choices = entry.choices or list(dict.fromkeys(choices or []))


def is_flag(word: str) -> bool:
    """`-x` or `--long-name`; nothing with blanks, quotes or expansions in it."""
    body = word.lstrip("-")
    return (
        word.startswith("-")
        and 0 < len(body) < 80
        and len(word) - len(body) <= 2
        and (body[0].isalnum() or body in "?@#")
        and not any(char in body for char in " \t\n$'\"`(){}[]<>|;&\\,=*")
    )


def is_command_name(word: str) -> bool:
    """A literal word that can be a sub-command."""
    return (
        0 < len(word) < 64
        and (word[0].isalnum() or word[0] == "_")
        and all(char.isalnum() or char in "-_.:+@" for char in word)
    )


def build(tree: CompletionTree) -> Command:
    """The tree as commands."""
    return _command(tree.root, 0)


def _command(node: CompletionNode, depth: int) -> Command:
    options = _merge_spellings(list({id(flag): flag for flag in node.flags.values()}.values()))
    return Command(
        description=node.description,
        commands={
            name: _command(child, depth + 1) for name, child in node.children.items() if depth < 12
        }
        or None,
        options=tuple(_option(flag) for flag in options) or None,
        aliases=tuple(node.aliases) or None,
        extra={"x-atip": _evidence(node.line)},
    )


def _merge_spellings(flags: list[CompletionFlag]) -> list[CompletionFlag]:
    """Short and long flags with the same words after them are one option."""
    options: list[CompletionFlag] = []
    by_text: dict[tuple[str, bool], CompletionFlag] = {}
    for flag in flags:
        other = by_text.get((flag.description, flag.takes_value))
        if flag.description and other is not None and _is_other_spelling(other, flag):
            other.flags += flag.flags
            continue
        by_text[(flag.description, flag.takes_value)] = flag
        options.append(flag)
    return options


def _is_other_spelling(one: CompletionFlag, two: CompletionFlag) -> bool:
    if len(one.flags) != 1 or len(two.flags) != 1:
        return False
    return one.flags[0].startswith("--") != two.flags[0].startswith("--")


def _option(flag: CompletionFlag) -> Option:
    long = [name for name in flag.flags if name.startswith("--")] or flag.flags
    kind = BOOLEAN
    if flag.takes_value:
        kind = "enum" if flag.choices else prose.type_of(flag.placeholder, flag.description)
    return Option(
        name=long[0].lstrip("-"),
        flags=tuple(sorted(flag.flags, key=lambda name: (name.startswith("--"), name))),
        type=kind,
        description=flag.description,
        enum=tuple(flag.choices) or None if flag.takes_value else None,
        extra={"x-atip": _evidence(flag.line)},
    )


def _evidence(line: int) -> dict[str, object]:
    return {"evidence": {"source": "completion", "lines": [line, line]}}
