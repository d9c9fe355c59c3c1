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
    told = {node.name: node.first for node in document if node.name in _TOP and node.values}
    command = _Reader(keep=keep).command(document, told.get("about", ""), {}, 0)
    return command, facts.text(told.get("version"))


def about(document: tuple[KdlNode, ...]) -> dict[str, str]:
    """Name, homepage and license."""
    told = {node.name: node.first for node in document if node.values}
    return {
        "name": told.get("bin") or told.get("name", ""),
        "homepage": told.get("repository", ""),
        "license": told.get("license", ""),
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
        made = facts.command(
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
        made = made.replace(effects=self._effects(properties.get("effect")))
        return made.replace(extra={**made.extra, **rest})

    def _effects(self, word: object) -> Effects:
        return effects_of(word) if self._keep else alarms_of(word)

    def _child(self, node: KdlNode, depth: int) -> Command:
        help_node = node.child("help")
        second = str(node.values[1]) if len(node.values) > 1 else ""
        told = node.text("help") or second or (help_node.first if help_node else "")
        return self.command(node.children, told, dict(node.properties), depth)

    def _options(self, node: KdlNode) -> list[Option | None]:
        parts = _PART.findall(node.first)
        flags = [flag for flag, _ in parts if flag]
        flags += [str(v) for one in node.children if one.name == "alias" for v in one.values]
        inner = node.child("arg")
        values = [value for _, value in parts if value]
        value = inner.first if inner and inner.values else (values[0] if values else "")
        given = node.properties
        told = node.text("help") or (str(node.values[1]) if len(node.values) > 1 else "")
        repeats = given.get("var") or given.get("count") or "..." in node.first
        known = facts.option(
            flags,
            takes_value=bool(value),
            description=told,
            placeholder=value.strip("<>[].… "),
            choices=_choices(inner) or _choices(node),
            default=given.get("default"),
            required=given.get("required"),
            repeats=repeats or "…" in node.first,
            hidden=given.get("hide"),
            env=given.get("env"),
            deprecated=_deprecated(given),
            own=self._own(given, value) or None,
        )
        if known is not None:
            known = known.replace(exclusive=_conflicts(node))
            if self._keep:
                known = known.replace(
                    extra={**known.extra, **usage_rest.of_flag(node, value, inner)}
                )
        negate = given.get("negate")
        if not isinstance(negate, str):
            return [known]
        return [known, facts.option([negate], takes_value=False, description=f"Not: {told}")]

    def _own(self, given: Any, value: str) -> dict[str, Any]:
        own: dict[str, Any] = {"inherited": True} if given.get("global") is True else {}
        if value.startswith("["):
            own["optionalValue"] = True
        effects = encode_effects(self._effects(given.get("effect")))
        return {**own, "effects": effects} if effects else own

    def _argument(self, node: KdlNode) -> Argument:
        spelled = node.first
        given = node.properties
        is_optional = spelled.startswith("[") or given.get("required") is False
        second = str(node.values[1]) if len(node.values) > 1 else ""
        made = facts.argument(
            spelled.strip("<>[].… ").removeprefix("-- "),
            description=node.text("help") or second,
            required=not is_optional,
            repeats=given.get("var") or "..." in spelled or "…" in spelled,
            choices=_choices(node),
            default=given.get("default"),
        )
        effects = encode_effects(self._effects(given.get("effect")))
        extra = {"x-atip": {"effects": effects}} if effects else {}
        rest = usage_rest.of_argument(node) if self._keep else {}
        return made.replace(extra={**extra, **rest})


def _choices(node: KdlNode | None) -> list[str] | None:
    found = node.child("choices") if node else None
    if found is None:
        return None
    named = [one.first for one in found.children if one.name == "choice" and one.values]
    return [str(value) for value in found.values] + named or None


def _conflicts(node: KdlNode) -> tuple[str, ...] | None:
    """Names of the options that may not stand beside this one."""
    told = [node.text("conflicts")]
    told += [str(v) for one in node.children if one.name == "conflicts" for v in one.values]
    return tuple(flag.lstrip("-") for flag in told if flag.startswith("-")) or None


def _deprecated(given: Any) -> object:
    """The reason; the bare word says no more than that it is so."""
    told = given.get("deprecated")
    return True if told == "deprecated" else told
