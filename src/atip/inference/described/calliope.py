"""Command trees of Google's calliope, as the Cloud SDK ships them: of `gsutil` with texts, of `gcloud` names and values only.

The short form (`gcloud_completions.py`, whose one assignment is JSON) says of a flag `bool`, `value`, `dynamic`, or its choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option

_SHORT = frozenset(["commands", "flags", "positionals"])
_LONG = frozenset(["commands", "flags", "is_group", "positionals", "sections"])
_MANY = ("*", "+")


def fits(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    keys = set(document)
    is_short = {"commands", "flags"} <= keys <= _SHORT
    parts = (document.get("commands"), document.get("flags"))
    return (is_short or keys >= _LONG) and all(isinstance(part, dict) for part in parts)


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    return _command(document, (name,)), facts.text(document.get("CLI_VERSION"))


def _command(node: dict[str, Any], path: tuple[str, ...]) -> Command:
    below = facts.pairs(node.get("commands")) if len(path) < facts.MAX_DEPTH else ()
    text = facts.text(facts.mapping(node.get("sections")).get("DESCRIPTION"))
    return facts.command(
        description=node.get("capsule") or text.split(". ", 1)[0] or _plain(path),
        options=[_option(flag, one) for flag, one in facts.mapping(node.get("flags")).items()],
        arguments=[_argument(one) for one in facts.dicts(node.get("positionals") or [])],
        commands={key: _command(one, (*path, key)) for key, one in below},
        hidden=node.get("is_hidden"),
        kind="calliope",
    )


def _plain(path: tuple[str, ...]) -> str:
    """`compute disks snapshot` → `disks snapshot`: with what it works on, where no text says more."""
    return " ".join(path[1:][-2:]).replace("-", " ")


def _option(flag: str, node: Any) -> Option | None:
    if not isinstance(node, dict):
        choices = node if isinstance(node, list) else None
        takes_value = node != "bool"
        return facts.option([flag], takes_value=takes_value, choices=choices)
    return facts.option(
        [flag],
        takes_value=node.get("type") != "bool",
        description=node.get("description"),
        kind=node.get("type"),
        placeholder=facts.text(node.get("value")),
        choices=node.get("choices"),
        required=node.get("is_required"),
        repeats=node.get("nargs") in _MANY,
        hidden=node.get("is_hidden"),
    )


def _argument(node: dict[str, Any]) -> Argument:
    return facts.argument(
        node.get("name"),
        description=node.get("description"),
        required=node.get("nargs") not in ("?", "*"),
        repeats=node.get("nargs") in _MANY,
    )
