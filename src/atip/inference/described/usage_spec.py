"""Usage specs (usage.jdx.dev) in KDL: what `TOOL usage` or `--usage-spec` prints, and `*.usage.kdl` files."""

from __future__ import annotations

import re

from atip.inference.described import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from atip.inference.described.kdl import Node
    from atip.model.tool import Argument, Command, Option

_TOP = frozenset(("name", "bin", "about", "version", "cmd", "flag", "arg", "usage", "long_about"))
_PART = re.compile(r"(-{1,2}[^\s,<\[=.]+)|([<\[][^>\]]*[>\]])")


def fits(document: Any) -> bool:
    """Known nodes at the top, and among them something that says what can be typed."""
    names = {node.name for node in document} if isinstance(document, tuple) else set()
    return bool(names & {"cmd", "flag", "arg"}) and bool(names & {"bin", "name", "cmd"})


def read(document: tuple[Node, ...], name: str) -> tuple[Command, str]:
    """The tree and the version."""
    told = {node.name: node.first for node in document if node.name in _TOP and node.values}
    command = _command(document, told.get("about", ""), {}, 0)
    return command, facts.text(told.get("version"))


def _command(
    nodes: Iterable[Node], description: str, properties: dict[str, Any], depth: int
) -> Command:
    children, options, arguments, aliases = {}, [], [], []
    for node in nodes:
        if node.name == "cmd" and node.values and depth < facts.MAX_DEPTH:
            children[node.first] = _child(node, depth + 1)
        elif node.name == "flag":
            options += _options(node)
        elif node.name == "arg":
            arguments.append(_argument(node))
        elif node.name == "alias":
            aliases += [str(value) for value in node.values]
    return facts.command(
        description=description,
        options=options,
        arguments=arguments,
        commands=children,
        aliases=aliases,
        hidden=properties.get("hide"),
        deprecated=properties.get("deprecated"),
        kind="usage",
    )


def _child(node: Node, depth: int) -> Command:
    help_node = node.child("help")
    second = str(node.values[1]) if len(node.values) > 1 else ""
    told = node.text("help") or second or (help_node.first if help_node else "")
    return _command(node.children, told, dict(node.properties), depth)


def _options(node: Node) -> list[Option | None]:
    parts = _PART.findall(node.first)
    flags = [flag for flag, _ in parts if flag]
    inner = node.child("arg")
    values = [value for _, value in parts if value]
    value = inner.first if inner and inner.values else (values[0] if values else "")
    given = node.properties
    told = node.text("help") or (str(node.values[1]) if len(node.values) > 1 else "")
    own: dict[str, Any] = {"inherited": True} if given.get("global") is True else {}
    if value.startswith("["):
        own["optionalValue"] = True
    known = facts.option(
        flags,
        takes_value=bool(value),
        description=told,
        placeholder=value.strip("<>[]. "),
        choices=_choices(inner) or _choices(node),
        default=given.get("default"),
        required=given.get("required"),
        repeats=given.get("var") or given.get("count"),
        hidden=given.get("hide"),
        env=given.get("env"),
        deprecated=given.get("deprecated"),
        own=own or None,
    )
    negate = given.get("negate")
    if not isinstance(negate, str):
        return [known]
    return [known, facts.option([negate], takes_value=False, description=f"Not: {told}")]


def _argument(node: Node) -> Argument:
    spelled = node.first
    given = node.properties
    is_optional = spelled.startswith("[") or given.get("required") is False
    second = str(node.values[1]) if len(node.values) > 1 else ""
    return facts.argument(
        spelled.strip("<>[].… "),
        description=node.text("help") or second,
        required=not is_optional,
        repeats=given.get("var") or "..." in spelled or "…" in spelled,
        choices=_choices(node),
        default=given.get("default"),
    )


def _choices(node: Node | None) -> list[str] | None:
    found = node.child("choices") if node else None
    return [str(value) for value in found.values] if found and found.values else None
