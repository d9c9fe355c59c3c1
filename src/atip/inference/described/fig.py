"""Fig completion specs in their JSON form: `{"name", "subcommands", "options", "args"}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.completion.tree import is_command_name, is_flag
from atip.inference.described import facts
from atip.model.effects import UNKNOWN, Effects

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option

KEPT = "x-fig"
_TEMPLATES = {"filepaths": "file", "folders": "directory"}
_COMMAND = frozenset(
    ("name", "description", "subcommands", "options", "args", "hidden", "deprecated", "isDangerous")
)
_OPTION = frozenset(
    ("name", "description", "args", "isRequired", "isRepeatable", "hidden", "deprecated", "isPersistent",
     "isDangerous", "exclusiveOn")
)  # fmt: skip
_ARGUMENT = frozenset(("name", "description", "isOptional", "isVariadic", "default"))
_RUNS = frozenset(("generators", "loadSpec", "generateSpec", "generateSpecCacheKey", "cache"))
_FUNCTION = "[function]"
"""Placeholder for a JavaScript function in the JSON form of a spec."""


def fits(document: Any) -> bool:
    """A name, and options that are called by their flags, here and one level below."""
    if not isinstance(document, dict) or not facts.words(document.get("name")):
        return False
    if not (document.get("options") or document.get("subcommands") or document.get("args")):
        return False
    below = [one for _, one in facts.pairs(document.get("subcommands"))]
    return all(_is_shaped(node) for node in [document, *below])


def _is_shaped(node: dict[str, Any]) -> bool:
    options = facts.dicts(node.get("options") or [])
    values = facts.dicts(node.get("args") or [])
    has_flags = all(any(f.startswith("-") for f in facts.words(one.get("name"))) for one in options)
    return has_flags and not any(key in one for one in values for key in ("long", "short", "usage"))


def read(document: dict[str, Any], name: str, *, keep: bool = False) -> tuple[Command, str]:
    """The tree; a spec has no version."""
    return _command(document, 0, keep), ""


def about(document: dict[str, Any]) -> dict[str, str]:
    """The name of the program."""
    return {"name": facts.words(document.get("name"))[0]}


def unread(document: Any, path: str = "$") -> list[facts.Unread]:
    """Code: generators, functions, specs that are loaded when they are needed."""
    losses: list[facts.Unread] = []
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs:
        place = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        if (key in _RUNS and value) or value == _FUNCTION:
            losses.append(facts.Unread(path=place, message=facts.RUNS))
        elif isinstance(value, dict | list):
            losses += [*_unusable(key, value, place), *unread(value, place)]
    return losses


def _unusable(key: Any, value: Any, path: str) -> list[facts.Unread]:
    """Spellings that the model does not take for a flag or the name of a command."""
    fits_in = {"options": is_flag, "subcommands": is_command_name}.get(key)
    losses = []
    for index, one in enumerate(facts.dicts(value) if fits_in else []):
        for name in facts.words(one.get("name")):
            if fits_in is not None and not fits_in(name):
                why = f"`{name}` is not a word that can be called"
                losses.append(facts.Unread(path=f"{path}[{index}].name", message=why))
    return losses


def _rest(node: dict[str, Any], known: frozenset[str], keep: bool) -> dict[str, Any]:
    """Other keys of a node, without code; empty unless `keep`."""
    return facts.rest(_without_code(node), known, KEPT) if keep else {}


def _without_code(node: dict[str, Any]) -> dict[str, Any]:
    """Generators become an empty list: that there were some is why suggestions are not all choices."""
    data = {key: value for key, value in node.items() if not unread({key: value})}
    return {**data, "generators": []} if "generators" in node else data


def _effects(node: dict[str, Any]) -> Effects:
    return Effects(destructive=True) if node.get("isDangerous") is True else UNKNOWN


def _command(node: dict[str, Any], depth: int, keep: bool) -> Command:
    children = {}
    if depth < facts.MAX_DEPTH:
        below = facts.pairs(node.get("subcommands"))
        children = {n: _command(one, depth + 1, keep) for n, one in below}
    command = facts.command(
        description=node.get("description"),
        options=[_option(one, keep) for one in facts.dicts(node.get("options") or [])],
        arguments=[_argument(one, keep) for one in facts.dicts(node.get("args") or [])],
        commands=children,
        aliases=facts.words(node.get("name"))[1:],
        hidden=node.get("hidden"),
        deprecated=_deprecated(node),
        kind="fig",
    )
    extra = {**command.extra, **_rest(node, _COMMAND, keep)}
    return command.replace(effects=_effects(node), extra=extra)


def _deprecated(node: dict[str, Any]) -> bool | str:
    mark = node.get("deprecated")
    return facts.text(facts.mapping(mark).get("description")) or bool(mark)


def _option(node: dict[str, Any], keep: bool) -> Option | None:
    values = facts.dicts(node.get("args") or [])
    first = values[0] if values else {}
    option = facts.option(
        facts.words(node.get("name")),
        takes_value=bool(values),
        description=node.get("description"),
        kind=_kind(first),
        placeholder=facts.text(first.get("name")),
        choices=_choices(first),
        default=first.get("default"),
        required=node.get("isRequired"),
        repeats=node.get("isRepeatable") or first.get("isVariadic"),
        hidden=node.get("hidden"),
        deprecated=_deprecated(node),
        own=_own(node, first),
    )
    if option is None:
        return None
    excluded = facts.words(node.get("exclusiveOn")) if node.get("exclusiveOn") else ()
    extra = {**option.extra, **_option_rest(node, values, keep)}
    names = tuple(flag.lstrip("-") for flag in excluded)
    return option.replace(exclusive=names or None, extra=extra)


def _option_rest(node: dict[str, Any], values: list[dict[str, Any]], keep: bool) -> dict[str, Any]:
    if not keep:
        return {}
    repeats = node.get("isRepeatable")
    others = _rest(node, _OPTION, keep).get(KEPT, {})
    if repeats is not True and repeats:
        others = {**others, "isRepeatable": repeats}
    below = [_without_code(one) for one in values]
    return {KEPT: {**others, "args": below} if below else others} if others or below else {}


def _own(node: dict[str, Any], value: dict[str, Any]) -> dict[str, Any] | None:
    own: dict[str, Any] = {}
    if node.get("isPersistent") is True:
        own["inherited"] = True
    if value.get("isOptional") is True:
        own["optionalValue"] = True
    if node.get("isDangerous") is True:
        own["effects"] = {"destructive": True}
    return own or None


def _argument(node: dict[str, Any], keep: bool) -> Argument:
    argument = facts.argument(
        node.get("name"),
        description=node.get("description"),
        kind=_kind(node),
        required=node.get("isOptional") is not True,
        repeats=node.get("isVariadic"),
        default=node.get("default"),
    )
    return argument.replace(extra={**argument.extra, **_rest(node, _ARGUMENT, keep)})


def _kind(node: dict[str, Any]) -> str:
    templates = facts.words(node.get("template"))
    return next((_TEMPLATES[one] for one in templates if one in _TEMPLATES), "")


def _choices(node: dict[str, Any]) -> list[str] | None:
    """Suggestions are a closed list only where nothing else produces more."""
    if "generators" in node or node.get("template"):
        return None
    names: list[str] = []
    for one in node.get("suggestions") or []:
        name = one.get("name") if isinstance(one, dict) else one
        names += facts.words(name)[:1]
    return names or None
