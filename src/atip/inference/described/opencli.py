"""OpenCLI documents (opencli.org, 0.1): `TOOL cli opencli`, or a file that a package ships."""

from __future__ import annotations

from atip.inference.described import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Argument, Command, Option


def fits(document: Any) -> bool:
    return isinstance(document, dict) and "opencli" in document and "info" in document


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The root command and the version. The root is `command`, or the document itself."""
    nested = document.get("command")
    root = nested if isinstance(nested, dict) else document
    found = document.get("info")
    info = found if isinstance(found, dict) else {}
    told = root.get("description") or info.get("description") or info.get("summary")
    return _command({**root, "description": told}, 0), facts.text(info.get("version"))


def _command(node: dict[str, Any], depth: int) -> Command:
    children = {}
    if depth < facts.MAX_DEPTH:
        children = {n: _command(one, depth + 1) for n, one in facts.named(node.get("commands"))}
    return facts.command(
        description=node.get("description"),
        options=[_option(one) for one in facts.dicts(node.get("options"))],
        arguments=[_argument(one) for one in facts.dicts(node.get("arguments"))],
        commands=children,
        aliases=node.get("aliases"),
        hidden=node.get("hidden"),
        examples=node.get("examples"),
        kind="opencli",
    )


def _option(node: dict[str, Any]) -> Option | None:
    values = [one for one in facts.dicts(node.get("arguments")) if _maximum(one) != 0]
    first = values[0] if values else {}
    spelled = [*facts.words(node.get("aliases")), *facts.words(node.get("name"))]
    return facts.option(
        [facts.dashed(flag) for flag in spelled],
        takes_value=bool(values),
        description=node.get("description"),
        placeholder=facts.text(first.get("name")),
        choices=first.get("acceptedValues"),
        required=node.get("required"),
        repeats=bool(values) and _maximum(first) != 1,
        hidden=node.get("hidden"),
        own={"inherited": True} if node.get("recursive") is True else None,
    )


def _argument(node: dict[str, Any]) -> Argument:
    arity = node.get("arity")
    minimum = arity.get("minimum") if isinstance(arity, dict) else None
    return facts.argument(
        node.get("name"),
        description=node.get("description"),
        required=node.get("required") is True or (node.get("required") is None and minimum != 0),
        repeats=_maximum(node) != 1,
        choices=node.get("acceptedValues"),
    )


def _maximum(node: dict[str, Any]) -> Any:
    """How many values at most; an arity without a maximum has none, no arity at all means one."""
    arity = node.get("arity")
    return arity.get("maximum") if isinstance(arity, dict) else 1
