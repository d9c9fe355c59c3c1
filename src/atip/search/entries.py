"""Entries: one searchable record per command of a tool, with weighted terms.

Names count most, the summary and curated intents next; options, arguments, examples and the rest of a long
description count as details. A command also carries a little of its tool's summary. Pure.
"""

from __future__ import annotations

from atip.calls.effects.ceiling import command_claim
from atip.model.effects import UNKNOWN
from atip.model.facts import FACTS, fact_name, fact_of
from atip.model.root import bare_effects
from atip.search.store.postings import FULL, LONGEST, impact_of
from atip.search.text import name_terms, normal_phrase, terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Command, Option, Tool

    Impacts = dict[str, int]
    Entry = tuple[tuple[str, ...], str, Impacts, int, int]

TOOL_NAME = 3.0
COMMAND_NAME = 1.5
SUMMARY = 1.0
OF_TOOL = 0.2
INTENT = 0.6
DETAIL = 0.3
"""Share of a word that only the details mention: a long manual mentions nearly everything."""
DETAIL_NORM = 1.5
NAME_AND_SUMMARY = COMMAND_NAME + SUMMARY
SHORT = 120
"""Characters of a description that is a summary as a whole."""
MAX_DETAIL = 20_000
"""Characters of details that are read per command."""

BITS = {name: 1 << place for place, name in enumerate(FACTS)}
"""Facts that a search can ask for, by their full name."""


def bits_of(names: Sequence[str]) -> int:
    """The bits of facts, each given by its full or its short name.

    Raises:
        UsageError: `effects.unknown-fact`.
    """
    return sum(BITS[name] for name in {fact_name(text) for text in names})


_NOTHING: dict[str, tuple[str, ...]] = {}
_SILENT = (0, 0)
_levels: list[tuple[int, ...]] = []
"""By number of words: impacts of TOOL_NAME, COMMAND_NAME, SUMMARY, NAME_AND_SUMMARY, OF_TOOL, INTENT."""


def _impacts() -> list[tuple[int, ...]]:
    if not _levels:
        weights = (TOOL_NAME, COMMAND_NAME, SUMMARY, NAME_AND_SUMMARY, OF_TOOL, INTENT)
        for length in range(LONGEST + 1):
            _levels.append(tuple(impact_of(weight, length) for weight in weights))
    return _levels


def entries_of(tool: Tool) -> Iterator[Entry]:
    """The tool itself, then every command that is not hidden: (path, description, impacts, true, known).

    Impacts are by term, the best field of a term counting. The last two are bits of facts that are true and of
    facts that are not unknown. Plain tuples and few calls, since an index is built from tens of thousands of
    them; each field that is put in counts more than those before it.
    """
    intents = _intents(tool) if tool.extra else _NOTHING
    names = name_terms(tool.name)
    description = tool.description
    first = (
        description
        if len(description) <= SHORT and "\n" not in description
        else first_sentence(description)
    )
    summary = terms_of(first)
    length = len(summary) + 2
    in_name, _, in_summary, _, of_tool, in_intent = _impacts()[
        length if length < LONGEST else LONGEST
    ]
    best: Impacts
    if intents:
        # intents of a command below this one are better answered there
        best = {term: of_tool for each in intents.values() for term in _phrases(each)}
        best.update(dict.fromkeys(_phrases(intents.get("", ())), in_intent))
        best.update(dict.fromkeys(summary, in_summary))
    else:
        best = dict.fromkeys(summary, in_summary)
    for term in names:
        best[term] = in_name
    if tool.options or tool.arguments or tool.examples or tool.patterns or first is not description:
        _add_details(best, _details(tool, first))
    effects = command_claim(tool, ()).ceiling if tool.extra or tool.options else bare_effects(tool)
    is_true, is_known = _facts(effects) if effects is not UNKNOWN else _SILENT
    yield (), description, best, is_true, is_known
    if tool.commands:
        yield from _commands(tool, intents, names, summary)


