"""Usage specs (usage.jdx.dev) in KDL: what `TOOL usage` or `--usage-spec` prints, and `*.usage.kdl` files.

`keep=True` is for converting a document: assurances (`effect=read`) are taken as written, and what the model has no
field for stays in the vendor field `x-usage`. A program that describes itself while being probed may only alarm.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.inference.described import facts
from atip.inference.described.usage import usage_rest
from atip.model.reading.encode import encode_effects
from atip.model.reading.usage_effects import alarms_of, effects_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.inference.described.usage.kdl import KdlNode
    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option

_TOP = frozenset(("name", "bin", "about", "version", "cmd", "flag", "arg", "usage", "long_about"))
_PART = re.compile(r"(-{1,2}[^\s,<\[=.…]+)|([<\[][^>\]]*[>\]])")


def fits(document: Any) -> bool:
    """Known nodes at the top, and among them something that says what can be typed."""
    names = {node.name for node in document} if isinstance(document, tuple) else set()
    return bool(names & {"cmd", "flag", "arg"}) and bool(names & {"bin", "name", "cmd"})


def read(document: tuple[KdlNode, ...], name: str, *, keep: bool = False) -> tuple[Command, str]:
    """The tree and the version."""
    fields = {node.name: node.first for node in document if node.name in _TOP and node.values}
    command = _Reader(keep=keep).command(document, fields.get("about", ""), {}, 0)
    return command, facts.text(fields.get("version"))


def about(document: tuple[KdlNode, ...]) -> dict[str, str]:
    """Name, homepage and license."""
    fields = {node.name: node.first for node in document if node.values}
    return {
        "name": fields.get("bin") or fields.get("name", ""),
        "homepage": fields.get("repository", ""),
        "license": fields.get("license", ""),
    }


def unread(document: tuple[KdlNode, ...]) -> list[facts.Unread]:
    """Parts that are not kept, each with its place."""
    return usage_rest.losses(document)


class _Reader:
    def __init__(self, *, keep: bool) -> None:
        self._keep = keep

    def command(
        self, nodes: Iterable[KdlNode], description: str, properties: dict[str, Any], depth: int
    ) -> Command:
        nodes = tuple(nodes)
        children: dict[str, Command] = {}
        options: list[Option | None] = []
        arguments: list[Argument] = []
        aliases: list[str] = []
        examples: list[str] = []
        for node in nodes:
            if node.name == "cmd" and node.values and depth < facts.MAX_DEPTH:
                children[node.first] = self._child(node, depth + 1)
            elif node.name == "flag":
                options += self._options(node)
            elif node.name == "arg":
                arguments.append(self._argument(node))
            elif node.name == "alias":
                aliases += [str(value) for value in node.values]
            elif node.name == "example" and node.values:
                examples.append(str(node.values[-1]).strip())
        command = facts.command(
            description=description,
            options=options,
            arguments=arguments,
            commands=children,
            aliases=aliases,
            hidden=properties.get("hide"),
            deprecated=_deprecated(properties),
            examples=examples,
            kind="usage",
        )
        rest = usage_rest.of_command(nodes, properties, depth) if self._keep else {}
        command = command.replace(effects=self._effects(properties.get("effect")))
        return command.replace(extra={**command.extra, **rest})

    def _effects(self, word: object) -> Effects:
        return effects_of(word) if self._keep else alarms_of(word)

    def _child(self, node: KdlNode, depth: int) -> Command:
        help_node = node.child("help")
        second = str(node.values[1]) if len(node.values) > 1 else ""
        text = node.text("help") or second or (help_node.first if help_node else "")
        return self.command(node.children, text, dict(node.properties), depth)

    def _options(self, node: KdlNode) -> list[Option | None]:
        parts = _PART.findall(node.first)
        flags = [flag for flag, _ in parts if flag]
        flags += [str(v) for one in node.children if one.name == "alias" for v in one.values]
        inner = node.child("arg")
        values = [value for _, value in parts if value]
        value = inner.first if inner and inner.values else (values[0] if values else "")
        properties = node.properties
        text = node.text("help") or (str(node.values[1]) if len(node.values) > 1 else "")
        repeats = properties.get("var") or properties.get("count") or "..." in node.first
        option = facts.option(
            flags,
            takes_value=bool(value),
            description=text,
            placeholder=value.strip("<>[].… "),
            choices=_choices(inner) or _choices(node),
            default=properties.get("default"),
            required=properties.get("required"),
            repeats=repeats or "…" in node.first,
            hidden=properties.get("hide"),
            env=properties.get("env"),
            deprecated=_deprecated(properties),
            own=self._own(properties, value) or None,
        )
        if option is not None:
            option = option.replace(exclusive=_conflicts(node))
            if self._keep:
                option = option.replace(
                    extra={**option.extra, **usage_rest.of_flag(node, value, inner)}
                )
        negate = properties.get("negate")
        if not isinstance(negate, str):
            return [option]
        return [option, facts.option([negate], takes_value=False, description=f"Not: {text}")]

    def _own(self, properties: Any, value: str) -> dict[str, Any]:
        own: dict[str, Any] = {"inherited": True} if properties.get("global") is True else {}
        if value.startswith("["):
            own["optionalValue"] = True
        effects = encode_effects(self._effects(properties.get("effect")))
        return {**own, "effects": effects} if effects else own

    def _argument(self, node: KdlNode) -> Argument:
        spelling = node.first
        properties = node.properties
        is_optional = spelling.startswith("[") or properties.get("required") is False
        second = str(node.values[1]) if len(node.values) > 1 else ""
        argument = facts.argument(
            spelling.strip("<>[].… ").removeprefix("-- "),
            description=node.text("help") or second,
            required=not is_optional,
            repeats=properties.get("var") or "..." in spelling or "…" in spelling,
            choices=_choices(node),
            default=properties.get("default"),
        )
        effects = encode_effects(self._effects(properties.get("effect")))
        extra = {"x-atip": {"effects": effects}} if effects else {}
        rest = usage_rest.of_argument(node) if self._keep else {}
        return argument.replace(extra={**extra, **rest})


def _choices(node: KdlNode | None) -> list[str] | None:
    choices = node.child("choices") if node else None
    if choices is None:
        return None
    names = [one.first for one in choices.children if one.name == "choice" and one.values]
    return [str(value) for value in choices.values] + names or None


def _conflicts(node: KdlNode) -> tuple[str, ...] | None:
    """Names of the options that may not stand beside this one."""
    flags = [node.text("conflicts")]
    flags += [str(v) for one in node.children if one.name == "conflicts" for v in one.values]
    return tuple(flag.lstrip("-") for flag in flags if flag.startswith("-")) or None


def _deprecated(properties: Any) -> object:
    """The reason; the bare word says no more than that it is so."""
    reason = properties.get("deprecated")
    return True if reason == "deprecated" else reason
