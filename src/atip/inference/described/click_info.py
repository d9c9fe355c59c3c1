"""Self-description of click programs: `Context.to_info_dict()` or `Command.to_info_dict()` as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option


def fits(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    root = _root(document)
    params = root.get("params")
    return isinstance(params, list) and all("param_type_name" in one for one in facts.dicts(params))


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree; click does not say the version."""
    return _command(_root(document), 0), ""


def _root(document: dict[str, Any]) -> dict[str, Any]:
    nested = document.get("command")
    return nested if isinstance(nested, dict) else document


def _command(node: dict[str, Any], depth: int) -> Command:
    params = facts.dicts(node.get("params"))
    children = {}
    if depth < facts.MAX_DEPTH:
        children = {n: _command(one, depth + 1) for n, one in facts.pairs(node.get("commands"))}
    return facts.command(
        description=str(node.get("short_help") or node.get("help") or "").split("\n\n")[0],
        options=[o for one in params if _is_option(one) for o in _options(one)],
        arguments=[_argument(one) for one in params if not _is_option(one)],
        commands=children,
        hidden=node.get("hidden"),
        deprecated=node.get("deprecated"),
        kind="click",
    )


def _is_option(node: dict[str, Any]) -> bool:
    return node.get("param_type_name") == "option"


def _options(node: dict[str, Any]) -> list[Option | None]:
    kind, choices = _type(node)
    takes_value = not (node.get("is_flag") or node.get("count"))
    flags = facts.words(node.get("opts"))
    env = node.get("envvar")
    option = facts.option(
        flags,
        takes_value=takes_value,
        description=node.get("help"),
        kind=kind,
        choices=choices,
        default=node.get("default"),
        required=node.get("required"),
        repeats=node.get("multiple") or node.get("count") or node.get("nargs") not in (0, 1),
        hidden=node.get("hidden"),
        env=env[0] if isinstance(env, list) and env else env,
        deprecated=node.get("deprecated"),
    )
    seconds = facts.words(node.get("secondary_opts"))
    if not seconds:
        return [option]
    negation = f"Not: {facts.text(node.get('help'))}"
    return [option, facts.option(seconds, takes_value=False, description=negation)]


def _argument(node: dict[str, Any]) -> Argument:
    kind, choices = _type(node)
    return facts.argument(
        node.get("name"),
        description=node.get("help"),
        kind=kind,
        required=node.get("required") is True,
        repeats=node.get("nargs") == -1,
        choices=choices,
        default=node.get("default"),
    )


def _type(node: dict[str, Any]) -> tuple[str, Any]:
    type_ = facts.mapping(node.get("type"))
    return facts.text(type_.get("name")), type_.get("choices")
