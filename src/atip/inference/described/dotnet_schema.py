"""System.CommandLine's schema: `dotnet --cli-schema` and programs that offer the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Command, Option

_NO_VALUE = ("System.Boolean", "System.Void")


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("options"), dict):
        return False
    return "subcommands" in document or "arguments" in document


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree and the version."""
    return _command(document, 0), facts.text(document.get("version"))


def _command(node: dict[str, Any], depth: int) -> Command:
    children = {}
    if depth < facts.MAX_DEPTH:
        children = {n: _command(one, depth + 1) for n, one in facts.pairs(node.get("subcommands"))}
    arguments = sorted(facts.pairs(node.get("arguments")), key=lambda one: _order(one[1]))
    return facts.command(
        description=node.get("description"),
        options=[_option(name, one) for name, one in facts.pairs(node.get("options"))],
        arguments=[
            facts.argument(
                name,
                description=one.get("description"),
                kind=one.get("valueType"),
                required=_arity(one, "minimum", 1) != 0,
                repeats=_arity(one, "maximum", 1) != 1,
                default=one.get("defaultValue"),
            )
            for name, one in arguments
        ],
        commands=children,
        aliases=node.get("aliases"),
        hidden=node.get("hidden"),
        kind="dotnet",
    )


def _option(name: str, node: dict[str, Any]) -> Option | None:
    is_switch = _arity(node, "maximum", 1) == 0 or node.get("valueType") in _NO_VALUE
    return facts.option(
        [*facts.words(node.get("aliases")), facts.add_dashes(name)],
        takes_value=not is_switch,
        description=node.get("description"),
        kind=node.get("valueType"),
        placeholder=facts.text(node.get("helpName")),
        default=node.get("defaultValue"),
        required=node.get("required"),
        repeats=not is_switch and _arity(node, "maximum", 1) != 1,
        hidden=node.get("hidden"),
        own={"inherited": True} if node.get("recursive") is True else None,
    )


def _arity(node: dict[str, Any], side: str, default: int) -> Any:
    arity = node.get("arity")
    return arity.get(side) if isinstance(arity, dict) else default


def _order(node: dict[str, Any]) -> int:
    order = node.get("order")
    return order if isinstance(order, int) else 0
