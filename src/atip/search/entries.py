"""Entries: one searchable record per command of a tool, with weighted terms.

Names count most, the summary and curated intents next; options, arguments, examples and the rest of a long
description count as details. A command also carries a little of its tool's summary. Pure.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, join
from atip.model.facts import FACTS, fact_of
from atip.search.postings import FULL, LONGEST, impact_of
from atip.search.text import name_terms, normal_phrase, terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option, Tool

    Field = tuple[int, list[str]]
    Entry = tuple[tuple[str, ...], str, list[Field], int, int]

TOOL_NAME = 3.0
COMMAND_NAME = 1.5
SUMMARY = 1.0
OF_TOOL = 0.2
INTENT = 0.6
DETAIL = 0.6
"""Share of a word that only the details mention."""
DETAIL_NORM = 1.5
NAME_AND_SUMMARY = COMMAND_NAME + SUMMARY
MAX_DETAIL = 20_000
"""Characters of details that are read per command."""

BITS = {name: 1 << place for place, name in enumerate(FACTS)}
"""Facts that a search can ask for, by their full name."""


_levels: dict[int, dict[float, int]] = {}


def impacts_for(length: int) -> dict[float, int]:
    """Weight → impact in a document of `length` words, for the weights above."""
    length = min(length, LONGEST)
    known = _levels.get(length)
    if known is None:
        weights = (TOOL_NAME, COMMAND_NAME, SUMMARY, NAME_AND_SUMMARY, OF_TOOL, INTENT)
        known = _levels[length] = {weight: impact_of(weight, length) for weight in weights}
    return known


def entries_of(tool: Tool) -> Iterator[Entry]:
    """The tool itself, then every command that is not hidden: (path, description, fields, true, known).

    A field is an impact and the terms that have it; a term may be in several, and the best counts. The last two
    are bits of facts that are true and of facts that are not unknown. Plain tuples, since an index is built
    from tens of thousands of them.
    """
    intents = _intents(tool)
    names = name_terms(tool.name)
    summary = terms_of(_first(tool.description))
    levels = impacts_for(len(summary) + 2)
    fields: list[Field] = [(levels[SUMMARY], summary), (levels[TOOL_NAME], names)]
    if intents:
        fields.append(
            (levels[INTENT], _phrases([one for each in intents.values() for one in each]))
        )
    _add_details(fields, tool)
    yield (), tool.description, fields, *_facts(tool.effects)
    if tool.commands:
        yield from _commands(tool, intents, names, summary)


def _commands(
    tool: Tool, intents: Mapping[str, tuple[str, ...]], names: list[str], summary: list[str]
) -> Iterator[Entry]:
    for path, command in tool.walk():
        if command.hidden:
            continue
        told = terms_of(_first(command.description))
        levels = impacts_for(len(told) + 2)
        own = [term for word in path for term in name_terms(word)]
        fields: list[Field] = [
            (levels[SUMMARY], told),
            (levels[COMMAND_NAME], own),
            (levels[TOOL_NAME], names),
            (levels[OF_TOOL], summary),
        ]
        both = [term for term in own if term in told]
        if both:
            fields.append((levels[NAME_AND_SUMMARY], both))
        if intents:
            fields.append((levels[INTENT], _phrases(intents.get(" ".join(path), ()))))
        _add_details(fields, command)
        effects = tool.effects
        if command.effects is not UNKNOWN:
            effects = join(command.effects, effects)
        yield path, command.description, fields, *_facts(effects)


def phrases_of(tool: Tool) -> Iterator[tuple[str, bool]]:
    """Every CMP pattern of a tool, ready to be compared, and whether it is a regular expression."""
    kept = tool.extra.get("x-cmp")
    capability = kept.get("capability") if isinstance(kept, dict) else None
    intents = capability.get("intents") if isinstance(capability, dict) else None
    for intent in intents if isinstance(intents, list) else ():
        patterns = intent.get("patterns") if isinstance(intent, dict) else None
        for pattern in patterns if isinstance(patterns, list) else ():
            if isinstance(pattern, str):
                is_regex = pattern.startswith("re:")
                yield (pattern if is_regex else normal_phrase(pattern)), is_regex


def _phrases(phrases: Sequence[str]) -> list[str]:
    return [term for phrase in phrases for term in terms_of(phrase)]


def _add_details(fields: list[Field], node: Tool | Command) -> None:
    details = _details(node)
    if not details:
        return
    counts: dict[str, int] = {}
    terms = terms_of(details[:MAX_DETAIL])
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    norm = DETAIL_NORM * (0.25 + 0.75 * min(4.0, max(0.3, len(terms) / 1000)) ** 0.5)
    by_count: dict[int, list[str]] = {}
    for term, count in counts.items():
        by_count.setdefault(count, []).append(term)
    for count, found in by_count.items():
        fields.append((int(FULL * DETAIL * count / (count + norm)), found))


def _intents(tool: Tool) -> Mapping[str, tuple[str, ...]]:
    """Phrases of curated knowledge and of CMP, by command path joined with spaces."""
    told = tool.own.get("intents")
    if not isinstance(told, dict):
        return {}
    return {
        str(path): tuple(str(p) for p in phrases)
        for path, phrases in told.items()
        if isinstance(phrases, (list, tuple))
    }


def _first(description: str) -> str:
    """The first line or sentence of a description: its summary."""
    if len(description) <= 120 and "\n" not in description:
        return description
    line = description.partition("\n")[0]
    return line.partition(". ")[0] if len(line) > 120 else line


def _details(node: Tool | Command) -> str:
    description = node.description
    rest = description[len(_first(description)) :]
    patterns = getattr(node, "patterns", None)
    if not (rest or node.options or node.arguments or node.examples or patterns):
        return ""
    parts = [rest]
    parts.extend(_option_text(option) for option in node.options or ())
    parts.extend(_argument_text(argument) for argument in node.arguments or ())
    parts.extend(node.examples or ())
    parts.extend(f"{pattern.name} {pattern.description}" for pattern in patterns or ())
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
