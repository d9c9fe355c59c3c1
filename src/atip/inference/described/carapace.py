"""Carapace specs (YAML): files below `carapace/specs`, and what `TOOL _carapace spec` prints.

Modifiers behind a flag's name: `=` takes a value, `?` may take one, `*` repeats, `&` is hidden, `!` is required.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option

_KEYS = frozenset((
    "name", "aliases", "description", "group", "hidden", "parsing", "flags", "persistentflags",
    "exclusiveflags", "completion", "run", "commands", "documentation", "examples",
))  # fmt: skip
_FLAG = re.compile(r"(-{1,2}[^\s,=?*&!]+)([=?*&!]*)")
_MACROS = {"$files": "file", "$directories": "directory"}


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return False
    tables = [document.get(key) for key in ("flags", "persistentflags") if key in document]
    shaped = all(isinstance(table, dict) for table in tables)
    has_body = bool(tables or document.get("commands") or document.get("completion"))
    return shaped and has_body and document.keys() <= _KEYS


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree; a spec has no version."""
    return _command(document, 0), ""


def _command(node: dict[str, Any], depth: int) -> Command:
    completion = facts.mapping(node.get("completion"))
    values = facts.mapping(completion.get("flag"))
    own, passed_on = facts.mapping(node.get("flags")), facts.mapping(node.get("persistentflags"))
    options = [_option(key, one, values, inherited=False) for key, one in own.items()]
    options += [_option(key, one, values, inherited=True) for key, one in passed_on.items()]
    children = {}
    if depth < facts.MAX_DEPTH:
        children = {n: _command(one, depth + 1) for n, one in facts.pairs(node.get("commands"))}
    return facts.command(
        description=node.get("description"),
        options=options,
        arguments=_arguments(completion),
        commands=children,
        aliases=node.get("aliases"),
        hidden=node.get("hidden"),
        kind="carapace",
    )


def _option(key: str, node: Any, values: dict[str, Any], *, inherited: bool) -> Option | None:
    spellings = _FLAG.findall(str(key))
    marks = "".join(mark for _, mark in spellings)
    flags = [flag for flag, _ in spellings]
    completions = next((values[f.lstrip("-")] for f in flags if f.lstrip("-") in values), None)
    own = {"optionalValue": True} if "?" in marks else {}
    return facts.option(
        flags,
        takes_value="=" in marks or "?" in marks,
        description=node.get("description") if isinstance(node, dict) else node,
        kind=_kind(completions),
        choices=_choices(completions),
        required="!" in marks,
        repeats="*" in marks,
        hidden="&" in marks,
        own={**own, **({"inherited": True} if inherited else {})} or None,
    )


def _arguments(completion: dict[str, Any]) -> list[Argument]:
    arguments = [
        facts.argument(f"value{place}", kind=_kind(one), required=False, choices=_choices(one))
        for place, one in enumerate(completion.get("positional") or [], 1)
    ]
    rest = completion.get("positionalany")
    if rest:
        arguments.append(facts.argument("values", kind=_kind(rest), required=False, repeats=True))
    return arguments


def _kind(values: Any) -> str:
    return next((_MACROS[w] for one in facts.words(values or []) for w in _MACROS if one.startswith(w)), "")  # fmt: skip


def _choices(values: Any) -> list[str] | None:
    """Plain values; a macro (`$files`, `$(…)`) means that there are others."""
    choices = facts.words(values or [])
    if not choices or any(one.startswith("$") for one in choices):
        return None
    return [one.split("\t")[0] for one in choices]
