"""A user's override over what is known of a tool: field by field, the user's word replaces, and it may lower.

What it raises holds for every call of the command or tool. What it lowers holds for the command by itself: options, rules and inner
commands still raise, unless the override says something of that option. Commands and options that it does not name stay as they
are. SECURITY: `UserWord` is a type that no document can hold; a description cannot pass itself off as the user's.
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
        """Whether it is known to be about the program that would run."""


def user_effects(node: Tool | Command) -> Effects | None:
    """What the user's override says of the effects; None: nothing."""
    word = node.own.get(KEY)
    return word.effects if isinstance(word, UserWord) else None


def is_vouched(node: Tool | Command) -> bool:
    """Whether the effects are the user's word on the very program that would run."""
    word = node.own.get(KEY)
    return isinstance(word, UserWord) and word.is_trusted


def lowered(effects: Effects, node: Tool | Command) -> Effects:
    """Effects of a command by itself, with the user's fields in place of ours."""
    word = user_effects(node)
    return effects if word is None else replaced(effects, word)


def raised_by_user(effects: Effects, nodes: Iterable[Tool | Command]) -> Effects:
    """Effects of a call: what overrides of the tool and the commands on its way raise."""
    for node in nodes:
        word = user_effects(node)
        effects = effects if word is None else raised_by(effects, word)
    return effects


def replaced(base: Effects, word: Effects) -> Effects:
    """Every field that `word` gives, and the others as they are."""
    groups = {name: _given(getattr(base, name), getattr(word, name)) for name in _GROUPS}
    return _given(base, word, skip=_GROUPS).replace(**groups)


def _given(base: Whole, word: Whole, skip: tuple[str, ...] = ()) -> Whole:
    names = [name for name in type(word)._defaults if name not in (*skip, "extra")]  # type: ignore[attr-defined]
    given = {name: getattr(word, name) for name in names}
    return base.replace(**{name: value for name, value in given.items() if value is not None})


def apply_override(tool: Tool, word: Tool, *, is_trusted: bool = True) -> Tool:
    """`word` is the override, decoded and in working form; its empty fields say nothing.

    Args:
        is_trusted: it is about the program that would run, not about another one of that name.
    """
    known = bare_effects(tool)
    changed = _marked(tool, word.effects, is_trusted).replace(
        effects=replaced(tool.effects, word.effects),
        commands=_commands(tool.commands, word.commands, tool.own, is_trusted),
        options=_options(tool.options, word.options),
        global_options=_options(tool.global_options, word.global_options),
        **_texts(word),
    )
    said = bare_effects(word)
    return changed if said == Effects() else with_bare_effects(changed, replaced(known, said))


def _texts(word: Tool | Command) -> dict[str, Any]:
    given = {name: getattr(word, name, None) for name in _TEXTS}
    return {name: value for name, value in given.items() if value}


def _marked(node: Node, effects: Effects, is_trusted: bool) -> Node:
    if effects == Effects():
        return node
    own = {**node.own, KEY: UserWord(effects, is_trusted=is_trusted)}
    return node.replace(extra={**node.extra, "x-atip": own})


def _commands(
    known: Mapping[str, Command] | None,
    words: Mapping[str, Command] | None,
    own: Mapping[str, Any],
    is_trusted: bool,
) -> Mapping[str, Command] | None:
    if not words:
        return known
    hidden = own.get("globs") or {}
    made: dict[str, Command] = {}
    for name, word in words.items():
        base = known.get(name) if known else None
        if base is None and name in hidden:
            base = command_from(hidden[name])
        made[name] = _command(base or Command(description=""), word, is_trusted)
    if isinstance(known, LazyCommands):
        return known.with_commands(made)
    return {**(known or {}), **made}


def _command(base: Command, word: Command, is_trusted: bool) -> Command:
    return _marked(base, word.effects, is_trusted).replace(
        effects=replaced(base.effects, word.effects),
        commands=_commands(base.commands, word.commands, base.own, is_trusted),
        options=_options(base.options, word.options),
        **_texts(word),
    )


def _options(
    known: tuple[Option, ...] | None, words: tuple[Option, ...] | None
) -> tuple[Option, ...] | None:
    """The user's word on an option replaces ours; found by any of its flags."""
    if not words:
        return known
    named = {flag for word in words for flag in word.flags}
    return (*(each for each in known or () if named.isdisjoint(each.flags)), *words)
