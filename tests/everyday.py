"""The everyday commands of `conformance/everyday/commands.txt`: how they are written down, and how a tool is compared with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.shared import ROOT

FILE = ROOT / "conformance" / "everyday" / "commands.txt"
_POSITIONAL = re.compile(r"<([^>]*)>|\[([^\]]*)\]")


@dataclass(frozen=True)
class Positional:
    names: frozenset[str]
    is_required: bool | None
    """None: it depends on the form of the call."""
    is_variadic: bool


@dataclass(frozen=True)
class Everyday:
    """One row. `positionals` is None where only the facts count."""

    words: tuple[str, ...]
    positionals: tuple[Positional, ...] | None
    choices: dict[str, frozenset[str]]
    commands: frozenset[str]
    may_have: frozenset[str]

    @property
    def line(self) -> str:
        return " ".join(self.words)


def read_rows() -> list[Everyday]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [_read_row(line) for line in lines if line and not line.startswith("#")]


def _read_row(line: str) -> Everyday:
    command, positionals, facts = (part.strip() for part in line.split(" |", 2))
    choices: dict[str, frozenset[str]] = {}
    commands, may_have = frozenset[str](), frozenset[str]()
    for fact in filter(None, (part.strip() for part in facts.split(";"))):
        name, _, values = fact.partition(": ")
        if name == "commands":
            must, _, may = values.partition("(")
            commands, may_have = frozenset(must.split()), frozenset(may.rstrip(")").split())
        else:
            choices[name] = frozenset(values.split())
    return Everyday(
        words=tuple(command.split()),
        positionals=None if positionals == "~" else _read_positionals(positionals),
        choices=choices,
        commands=commands,
        may_have=may_have,
    )


def _read_positionals(text: str) -> tuple[Positional, ...]:
    return tuple(
        Positional(
            names=frozenset(plain(name) for name in (required or optional).split("/")),
            is_required=None if required.startswith("?") else bool(required),
            is_variadic=(required or optional).endswith("…"),
        )
        for required, optional in _POSITIONAL.findall(text)
    )


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def differences(row: Everyday, tool: dict) -> list[str]:
    """What is not as the manual says; empty when all of it is."""
    node = find_command(tool, row.words[1:])
    if node is None:
        return ["command not known"]
    return [
        *_positional_differences(row, node),
        *_choice_differences(row, node, tool),
        *_nested_differences(row, node),
    ]


def find_command(tool: dict, path: tuple[str, ...]) -> dict | None:
    node = tool
    for word in path:
        commands = node.get("commands") or {}
        found = commands.get(word) or next(
            (command for command in commands.values() if word in (command.get("aliases") or ())),
            None,
        )
        if found is None:
            return None
        node = found
    return node if path else {**tool, **((tool.get("commands") or {}).get("") or {})}


def _positional_differences(row: Everyday, node: dict) -> list[str]:
    if row.positionals is None:
        return []
    shown = node.get("arguments") or []
    text = " ".join(_render(argument) for argument in shown)
    if len(shown) != len(row.positionals):
        return [f"{len(row.positionals)} positionals, known: {text or 'none'}"]
    wrong = [
        argument
        for argument, true in zip(shown, row.positionals, strict=True)
        if plain(argument["name"]) not in {*true.names, *(f"{name}s" for name in true.names)}
        or true.is_required not in (None, argument.get("required", True))
        or bool(argument.get("variadic", False)) != true.is_variadic
    ]
    return [f"positionals, known: {text}"] if wrong else []


def _render(argument: dict) -> str:
    name = argument["name"] + ("…" if argument.get("variadic") else "")
    return f"<{name}>" if argument.get("required", True) else f"[{name}]"


def _choice_differences(row: Everyday, node: dict, tool: dict) -> list[str]:
    options = [*(node.get("options") or ()), *(tool.get("globalOptions") or ())]
    found = []
    for flag, values in row.choices.items():
        option = next((option for option in options if flag in option["flags"]), None)
        known = set((option or {}).get("enum") or ())
        if known != values:
            found.append(f"{flag}: {' '.join(sorted(known)) or 'no choices'}")
    return found


def _nested_differences(row: Everyday, node: dict) -> list[str]:
    if not row.commands:
        return []
    known = set(node.get("commands") or ()) - {"help", ""}
    missing, invented = row.commands - known, known - row.commands - row.may_have
    return [
        *([f"missing: {' '.join(sorted(missing))}"] if missing else []),
        *([f"invented: {' '.join(sorted(invented))}"] if invented else []),
    ]
