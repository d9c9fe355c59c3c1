"""A user's override of a tool's metadata: each field replaces ours, and it may lower effects.

What it raises applies to every call of the command or tool. What it lowers applies to the command without options: options, rules
and inner commands still raise, unless the override covers that option. Commands and options that it does not name stay
unchanged. SECURITY: `UserWord` is a type that no document can contain; a description cannot pretend to be the user's.
"""

from __future__ import annotations

from atip.knowledge.reading import LazyCommands, command_from
from atip.model.effects import Effects, raised_by
from atip.model.reading.encode import encode_effects
from atip.model.root import bare_effects, with_bare_effects
from atip.model.tool import Command
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    from atip.model.tool import Option, Tool

    Node = TypeVar("Node", Tool, Command)
    Whole = TypeVar("Whole", bound=Value)

KEY = "override"
_GROUPS = ("filesystem", "interactive", "cost", "duration")
_TEXTS = ("description", "homepage", "aliases", "arguments", "examples")


class UserWord(dict[str, object]):
    """Effects of a command or tool as the user's override has them; in `x-atip.override`, written as JSON like any object."""

    def __init__(self, effects: Effects, *, is_trusted: bool = True) -> None:
        super().__init__(encode_effects(effects))
        self.effects = effects
        self.is_trusted = is_trusted
        """Whether it certainly applies to the program that would run."""


def user_effects(node: Tool | Command) -> Effects | None:
    """Effects in the user's override; None: it has none."""
    word = node.own.get(KEY)
    return word.effects if isinstance(word, UserWord) else None


def is_vouched(node: Tool | Command) -> bool:
    """Whether the user's override covers the exact program that would run."""
    word = node.own.get(KEY)
    return isinstance(word, UserWord) and word.is_trusted


def lowered(effects: Effects, node: Tool | Command) -> Effects:
    """Effects of a command by itself, with the user's fields in place of ours."""
    word = user_effects(node)
    return effects if word is None else replaced(effects, word)


def raised_by_user(effects: Effects, nodes: Iterable[Tool | Command]) -> Effects:
    """Effects of a call, raised by overrides of the tool and the commands along its path."""
    for node in nodes:
        word = user_effects(node)
        effects = effects if word is None else raised_by(effects, word)
    return effects


def replaced(base: Effects, word: Effects) -> Effects:
    """`base` with every field that `word` states."""
    groups = {name: _overlay(getattr(base, name), getattr(word, name)) for name in _GROUPS}
    return _overlay(base, word, skip=_GROUPS).replace(**groups)


def _overlay(base: Whole, word: Whole, skip: tuple[str, ...] = ()) -> Whole:
    names = [name for name in type(word)._defaults if name not in (*skip, "extra")]  # type: ignore[attr-defined]
    fields = {name: getattr(word, name) for name in names}
    return base.replace(**{name: value for name, value in fields.items() if value is not None})


def apply_override(tool: Tool, word: Tool, *, is_trusted: bool = True) -> Tool:
    """Apply an override. `word` is the override, decoded and in working form; its empty fields have no effect.

    Args:
        is_trusted: it applies to the program that would run, not to another one of that name.
    """
    current = bare_effects(tool)
    changed = _add_word(tool, word.effects, is_trusted).replace(
        effects=replaced(tool.effects, word.effects),
        commands=_commands(tool.commands, word.commands, tool.own, is_trusted),
        options=_options(tool.options, word.options),
        global_options=_options(tool.global_options, word.global_options),
        **_texts(word),
    )
    declared = bare_effects(word)
    return (
        changed
        if declared == Effects()
        else with_bare_effects(changed, replaced(current, declared))
    )


def _texts(word: Tool | Command) -> dict[str, Any]:
    fields = {name: getattr(word, name, None) for name in _TEXTS}
    return {name: value for name, value in fields.items() if value}


def _add_word(node: Node, effects: Effects, is_trusted: bool) -> Node:
    if effects == Effects():
        return node
    own = {**node.own, KEY: UserWord(effects, is_trusted=is_trusted)}
    return node.replace(extra={**node.extra, "x-atip": own})


def _commands(
    current: Mapping[str, Command] | None,
    words: Mapping[str, Command] | None,
    own: Mapping[str, Any],
    is_trusted: bool,
) -> Mapping[str, Command] | None:
    if not words:
        return current
    hidden = own.get("globs") or {}
    changed: dict[str, Command] = {}
    for name, word in words.items():
        base = current.get(name) if current else None
        if base is None and name in hidden:
            base = command_from(hidden[name])
        changed[name] = _command(base or Command(description=""), word, is_trusted)
    if isinstance(current, LazyCommands):
        return current.with_commands(changed)
    return {**(current or {}), **changed}


def _command(base: Command, word: Command, is_trusted: bool) -> Command:
    return _add_word(base, word.effects, is_trusted).replace(
        effects=replaced(base.effects, word.effects),
        commands=_commands(base.commands, word.commands, base.own, is_trusted),
        options=_options(base.options, word.options),
        **_texts(word),
    )


def _options(
    current: tuple[Option, ...] | None, words: tuple[Option, ...] | None
) -> tuple[Option, ...] | None:
    """Options with the user's in place of ours; matched by any flag."""
    if not words:
        return current
    flags = {flag for word in words for flag in word.flags}
    return (*(each for each in current or () if flags.isdisjoint(each.flags)), *words)
