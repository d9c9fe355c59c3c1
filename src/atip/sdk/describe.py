"""An argparse parser → ATIP 0.6 metadata, read from the parser object itself.

Standard library only, nothing imported but what the author's program has loaded already. Facts that a
parser does not hold (effects, authentication) are handed in, or declared with `@effects` on a function
among the parser's defaults (`set_defaults(func=…)`). Does not run the program.
"""

from __future__ import annotations

from .declare import declared_on, merged
from .words import (
    choices_of,
    first_line,
    is_deprecated_text,
    option_name,
    type_of_name,
    usable_default,
    variable_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from typing import Any

    Document = dict[str, Any]
    EffectsTable = Mapping[str, Mapping[str, Any]]

SUPPRESS = "==SUPPRESS=="
_HELP_FLAGS = frozenset(["--help", "--agent"])
_MANY = ("*", "+", "...", "A...")
_REPEATED = ("_AppendAction", "_ExtendAction", "_AppendConstAction", "_CountAction")


def describe_argparse(
    parser: argparse.ArgumentParser,
    *,
    version: str,
    name: str | None = None,
    effects: EffectsTable | None = None,
    env: Mapping[str, str] | None = None,
    **fields: Any,
) -> Document:
    """The metadata document of a program.

    `effects` maps a command path (`"remote add"`; `""` is the tool itself) to its effects object;
    a value may hold `{"--flag": {…}}` under the key `"flags"` for flags that raise them. `env` maps
    flags to environment variables that set them. `fields` are further root fields, such as
    `authentication` or `patterns`.

    Raises:
        ValueError: effects for a command or a flag that does not exist.
    """
    body = _Describer(effects or {}, env or {}).command(parser, "")
    check_paths(effects or {}, body)
    document: Document = {
        "atip": {"version": "0.6", "features": ["partial-discovery", "interactive-effects"]},
        "name": name or parser.prog.split()[0],
        "version": version,
        "description": body.pop("description"),
        "trust": {"source": "native", "verified": False},
    }
    options = body.pop("options", [])
    has_commands = "commands" in body
    if options:
        document["globalOptions" if has_commands else "options"] = options
    document.update(body)
    document.update(fields)
    return document


def version_of(parser: argparse.ArgumentParser) -> str | None:
    """The version that `--version` would print, without the program's name."""
    for action in parser._actions:
        text = getattr(action, "version", None)
        if isinstance(text, str) and type(action).__name__ == "_VersionAction":
            words = text.replace("%(prog)s", " ").split()
            return next((word.lstrip("v") for word in words if any(map(str.isdigit, word))), None)
    return None


class _Describer:
    """One walk over a parser and its subparsers, with what the author handed in."""

    def __init__(self, table: EffectsTable, env: Mapping[str, str]) -> None:
        self.table = table
        self.env = env

    def command(self, parser: argparse.ArgumentParser, path: str) -> Document:
        entry: Document = {
            "description": first_line(parser.description or parser.usage or path or parser.prog)
        }
        arguments: list[Document] = []
        options: list[Document] = []
        excluded = _exclusions(parser)
        for action in parser._actions:
            if _is_subparsers(action):
                entry["commands"] = dict(self.subcommands(action, path))
            elif action.option_strings:
                options += self.options(action, excluded.get(id(action), []))
            else:
                arguments.append(_argument(action))
        facts = merged(declared_on(*_handlers(parser)), self.table.get(path, {}))
        flag_effects(options, facts.pop("flags", {}))
        entry.update(
            (key, value)
            for key, value in (("arguments", arguments), ("options", options), ("effects", facts))
            if value
        )
        return entry

    def subcommands(self, action: argparse.Action, path: str) -> Iterator[tuple[str, Document]]:
        helps = {choice.dest: choice.help for choice in getattr(action, "_choices_actions", ())}
        old = getattr(action, "_deprecated", ())  # Python 3.13
        seen: dict[int, Document] = {}
        choices: dict[str, argparse.ArgumentParser] = action.choices  # type: ignore[assignment]
        for name, parser in choices.items():
            if id(parser) in seen:
                seen[id(parser)].setdefault("aliases", []).append(name)
                continue
            entry = self.command(parser, f"{path} {name}".strip())
            text = helps.get(name)
            if text == SUPPRESS or (helps and name not in helps):
                entry["hidden"] = True
            elif text and not parser.description:
                entry["description"] = first_line(text)
            if name in old or is_deprecated_text(text) or is_deprecated_text(parser.description):
                entry["deprecated"] = True
            seen[id(parser)] = entry
            yield name, entry

    def options(self, action: argparse.Action, excluded: list[str]) -> list[Document]:
        """The options of one action: none for help, two for `--x/--no-x`."""
        flags = [flag for flag in action.option_strings if flag.startswith("-")]
        if not flags or not _HELP_FLAGS.isdisjoint(flags):
            return []
        negative = [flag for flag in flags if flag.startswith("--no-")]
        if type(action).__name__ == "BooleanOptionalAction" and negative:
            positive = [flag for flag in flags if flag not in negative]
            yes, no = (self._option(action, each) for each in (positive, negative))
            yes["exclusive"] = [*excluded, no["name"]]
            no["exclusive"] = [*excluded, yes["name"]]
            no["description"] = first_line(f"Not: {yes['description']}")
            return [yes, no]
        entry = self._option(action, flags)
        if excluded:
            entry["exclusive"] = excluded
        return [entry]

    def _option(self, action: argparse.Action, flags: list[str]) -> Document:
        name = option_name(flags)
        entry: Document = {"name": name, "flags": flags, "type": _type(action)}
        entry["description"] = _text(action) or name.replace("-", " ")
        if action.required:
            entry["required"] = True
        _values(action, entry)
        variable = next((self.env[flag] for flag in flags if flag in self.env), None)
        variable = variable or getattr(action, "env_var", None) or variable_in(_help(action))
        if variable:
            entry["envVar"] = variable
        if action.help == SUPPRESS:
            entry["hidden"] = True
        if getattr(action, "deprecated", False) or is_deprecated_text(_help(action)):
            entry["deprecated"] = True
        return entry


def check_paths(table: EffectsTable, body: Document) -> None:
    """
    Raises:
        ValueError: for a command that the program does not have; its effects would be lost.
    """
    paths, left = {""}, [("", body)]
    while left:
        path, entry = left.pop()
        for name, child in entry.get("commands", {}).items():
            below = f"{path} {name}".strip()
            paths.add(below)
            left.append((below, child))
    missing = sorted(set(table) - paths)
    if missing:
        raise ValueError(f"effects for commands that do not exist: {', '.join(missing)}")


def flag_effects(options: list[Document], by_flag: Mapping[str, Any]) -> None:
    """Put the effects that flags add into their `x-atip` blocks.

    Raises:
        ValueError: for a flag that no option has; its effects would be lost.
    """
    missing = dict(by_flag)
    for option in options:
        for flag in option["flags"]:
            if flag in by_flag:
                option["x-atip"] = {"effects": dict(by_flag[flag])}
                missing.pop(flag)
    if missing:
        raise ValueError(f"effects for flags that do not exist: {', '.join(missing)}")


def _argument(action: argparse.Action) -> Document:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    name = action.dest.replace("-", "_") if action.dest != SUPPRESS else ""
    name = name or metavar or "value"
    entry: Document = {"name": name, "type": _type(action)}
    entry["description"] = _text(action) or name.replace("_", " ")
    if action.nargs in ("?", "*") or not action.required:
        entry["required"] = False
    _values(action, entry)
    return entry


def _handlers(parser: argparse.ArgumentParser) -> list[Any]:
    return [value for value in parser._defaults.values() if callable(value)]


def _is_subparsers(action: argparse.Action) -> bool:
    return hasattr(action, "_name_parser_map")


def _exclusions(parser: argparse.ArgumentParser) -> dict[int, list[str]]:
    """For each action the option names that may not be given with it."""
    groups: dict[int, list[str]] = {}
    for group in parser._mutually_exclusive_groups:
        for action in group._group_actions:
            others = [
                option_name(other.option_strings)
                for other in group._group_actions
                if other is not action and other.option_strings
            ]
            groups[id(action)] = others
    return groups


def _type(action: argparse.Action) -> str:
    if action.choices is not None:
        return "enum"
    if action.nargs == 0:
        return "boolean"
    types = {int: "integer", float: "number", bool: "string", "int": "integer", "float": "number"}
    kind: Any = action.type
    # a function that checks a number says what it makes: `def port(text: str) -> int`
    result_type = getattr(kind, "__annotations__", {}).get("return", kind)
    if result_type in types:
        return types[result_type]
    label = getattr(kind, "__name__", type(kind).__name__) if kind else ""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return type_of_name(label, metavar, action.dest)


def _help(action: argparse.Action) -> str:
    return action.help if action.help and action.help != SUPPRESS else ""


def _text(action: argparse.Action) -> str:
    values = {key: value for key, value in vars(action).items() if value is not None}
    default = usable_default(action.default, action.dest)
    values.update(prog="", default=default, type=getattr(action.type, "__name__", ""))
    if action.choices is not None:
        values["choices"] = ", ".join(map(str, action.choices))
    try:
        return first_line(_help(action) % values)
    except (KeyError, TypeError, ValueError):
        return first_line(_help(action))


def _values(action: argparse.Action, entry: Document) -> None:
    many = isinstance(action.nargs, int) and action.nargs > 1
    if many or action.nargs in _MANY or type(action).__name__ in _REPEATED:
        entry["variadic"] = True
    if action.choices is not None:
        entry["enum"] = choices_of(action.choices)
    default = usable_default(action.default, entry["name"])
    if default is not None and default != SUPPRESS and entry["type"] != "boolean":
        entry["default"] = default
