"""Entries: one searchable record per command of a tool, with weighted terms.

Names count most, the summary and curated intents next; options, arguments, examples and the rest of a long
description count as details. A command also carries a little of its tool's summary. Pure.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, join
from atip.model.facts import FACTS, fact_of
from atip.model.value import Value
from atip.search.postings import FULL, impacts
from atip.search.text import terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option, Tool

TOOL_NAME = 3.0
COMMAND_NAME = 1.5
SUMMARY = 1.0
OF_TOOL = 0.2
INTENT = 0.6
DETAIL = 0.6
"""Share of a word that only the details mention."""
DETAIL_NORM = 1.5
MAX_DETAIL = 20_000
"""Characters of details that are read per command."""

BITS = {name: 1 << place for place, name in enumerate(FACTS)}
"""Facts that a search can ask for, by their full name; bits of `Entry.is_true` and `Entry.is_known`."""


class Entry(Value):
    """One command as the index stores it."""

    tool: str
    path: tuple[str, ...]
    summary: str
    impacts: tuple[tuple[str, int], ...]
    is_true: int = 0
    is_known: int = 0
    """Bits of facts that are true, and of facts that are not unknown."""


def entries_of(tool: Tool) -> Iterator[Entry]:
    """The tool itself, then every command that is not hidden."""
    intents = _intents(tool)
    names = terms_of(tool.name)
    summary = terms_of(_first(tool.description))
    everything = tuple(phrase for phrases in intents.values() for phrase in phrases)
    yield _entry(
        tool, (), tool.description, names, summary, (), everything, _details(tool), tool.effects
    )
    if not tool.commands:
        return
    for path, command in tool.walk():
        if not command.hidden:
            effects = tool.effects if command.effects is UNKNOWN else join(command.effects, tool.effects)
            yield _entry(
                tool,
                path,
                command.description,
                names,
                terms_of(_first(command.description)),
                summary,
                intents.get(" ".join(path), ()),
                _details(command),
                effects,
            )


def _entry(
    tool: Tool,
    path: tuple[str, ...],
    description: str,
    names: list[str],
    summary: list[str],
    of_tool: list[str] | tuple[()],
    intents: tuple[str, ...],
    details: str,
    effects: Effects,
) -> Entry:
    weights: dict[str, float] = {}
    for term in summary:
        weights[term] = weights.get(term, 0.0) + SUMMARY
    for term in names:
        weights[term] = weights.get(term, 0.0) + TOOL_NAME
    for word in path:
        for term in terms_of(word):
            weights[term] = weights.get(term, 0.0) + COMMAND_NAME
    for term in of_tool:
        weights[term] = weights.get(term, 0.0) + OF_TOOL
    for phrase in intents:
        for term in terms_of(phrase):
            weights[term] = max(weights.get(term, 0.0), INTENT)
    found = impacts(weights, len(summary) + 2)
    if details:
        found = _with_details(dict(found), details)
    is_true, is_known = _facts(effects)
    return Entry(
        tool=tool.name,
        path=path,
        summary=description,
        impacts=tuple(found),
        is_true=is_true,
        is_known=is_known,
    )


def _with_details(found: dict[str, int], details: str) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    terms = terms_of(details[:MAX_DETAIL])
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    norm = DETAIL_NORM * (0.25 + 0.75 * min(4.0, max(0.3, len(terms) / 1000)) ** 0.5)
    for term, count in counts.items():
        impact = int(FULL * DETAIL * count / (count + norm))
        if impact > found.get(term, 0):
            found[term] = impact
    return list(found.items())


def _intents(tool: Tool) -> Mapping[str, tuple[str, ...]]:
    """Phrases of curated knowledge and of CMP, by command path joined with spaces."""
    told = tool.own.get("intents")
    if not isinstance(told, dict):
        return {}
    return {
        str(path): tuple(str(p) for p in phrases) for path, phrases in told.items() if isinstance(phrases, (list, tuple))
    }


def _first(description: str) -> str:
    """The first line or sentence of a description: its summary."""
    line = description.partition("\n")[0]
    return line.partition(". ")[0] if len(line) > 120 else line


def _details(node: Tool | Command) -> str:
    parts: list[str] = []
    rest = node.description[len(_first(node.description)) :]
    if rest:
        parts.append(rest)
    parts.extend(_option_text(option) for option in node.options or ())
    parts.extend(_argument_text(argument) for argument in node.arguments or ())
    parts.extend(node.examples or ())
    for pattern in getattr(node, "patterns", None) or ():
        parts.append(f"{pattern.name} {pattern.description}")
    return " ".join(parts)


def _option_text(option: Option) -> str:
    return f"{option.name} {option.description}"


def _argument_text(argument: Argument) -> str:
    return f"{argument.name} {argument.description}"


def _facts(effects: Effects) -> tuple[int, int]:
    if effects is UNKNOWN:
        return 0, 0
    is_true = is_known = 0
    for name, bit in BITS.items():
        fact = fact_of(effects, name)
        if fact is not None:
            is_known |= bit
            is_true |= bit if fact else 0
    return is_true, is_known
