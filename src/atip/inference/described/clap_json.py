"""JSON help in clap's words, as `help --json`, `--help-json` and `json_reference` commands print it.

A node has `args` (with `short`, `long`, `help`) or `options`/`flags`, and `subcommands` or `commands`. The keys
differ between programs; what they mean does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option

_LISTS = ("args", "arguments", "options", "flags", "opts", "positionals")
_BELOW = ("subcommands", "commands")
_TEXTS = ("about", "description", "help", "summary", "short", "abstract")


def fits(document: Any) -> bool:
    """A named node with at least one option that has `long`, `short` or `flags`."""
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return False
    return any(_is_option(one) for one in _entries(document)) or any(
        _entries(one) for key in _BELOW for _, one in facts.pairs(document.get(key))
    )


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree and the version."""
    return _command(document, 0), facts.text(document.get("version"))


def _command(node: dict[str, Any], depth: int) -> Command:
    entries = _entries(node)
    children: dict[str, Command] = {}
    if depth < facts.MAX_DEPTH:
        for key in _BELOW:
            children.update(
                (name, _command(one, depth + 1)) for name, one in facts.pairs(node.get(key))
            )
    return facts.command(
        description=_description(node),
        options=[_option(one) for one in entries if _is_option(one)],
        arguments=[_argument(one) for one in entries if not _is_option(one)],
        commands=children,
        aliases=node.get("aliases") or node.get("visible_aliases"),
        hidden=node.get("hidden") or node.get("hide"),
        kind="clap",
    )


def _entries(node: dict[str, Any]) -> list[dict[str, Any]]:
    entries = []
    for key in _LISTS:
        entries += [{"name": name, **one} for name, one in facts.pairs(node.get(key))]
    return entries


def _is_option(node: dict[str, Any]) -> bool:
    return bool(_flags(node))


def _flags(node: dict[str, Any]) -> list[str]:
    flags = [f"-{one.lstrip('-')}" for one in facts.words(node.get("short")) if len(one) <= 2]
    flags += [facts.add_dashes(one) for one in facts.words(node.get("long")) if " " not in one]
    flags += [one for one in facts.words(node.get("flags")) if one.startswith("-")]
    name = facts.text(node.get("name"))
    return flags + ([name] if name.startswith("-") else [])


def _option(node: dict[str, Any]) -> Option | None:
    return facts.option(
        _flags(node),
        takes_value=_takes_value(node),
        description=_description({**node, "short": None}),
        kind=node.get("type") or node.get("value_type"),
        placeholder=facts.text(node.get("value_name") or node.get("metavar")),
        choices=node.get("possible_values") or node.get("choices") or node.get("enum"),
        default=node.get("default") or node.get("default_value"),
        required=node.get("required"),
        repeats=node.get("multiple") or node.get("repeatable"),
        hidden=node.get("hidden") or node.get("hide"),
        env=node.get("env"),
        deprecated=node.get("deprecated"),
    )


def _takes_value(node: dict[str, Any]) -> bool:
    for key in ("takes_value", "takesValue", "hasValue"):
        if isinstance(node.get(key), bool):
            return bool(node[key])
    kind = node.get("type") or node.get("value_type")
    if isinstance(kind, str):
        return facts.kind_of(kind) != "boolean"
    usage = facts.text(node.get("usage"))  # `--name <NAME>`
    values = ("value_name", "value_names", "metavar", "possible_values", "choices", "num_args")
    return "<" in usage or "=" in usage or any(node.get(key) for key in values)


def _argument(node: dict[str, Any]) -> Argument:
    return facts.argument(
        node.get("name"),
        description=_description(node),
        kind=node.get("type"),
        required=node.get("required") is True,
        repeats=node.get("multiple") or node.get("variadic"),
        choices=node.get("possible_values") or node.get("choices"),
    )


def _description(node: dict[str, Any]) -> str:
    return next((text for key in _TEXTS if (text := facts.text(node.get(key)))), "")
