"""Fig completion specs in their JSON form: `{"name", "subcommands", "options", "args"}`."""

from __future__ import annotations

from atip.inference.described import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Argument, Command, Option

_TEMPLATES = {"filepaths": "file", "folders": "directory"}


def fits(document: Any) -> bool:
    """A name, and options that are called by their flags, here and one level below."""
    if not isinstance(document, dict) or not facts.words(document.get("name")):
        return False
    if not (document.get("options") or document.get("subcommands") or document.get("args")):
        return False
    below = [one for _, one in facts.named(document.get("subcommands"))]
    return all(_is_shaped(node) for node in [document, *below])


def _is_shaped(node: dict[str, Any]) -> bool:
    options = facts.dicts(node.get("options") or [])
    values = facts.dicts(node.get("args") or [])
    called = all(any(f.startswith("-") for f in facts.words(one.get("name"))) for one in options)
    return called and not any(key in one for one in values for key in ("long", "short", "usage"))


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree; a spec has no version."""
    return _command(document, 0), ""


def _command(node: dict[str, Any], depth: int) -> Command:
    children = {}
    if depth < facts.MAX_DEPTH:
        children = {n: _command(one, depth + 1) for n, one in facts.named(node.get("subcommands"))}
    return facts.command(
        description=node.get("description"),
        options=[_option(one) for one in facts.dicts(node.get("options") or [])],
        arguments=[_argument(one) for one in facts.dicts(node.get("args") or [])],
        commands=children,
        aliases=facts.words(node.get("name"))[1:],
        hidden=node.get("hidden"),
        deprecated=bool(node.get("deprecated")),
        kind="fig",
    )


def _option(node: dict[str, Any]) -> Option | None:
    values = facts.dicts(node.get("args") or [])
    first = values[0] if values else {}
    return facts.option(
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
        deprecated=bool(node.get("deprecated")),
        own=_own(node, first),
    )


def _own(node: dict[str, Any], value: dict[str, Any]) -> dict[str, Any] | None:
    own = {}
    if node.get("isPersistent") is True:
        own["inherited"] = True
    if value.get("isOptional") is True:
        own["optionalValue"] = True
    return own or None


def _argument(node: dict[str, Any]) -> Argument:
    return facts.argument(
        node.get("name"),
        description=node.get("description"),
        kind=_kind(node),
        required=node.get("isOptional") is not True,
        repeats=node.get("isVariadic"),
        default=node.get("default"),
    )


def _kind(node: dict[str, Any]) -> str:
    templates = facts.words(node.get("template"))
    return next((_TEMPLATES[one] for one in templates if one in _TEMPLATES), "")


def _choices(node: dict[str, Any]) -> list[str] | None:
    """Suggestions are a closed list only where nothing else produces more."""
    if node.get("generators") or node.get("template"):
        return None
    found: list[str] = []
    for one in node.get("suggestions") or []:
        name = one.get("name") if isinstance(one, dict) else one
        found += facts.words(name)[:1]
    return found or None
