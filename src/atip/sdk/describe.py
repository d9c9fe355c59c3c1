"""An argparse parser → ATIP 0.6 metadata, read from the parser object itself.

Standard library only, nothing imported but what the author's program has loaded already. Facts that a
parser does not hold (effects, authentication) are handed in. Does not run the program.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from typing import Any

    Document = dict[str, Any]
    EffectsTable = Mapping[str, Mapping[str, Any]]

SUPPRESS = "==SUPPRESS=="
_HELP_FLAGS = frozenset(["-h", "--help", "--agent"])


def describe_argparse(
    parser: argparse.ArgumentParser,
    *,
    version: str,
    name: str | None = None,
    effects: EffectsTable | None = None,
    **fields: Any,
) -> Document:
    """The metadata document of a program.

    `effects` maps a command path (`"remote add"`; `""` is the tool itself) to its effects object;
    a value may hold `{"--flag": {…}}` under the key `"flags"` for flags that raise them. `fields` are
    further root fields, such as `authentication` or `patterns`.
    """
    table = dict(effects or {})
    body = _command(parser, "", table)
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


def describe_action(action: argparse.Action, kind: str, exclusive: list[str]) -> Document | None:
    """One option or positional; None for those that are no parameter of the program."""
    if kind == "option" and not _HELP_FLAGS.isdisjoint(action.option_strings):
        return None
    entry: Document = {"name": _name(action)}
    if kind == "option":
        entry["flags"] = list(action.option_strings)
    entry["type"] = _type(action)
    entry["description"] = _text(action) or _name(action).replace("_", " ")
    _requirement(action, kind, entry)
    _values(action, entry)
    if exclusive:
        entry["exclusive"] = exclusive
    if action.help == SUPPRESS:
        entry["hidden"] = True
    return entry


def _command(parser: argparse.ArgumentParser, path: str, table: dict[str, Any]) -> Document:
    entry: Document = {
        "description": _first_line(parser.description or parser.usage or path or parser.prog)
    }
    arguments: list[Document] = []
    options: list[Document] = []
    excluded = _exclusions(parser)
    for action in parser._actions:
        if _is_subparsers(action):
            entry["commands"] = dict(_subcommands(action, path, table))
            continue
        kind = "option" if action.option_strings else "argument"
        described = describe_action(action, kind, excluded.get(id(action), []))
        if described is not None:
            (options if kind == "option" else arguments).append(described)
    facts = dict(table.get(path, {}))
    _flag_effects(options, facts.pop("flags", {}))
    if arguments:
        entry["arguments"] = arguments
    if options:
        entry["options"] = options
    if facts:
        entry["effects"] = facts
    return entry


def _subcommands(
    action: argparse.Action, path: str, table: dict[str, Any]
) -> Iterator[tuple[str, Document]]:
    helps = {choice.dest: choice.help for choice in getattr(action, "_choices_actions", ())}
    seen: dict[int, Document] = {}
    choices: dict[str, argparse.ArgumentParser] = action.choices  # type: ignore[assignment]
    for name, parser in choices.items():
        if id(parser) in seen:
            seen[id(parser)].setdefault("aliases", []).append(name)
            continue
        entry = _command(parser, f"{path} {name}".strip(), table)
        told = helps.get(name)
        if told == SUPPRESS or (helps and name not in helps):
            entry["hidden"] = True
        elif told and not parser.description:
            entry["description"] = _first_line(told)
        seen[id(parser)] = entry
        yield name, entry


def _is_subparsers(action: argparse.Action) -> bool:
    return hasattr(action, "_name_parser_map")


def _exclusions(parser: argparse.ArgumentParser) -> dict[int, list[str]]:
    """For each action the names that may not be given with it."""
    found: dict[int, list[str]] = {}
    for group in parser._mutually_exclusive_groups:
        for action in group._group_actions:
            others = [_name(other) for other in group._group_actions if other is not action]
            found[id(action)] = others
    return found


def _flag_effects(options: list[Document], by_flag: Mapping[str, Any]) -> None:
    for option in options:
        for flag in option["flags"]:
            if flag in by_flag:
                option["x-atip"] = {"effects": dict(by_flag[flag])}


def _name(action: argparse.Action) -> str:
    longest = max(action.option_strings, key=len, default="")
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return (
        longest.lstrip("-").replace("-", "_") or action.dest.replace("-", "_") or metavar or "value"
    )


def _type(action: argparse.Action) -> str:
    if action.choices is not None:
        return "enum"
    if action.nargs == 0:
        return "boolean"
    known = {int: "integer", float: "number", bool: "boolean"}
    kind: Any = action.type
    if kind in known:
        return known[kind]
    label = getattr(kind, "__name__", type(kind).__name__).lower() if kind else ""
    hint = (
        f"{label} {action.metavar if isinstance(action.metavar, str) else ''} {action.dest}".lower()
    )
    if "dir" in label or hint.split()[-1:] in (["dir"], ["directory"], ["folder"]):
        return "directory"
    if "path" in label or "file" in label or "file" in hint.split():
        return "file"
    return "string"


def _text(action: argparse.Action) -> str:
    if not action.help or action.help == SUPPRESS:
        return ""
    values = {key: value for key, value in vars(action).items() if value is not None}
    values.update(prog="", default=action.default, type=getattr(action.type, "__name__", ""))
    try:
        return _first_line(action.help % values)
    except (KeyError, TypeError, ValueError):
        return _first_line(action.help)


def _first_line(text: str) -> str:
    """The first paragraph as one line, short enough for the advice of 200 characters."""
    line = " ".join(text.strip().split("\n\n", 1)[0].split())
    return line if len(line) <= 200 else line[:199] + "…"


def _requirement(action: argparse.Action, kind: str, entry: Document) -> None:
    if kind == "option" and action.required:
        entry["required"] = True
    if kind == "argument" and (action.nargs in ("?", "*") or not action.required):
        entry["required"] = False


def _values(action: argparse.Action, entry: Document) -> None:
    many = action.nargs in ("*", "+", "...", "A...") or (
        isinstance(action.nargs, int) and action.nargs > 1
    )
    if many or type(action).__name__ in ("_AppendAction", "_ExtendAction"):
        entry["variadic"] = True
    if action.choices is not None:
        entry["enum"] = [
            choice if isinstance(choice, (str, int, float)) else str(choice)
            for choice in action.choices
        ]
    default = action.default
    if (
        default != SUPPRESS
        and isinstance(default, (str, int, float, bool))
        and entry["type"] != "boolean"
    ):
        entry["default"] = default
