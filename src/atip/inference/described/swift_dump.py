"""Swift's ArgumentParser: `TOOL --experimental-dump-help`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Command

_DASHES = {"long": "--", "short": "-", "longWithSingleDash": "-"}


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or "serializationVersion" not in document:
        return False
    return isinstance(document.get("command"), dict)


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree; the dump does not name a version of the program."""
    return _command(document["command"], 0), ""


def _command(node: dict[str, Any], depth: int) -> Command:
    options, arguments = [], []
    for one in facts.dicts(node.get("arguments")):
        text = one.get("abstract") or one.get("discussion")
        choices = one.get("allValues") or one.get("allValueStrings")
        if one.get("kind") == "positional":
            arguments.append(
                facts.argument(
                    one.get("valueName"),
                    description=text,
                    required=not one.get("isOptional"),
                    repeats=one.get("isRepeating"),
                    choices=choices,
                )
            )
            continue
        names = facts.dicts(one.get("names"))
        options.append(
            facts.option(
                [_DASHES.get(str(n.get("kind")), "--") + facts.text(n.get("name")) for n in names],
                takes_value=one.get("kind") == "option",
                description=text,
                placeholder=facts.text(one.get("valueName")),
                choices=choices,
                default=one.get("defaultValue"),
                required=one.get("kind") == "option" and one.get("isOptional") is False,
                repeats=one.get("isRepeating"),
                hidden=one.get("shouldDisplay") is False,
            )
        )
    children = {}
    if depth < facts.MAX_DEPTH:
        for child in facts.dicts(node.get("subcommands")):
            children[facts.text(child.get("commandName"))] = _command(child, depth + 1)
    return facts.command(
        description=node.get("abstract") or node.get("discussion"),
        options=options,
        arguments=arguments,
        commands=children,
        aliases=node.get("aliases"),
        hidden=node.get("shouldDisplay") is False,
        kind="swift",
    )
