"""OpenCLI documents (opencli.org, 0.1): `TOOL cli opencli`, or a file that a package ships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option

KEPT = "x-opencli"
_TOP = frozenset(("opencli", "info", "command"))
_COMMAND = frozenset(
    ("name", "aliases", "description", "options", "arguments", "commands", "hidden", "examples")
)
_OPTION = frozenset(
    ("name", "aliases", "description", "arguments", "required", "hidden", "recursive")
)
_ARGUMENT = frozenset(("name", "description", "required", "arity", "acceptedValues"))


def fits(document: Any) -> bool:
    return isinstance(document, dict) and "opencli" in document and "info" in document


def about(document: dict[str, Any]) -> dict[str, str]:
    """Name, homepage and license."""
    info = facts.mapping(document.get("info"))
    contact, terms = facts.mapping(info.get("contact")), facts.mapping(info.get("license"))
    return {
        "name": facts.text(info.get("title")).replace(" ", "-"),
        "homepage": facts.text(contact.get("url")),
        "license": facts.text(terms.get("identifier") or terms.get("name")),
    }


def unread(document: dict[str, Any]) -> list[facts.Unread]:
    """Nothing: what the model has no field for is kept beside it."""
    return []


def read(document: dict[str, Any], name: str, *, keep: bool = False) -> tuple[Command, str]:
    """The root command and the version. The root is `command`, or the document itself."""
    nested = document.get("command")
    root = nested if isinstance(nested, dict) else document
    info = facts.mapping(document.get("info"))
    text = root.get("description") or info.get("description") or info.get("summary")
    command = _command({**root, "description": text}, 0, keep)
    return command, facts.text(info.get("version"))


def _command(node: dict[str, Any], depth: int, keep: bool) -> Command:
    children = {}
    if depth < facts.MAX_DEPTH:
        below = facts.pairs(node.get("commands"))
        children = {n: _command(one, depth + 1, keep) for n, one in below}
    command = facts.command(
        description=node.get("description"),
        options=[_option(one, keep) for one in facts.dicts(node.get("options"))],
        arguments=[_argument(one, keep) for one in facts.dicts(node.get("arguments"))],
        commands=children,
        aliases=node.get("aliases"),
        hidden=node.get("hidden"),
        examples=node.get("examples"),
        kind="opencli",
    )
    keys = _COMMAND | _TOP if depth == 0 else _COMMAND
    more = facts.rest(node, keys, KEPT) if keep else {}
    return command.replace(extra={**command.extra, **more})


def _option(node: dict[str, Any], keep: bool) -> Option | None:
    values = [one for one in facts.dicts(node.get("arguments")) if _maximum(one) != 0]
    first = values[0] if values else {}
    names = [*facts.words(node.get("aliases")), *facts.words(node.get("name"))]
    option = facts.option(
        [facts.add_dashes(flag) for flag in names],
        takes_value=bool(values),
        description=node.get("description"),
        placeholder=facts.text(first.get("name")),
        choices=first.get("acceptedValues"),
        required=node.get("required"),
        repeats=bool(values) and _maximum(first) != 1,
        hidden=node.get("hidden"),
        own={"inherited": True} if node.get("recursive") is True else None,
    )
    if option is None or not keep:
        return option
    more = facts.rest(node, _OPTION, KEPT)
    if values:
        more = {KEPT: {**more.get(KEPT, {}), "arguments": values}}
    return option.replace(extra={**option.extra, **more})


def _argument(node: dict[str, Any], keep: bool) -> Argument:
    minimum = facts.mapping(node.get("arity")).get("minimum")
    argument = facts.argument(
        node.get("name"),
        description=node.get("description"),
        required=node.get("required") is True or (node.get("required") is None and minimum != 0),
        repeats=_maximum(node) != 1,
        choices=node.get("acceptedValues"),
    )
    more = facts.rest(node, _ARGUMENT, KEPT) if keep else {}
    return argument.replace(extra={**argument.extra, **more})


def _maximum(node: dict[str, Any]) -> Any:
    """Maximum number of values: 1 without an arity, None if the arity has no maximum."""
    arity = node.get("arity")
    return arity.get("maximum") if isinstance(arity, dict) else 1
