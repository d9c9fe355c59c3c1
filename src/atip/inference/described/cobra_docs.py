"""Reference pages as cobra's own generator writes them: `name`, `synopsis`, `options`, `see_also` in YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Command, Option


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return False
    options = document.get("options") or document.get("inherited_options")
    return isinstance(options, list) and all("name" in one for one in facts.dicts(options))


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """One command; children are those of `see_also` whose name continues its own."""
    here = document["name"].split()
    children = {}
    for line in facts.words(document.get("see_also") or []):
        title, _, text = line.partition(" - ")
        path = title.split()
        if path[: len(here)] == here and len(path) == len(here) + 1:
            children[path[-1]] = facts.command(description=text, kind="cobra-docs")
    own = facts.dicts(document.get("options") or [])
    inherited = facts.dicts(document.get("inherited_options") or [])
    command = facts.command(
        description=document.get("synopsis") or document.get("description"),
        options=[*map(_option, own), *map(_option, inherited)],
        commands=children,
        kind="cobra-docs",
    )
    return command.replace(usage=facts.text(document.get("usage")) or None), ""


def _option(node: dict[str, Any]) -> Option | None:
    short = facts.text(node.get("shorthand"))
    default = node.get("default_value")
    # The generator writes no types: the default of a switch is a truth value.
    is_switch = str(default).lower() in ("true", "false")
    text = facts.text(node.get("usage"))
    return facts.option(
        [*([f"-{short}"] if short else []), f"--{facts.text(node.get('name'))}"],
        takes_value=not is_switch,
        description=text,
        kind="int" if isinstance(default, int) and not isinstance(default, bool) else "",
        default=default,
        repeats=default == "[]",
    )
