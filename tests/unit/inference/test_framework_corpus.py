"""Help texts of many frameworks against the definitions they were printed from (conformance/frameworks)."""

from __future__ import annotations

import json
import re

import pytest

from atip.inference.help import infer_help
from tests.shared import ROOT

CORPUS = ROOT / "conformance" / "frameworks"
FRAMEWORKS = sorted(path.stem for path in CORPUS.glob("*.json"))
OF_FRAMEWORK = frozenset(
    [
        "--help",
        "-h",
        "-?",
        "--version",
        "-V",
        "-v",
        "--ansi",
        "--no-ansi",
        "--no-interaction",
        "--verbose",
        "--quiet",
        "-n",
        "-q",
        "--usage",
        "--help-all",
        "--install-completion",
        "--show-completion",
        "--help-long",
        "--help-man",
        "--generate-bash-completion",
        "--completion",
        "--no-color",
        "--silent",
    ]
)
"""Flags that frameworks add themselves."""
OF_EVERY_PROGRAM = frozenset(["help", "completion", "list"])
"""Commands that frameworks add themselves."""
PAGES_WITH_MISSES = {
    "argparse": 1,
    "argh": 1,
    "argparse4j": 1,
    "citty": 8,
    "clipanion": 5,
    "cyclopts": 4,
    "dotnet": 1,
    "gld": 5,
    "meow": 5,
    "sade": 6,
    "slop": 7,
    "symfony": 1,
    "urfave": 1,
    "yargs": 1,
}
"""Pages that are not read exactly yet: clipanion and citty have a layout of their own, slop and sade show no placeholders."""


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def differences(page):
    truth, text = page["truth"], "\n".join(page["text"])
    found = infer_help(text, tool=page["tool"], path=tuple(page["path"]))
    return [
        *command_differences(truth, found),
        *flag_differences(truth, found),
        *option_differences(truth, found),
        *argument_differences(truth, found),
    ]


def command_differences(truth, found):
    commands = found.commands or {}
    aliases = {alias for command in commands.values() for alias in command.aliases or ()}
    true = set(truth["subcommands"])
    known = {name for name in commands if name not in aliases} - (OF_EVERY_PROGRAM - true)
    return [] if known == true else [f"commands: {sorted(known)}"]


def flag_differences(truth, found):
    true = {flag for option in truth["options"] for flag in option["flags"]}
    defined = [option for option in found.options or () if not option.own.get("mentioned")]
    known = {flag for one in defined for flag in one.flags} - (OF_FRAMEWORK - true)
    return [] if known == true else [f"flags: {sorted(known ^ true)}"]


def option_differences(truth, found):
    wrong = []
    for option in truth["options"]:
        same = [one for one in found.options or () if set(one.flags) & set(option["flags"])]
        if not same:
            continue
        if option["takes_value"] not in (None, same[0].takes_value):
            wrong.append(f"{option['flags']} takes a value: {same[0].takes_value}")
        if option["takes_value"] is None and not same[0].takes_value:
            continue
        if {str(one) for one in same[0].enum or ()} != set(option["choices"] or ()):
            wrong.append(f"{option['flags']} choices: {same[0].enum}")
    return wrong


def argument_differences(truth, found):
    known = {plain(argument.name): argument for argument in found.arguments or ()}
    wrong = []
    for true in truth["arguments"]:
        names = [plain(name) for name in (true["name"], *true["names"])]
        one = next((known.pop(name) for name in names if name in known), None)
        if one is None:
            wrong.append(f"argument {true['name']} is missing")
        elif true["required"] not in (None, one.is_required):
            wrong.append(f"argument {true['name']} required: {one.is_required}")
        elif true["variadic"] not in (None, bool(one.variadic)):
            wrong.append(f"argument {true['name']} variadic: {one.variadic}")
    return [*wrong, *(f"argument {name} is invented" for name in known)]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_text_gives_its_definition(framework) -> None:
    pages = json.loads((CORPUS / f"{framework}.json").read_text("utf-8"))["pages"]
    wrong = {
        " ".join((page["tool"], *page["path"])): missed
        for page in pages
        if (missed := differences(page))
    }
    assert len(wrong) <= PAGES_WITH_MISSES.get(framework, 0), wrong


def test_there_are_texts_of_many_frameworks() -> None:
    assert len(FRAMEWORKS) >= 40
