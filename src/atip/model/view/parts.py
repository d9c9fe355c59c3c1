"""Commands that a view omits: the commands, the reason, and the note on a group with their number."""

from __future__ import annotations

from atip.model.effects import UNKNOWN, Effects, join, raised_by
from atip.model.reading.decode import decode_effects
from atip.model.tool import Command, Tool
from atip.model.view.plain import OMITTED_COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.model.tool import Option, Path


class OmittedCommands:
    """Commands that a view omitted so far, with the reason."""

    def __init__(self, tool: Tool) -> None:
        self.effects: list[Effects] = []
        self.reasons: set[str] = set()
        self._tool = tool
        self._everywhere = flags_effects(tool.global_options)

    def leave_out(self, path: Path, command: Command, reason: str) -> int:
        """Note a subtree that is left out; the number of leaves in it."""
        self.reasons.add(reason)
        leaves = 0
        for below, each in _subtree(path, command):
            if is_leaf(each):
                leaves += 1
            leaves += noted(each)
            if is_leaf(each) or _is_runnable(each):
                self.effects.append(raised_by(with_flags(self._tool, below), self._everywhere))
        return leaves


def inherited_effects(tool: Tool, path: Path) -> Effects:
    """Effects of a command with those of its groups and of the tool (A42); flags not counted."""
    merged = tool.effects
    commands = tool.commands
    for name in path:
        command = (commands or {}).get(name)
        if command is None:
            break
        merged = join(merged, command.effects)
        commands = command.commands
    return merged


def with_flags(tool: Tool, path: Path) -> Effects:
    command = tool.find(path)
    own = flags_effects(command.options if command else None)
    return raised_by(inherited_effects(tool, path), own)


def flags_effects(options: Sequence[Option] | None) -> Effects:
    """Effects that any of these flags could add."""
    merged = UNKNOWN
    for option in options or ():
        if option.extra:
            merged = raised_by(merged, flag_effects(option))
    return merged


def flag_effects(option: Option) -> Effects:
    """Effects that this flag adds (`x-atip.effects`)."""
    return decode_effects(option.own.get("effects"))


def is_leaf(command: Command) -> bool:
    """A command without subcommands, in this document and in the whole one (A40)."""
    return not command.commands and not noted(command)


def stub(command: Command, omitted: int) -> Command:
    """A group with a note on how many more leaves below it are missing."""
    own = {**command.own, OMITTED_COMMANDS: noted(command) + omitted}
    return command.replace(extra={**command.extra, "x-atip": own})


def noted(command: Command) -> int:
    number = command.own.get(OMITTED_COMMANDS)
    return number if type(number) is int and number > 0 else 0


def _is_runnable(group: Command) -> bool:
    """A group that says something of itself may be run itself."""
    return group.effects != UNKNOWN or bool(group.arguments) or bool(group.options)


def _subtree(path: Path, command: Command) -> Iterator[tuple[Path, Command]]:
    stack = [(path, command)]
    while stack:
        node_path, each = stack.pop()
        yield node_path, each
        stack.extend(((*node_path, name), child) for name, child in (each.commands or {}).items())
