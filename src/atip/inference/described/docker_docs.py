"""Reference pages as docker's CLI writes them: one YAML document per command, with `pname` and `options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Command, Option


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("command"), str):
        return False
    return "options" in document or "cname" in document or "pname" in document


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """One command; its children are known by name only."""
    here = document["command"].split()
    children = {}
    for child in facts.words(document.get("cname") or []):
        path = child.split()
        if path[: len(here)] == here and len(path) == len(here) + 1:
            children[path[-1]] = facts.command(kind="docker-docs")
    own = facts.dicts(document.get("options") or [])
    inherited = facts.dicts(document.get("inherited_options") or [])
    command = facts.command(
        description=document.get("short"),
        options=[*map(_option, own), *map(_option, inherited)],
        commands=children,
        aliases=[alias.split()[-1] for alias in str(document.get("aliases") or "").split(",") if alias.strip()],
        deprecated=document.get("deprecated"),
        kind="docker-docs",
    )  # fmt: skip
    usage = document.get("usage")
    return command.replace(usage=facts.text(usage) or None), ""


def _option(node: dict[str, Any]) -> Option | None:
    short = facts.text(node.get("shorthand"))
    kind = facts.text(node.get("value_type"))
    return facts.option(
        [*([f"-{short}"] if short else []), f"--{facts.text(node.get('option'))}"],
        takes_value=kind != "bool",
        description=node.get("description"),
        kind=kind,
        placeholder=kind,
        default=None if node.get("default_value") == "[]" else node.get("default_value"),
        repeats=kind in ("list", "stringArray", "strings", "stringSlice"),
        hidden=node.get("hidden"),
        deprecated=node.get("deprecated"),
    )
