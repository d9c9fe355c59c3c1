"""CMP intents → commands, options, effects and patterns of a tool. Pure.

The fixed words of a template before its first flag or placeholder are the command's path. Intents of one path
are one command whose effects are those of the worst (C10, C11).
"""

from __future__ import annotations

import re

from atip.calls.templates.cmp import split_template
from atip.calls.templates.template import BRACES
from atip.errors import FormatError
from atip.model.effects import UNKNOWN, Effects, join
from atip.model.tool import MISSING, Argument, Command, Option, Pattern, PatternStep, Variable
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from atip.calls.templates.cmp import CmpIntent, Param
    from atip.codecs.cmp.document import CmpManifest

    Path = tuple[str, ...]


class CmpTree(Value):
    """Commands, parameters, effects and patterns of one tool's intents."""

    commands: Mapping[str, Command]
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    effects: Effects
    patterns: tuple[Pattern, ...]
    intents: Mapping[str, list[str]]
    """Phrases by command path joined with spaces, for search."""


def commands_of(
    manifest: CmpManifest, intents: Sequence[CmpIntent], documents: Sequence[Mapping[str, Any]]
) -> CmpTree:
    """Build the command tree. `stated` are the intents as written, to distinguish `false` from absent."""
    nodes: dict[Path, Command] = {}
    phrases: dict[str, list[str]] = {}
    patterns = []
    for intent, raw in zip(intents, documents, strict=True):
        try:
            words = split_template(intent.command)
        except FormatError:
            continue  # needs a shell: stays in the preserved documents, but is not callable
        path, rest = _path(words[1:])
        nodes[path] = _merge(nodes.get(path), _command(intent, raw, rest))
        plain_phrases = [phrase for phrase in intent.patterns if not phrase.startswith("re:")]
        phrases.setdefault(" ".join(path), []).extend(plain_phrases)
        patterns.append(_pattern(intent))
    root = nodes.pop((), Command())
    return CmpTree(
        commands=_nest(nodes),
        arguments=root.arguments or (),
        options=root.options or (),
        effects=root.effects,
        patterns=tuple(patterns),
        intents=phrases,
    )


def _path(words: Sequence[str]) -> tuple[Path, list[str]]:
    fixed: list[str] = []
    for place, word in enumerate(words):
        if word.startswith("-") or BRACES.search(word) or not re.fullmatch(r"[\w.:+@-]+", word):
            return tuple(fixed), list(words[place:])
        fixed.append(word)
    return tuple(fixed), []


def _command(intent: CmpIntent, raw: Mapping[str, Any], words: list[str]) -> Command:
    params = {param.name: param for param in intent.params}
    options: list[Option] = []
    arguments: list[Argument] = []
    for place, word in enumerate(words):
        placeholder = BRACES.fullmatch(word)
        before = words[place - 1] if place else ""
        if placeholder is None and word.startswith("-") and word != "--":
            flag, _, value = word.partition("=")
            inner = BRACES.fullmatch(value)
            if inner is not None:
                options.append(_option(flag, params.get(inner.group(1)), inner.group(1)))
            elif not (place + 1 < len(words) and BRACES.fullmatch(words[place + 1])):
                options.append(Option(name=flag.strip("-") or flag, flags=(flag,), type="boolean"))
        elif (
            placeholder is not None
            and before.startswith("-")
            and before != "--"
            and "=" not in before
        ):
            options.append(_option(before, params.get(placeholder.group(1)), placeholder.group(1)))
        elif placeholder is not None:
            arguments.append(_argument(params.get(placeholder.group(1)), placeholder.group(1)))
    return Command(
        description=next((p for p in intent.patterns if not p.startswith("re:")), ""),
        arguments=tuple(arguments) or None,
        options=tuple(options) or None,
        effects=_effects(intent, raw),
    )


def _option(flag: str, param: Param | None, name: str) -> Option:
    kind, many = _type(param)
    return Option(
        name=name,
        flags=(flag,),
        type=kind,
        description=param.description if param else "",
        required=True if param is None or param.required else None,
        default=MISSING if param is None else param.default,
        enum=param.enum if param else None,
        variadic=many or None,
    )


def _argument(param: Param | None, name: str) -> Argument:
    kind, many = _type(param)
    return Argument(
        name=name,
        type=kind,
        description=param.description if param else "",
        required=None if param is None or param.required else False,
        default=MISSING if param is None else param.default,
        enum=param.enum if param else None,
        variadic=many or None,
    )


def _type(param: Param | None) -> tuple[str, bool]:
    kind = "string" if param is None else param.type
    return (kind[6:-1], True) if kind.startswith("array<") else (kind, False)


def _effects(intent: CmpIntent, raw: Mapping[str, Any]) -> Effects:
    """Stated effects; an absent field stays unknown. Destructive implies irreversible (C11)."""
    destructive = (
        True if intent.destructive else (False if raw.get("destructive") is False else None)
    )
    idempotent = intent.idempotent
    if idempotent is None and intent.destructive:
        idempotent = False
    return Effects(
        destructive=destructive,
        reversible=False if intent.destructive else None,
        idempotent=idempotent,
    )


def _pattern(intent: CmpIntent) -> Pattern:
    name = next((p for p in intent.patterns if not p.startswith("re:")), intent.command)
    variables = {
        param.name: Variable(
            type=param.type,
            description=param.description or None,
            default=param.default,
            required=param.required or None,
            enum=param.enum,
        )
        for param in intent.params
    }
    return Pattern(
        name=name, steps=(PatternStep(command=intent.command),), variables=variables or None
    )


def _merge(old: Command | None, new: Command) -> Command:
    if old is None:
        return new
    option_names = {option.name for option in old.options or ()}
    options = (*(old.options or ()), *(o for o in new.options or () if o.name not in option_names))
    argument_names = {argument.name for argument in old.arguments or ()}
    arguments = (
        *(old.arguments or ()),
        *(a for a in new.arguments or () if a.name not in argument_names),
    )
    effects = new.effects if old.effects is UNKNOWN else join(old.effects, new.effects)
    return old.replace(options=options or None, arguments=arguments or None, effects=effects)


def _nest(nodes: Mapping[Path, Command]) -> dict[str, Command]:
    """Paths → tree; words that are only part of a path become groups."""
    heads: dict[str, dict[Path, Command]] = {}
    for path, command in nodes.items():
        heads.setdefault(path[0], {})[path[1:]] = command
    tree = {}
    for name, commands in heads.items():
        parent = commands.pop((), Command())
        tree[name] = parent.replace(commands=_nest(commands)) if commands else parent
    return tree
