"""Help in cobra's template: headings say which lines are flags and commands; everything else is the author's prose.

Every cobra program prints its help from the parser itself, section by section. A table, a drawing or an example in the
description may look like a list of flags; its place tells that it is none. Authors replace the template, but
keep headings that name what stands below them. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.model.tool import Command

if TYPE_CHECKING:
    from atip.model.tool import Option

MAX_WORDS = 5
"""Of a heading; a sentence that ends in a colon is none."""
_ENTRY = re.compile(r" {2}([A-Za-z0-9][\w.-]{0,60}) +(\S.*)$")
_FLAGS = re.compile(r"(?:^|\s)(?:(?i:flags|options):|FLAGS|OPTIONS)$")
_COMMANDS = re.compile(r"\bcommands\b", re.I)
_USAGE = re.compile(r"usage\b", re.I)
_OTHER = re.compile(r"(?:examples?|aliases|usage|additional help topics)\b", re.I)
_OWN_HELP = re.compile(r"^\s{1,8}-h, --help\s{2,}\S", re.M)


def is_template(text: str) -> bool:
    """Whether a help text shows all that the program has: a usage, and flags with cobra's own among them."""
    headings = _headings(text.splitlines())
    return (
        any(_USAGE.match(heading) for heading in headings)
        and any(map(_FLAGS.search, headings))
        and _OWN_HELP.search(text) is not None
    )


def by_headings(help_facts: Command, text: str) -> Command:
    """Drop flags and commands that stand where the template has none.

    A text without flags below such a heading is not printed by the template; it is left as it was read. Commands in
    groups are found by their place.
    """
    headings = _headings(text.splitlines())
    options = tuple(
        option
        for option in help_facts.options or ()
        if _FLAGS.search(_heading_of(_line_of(option), headings))
    )
    if not options:
        return help_facts
    groups = _commands_in_groups(text.splitlines(), headings)
    commands = {
        name: command
        for name, command in (help_facts.commands or {}).items()
        if name in groups or _lists_commands(_heading_of(_line_of(command), headings))
    }
    return help_facts.replace(options=options, commands={**groups, **commands} or None)


def _lists_commands(heading: str) -> bool:
    return _COMMANDS.search(heading) is not None and len(heading.split()) <= MAX_WORDS


def _commands_in_groups(lines: list[str], headings: list[str]) -> dict[str, Command]:
    """Commands under a heading of the author's own, as cobra prints groups: below the usage, `  name  text`."""
    start = next((n for n, heading in enumerate(headings) if _USAGE.match(heading)), len(lines))
    if not any("[command]" in line for line in lines[start + 1 : start + 4]):
        return {}
    commands: dict[str, Command] = {}
    for number in range(start, len(lines)):
        heading, entry = headings[number], _ENTRY.match(lines[number])
        is_group = heading.endswith(":") and len(heading.split()) <= MAX_WORDS
        if entry and is_group and not (_OTHER.match(heading) or _FLAGS.search(heading)):
            own = {"evidence": {"source": "help", "lines": [number + 1, number + 1]}}
            commands[entry[1]] = Command(description=entry[2].strip(), extra={"x-atip": own})
    return commands


def _headings(lines: list[str]) -> list[str]:
    """For every line, the nearest line without indentation above it, itself included."""
    headings: list[str] = []
    heading = ""
    for line in lines:
        if line.strip() and not line[0].isspace():
            heading = line.strip()
        headings.append(heading)
    return headings


def _heading_of(line: int, headings: list[str]) -> str:
    return headings[line] if line < len(headings) else ""


def _line_of(one: Option | Command) -> int:
    evidence = one.own.get("evidence")
    lines = evidence.get("lines") if isinstance(evidence, dict) else None
    return int(lines[0]) - 1 if isinstance(lines, list) and lines else 0