def _commands(
    tool: Tool, intents: Mapping[str, tuple[str, ...]], names: list[str], summary: list[str]
) -> Iterator[Entry]:
    levels = _impacts()
    is_plain = tool.effects is UNKNOWN and not (tool.extra or tool.options or tool.global_options)
    for path, command in tool.walk():
        if command.hidden:
            continue
        description = command.description
        first = (
            description
            if len(description) <= SHORT and "\n" not in description
            else first_sentence(description)
        )
        words = terms_of(first)
        length = len(words) + 2
        in_name, in_command, in_summary, in_both, of_tool, in_intent = levels[
            length if length < LONGEST else LONGEST
        ]
        best: Impacts = dict.fromkeys(summary, of_tool)
        if intents:
            best.update(dict.fromkeys(_phrases(intents.get(" ".join(path), ())), in_intent))
        for term in words:
            best[term] = in_summary
        for word in path:
            for term in name_terms(word):
                best[term] = in_both if term in words else in_command
        for term in names:
            best[term] = in_name
        if command.options or command.arguments or command.examples or first is not description:
            _add_details(best, _details(command, first))
        if is_plain and len(path) == 1 and not _says_effects(command):
            effects = UNKNOWN  # the claim of nothing, a third of the time of a build
        else:
            effects = command_claim(tool, path).ceiling
        is_true, is_known = _facts(effects) if effects is not UNKNOWN else _SILENT
        yield path, description, best, is_true, is_known


def _says_effects(command: Command) -> bool:
    return command.effects is not UNKNOWN or bool(
        command.extra or command.options or command.commands
    )


def phrases_of(tool: Tool) -> Iterator[tuple[str, bool]]:
    """Every CMP pattern of a tool, ready to be compared, and whether it is a regular expression."""
    manifest = tool.extra.get("x-cmp")
    capability = manifest.get("capability") if isinstance(manifest, dict) else None
    intents = capability.get("intents") if isinstance(capability, dict) else None
    for intent in intents if isinstance(intents, list) else ():
        patterns = intent.get("patterns") if isinstance(intent, dict) else None
        for pattern in patterns if isinstance(patterns, list) else ():
            if isinstance(pattern, str):
                is_regex = pattern.startswith("re:")
                yield (pattern if is_regex else normal_phrase(pattern)), is_regex


def _phrases(phrases: Sequence[str]) -> list[str]:
    return [term for phrase in phrases for term in terms_of(phrase)]


def _add_details(best: Impacts, details: str) -> None:
    counts: dict[str, int] = {}
    terms = terms_of(details[:MAX_DETAIL])
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    norm = DETAIL_NORM * (0.25 + 0.75 * min(4.0, max(0.3, len(terms) / 1000)) ** 0.5)
    for term, count in counts.items():
        impact = int(FULL * DETAIL * count / (count + norm))
        if impact > best.get(term, 0):
            best[term] = impact


def _intents(tool: Tool) -> Mapping[str, tuple[str, ...]]:
    """Phrases of curated knowledge and of CMP, by command path joined with spaces."""
    intents = tool.own.get("intents")
    if not isinstance(intents, dict):
        return {}
    return {
        str(path): tuple(str(p) for p in phrases)
        for path, phrases in intents.items()
        if isinstance(phrases, (list, tuple))
    }


def first_sentence(description: str) -> str:
    """The first line or sentence of a long description: its summary."""
    line = description.partition("\n")[0]
    return line.partition(". ")[0] if len(line) > SHORT else line


def _details(node: Tool | Command, first: str) -> str:
    parts = [node.description[len(first) :]]
    parts.extend(_option_text(option) for option in node.options or ())
    parts.extend(_argument_text(argument) for argument in node.arguments or ())
    parts.extend(node.examples or ())
    patterns = getattr(node, "patterns", None)
    parts.extend(f"{pattern.name} {pattern.description}" for pattern in patterns or ())
    return " ".join(parts)


def _option_text(option: Option) -> str:
    return f"{option.name} {option.description}"


def _argument_text(argument: Argument) -> str:
    return f"{argument.name} {argument.description}"


def _facts(effects: Effects) -> tuple[int, int]:
    is_true = is_known = 0
    for name, bit in BITS.items():
        fact = fact_of(effects, name)
        if fact is not None:
            is_known |= bit
            is_true |= bit if fact else 0
    return is_true, is_known
