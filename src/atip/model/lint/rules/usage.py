"""Rules on command lines in a document: examples and steps of patterns against the tree itself.

Reads a line only as far as this tool's own words go, between two shell operators; the full
reading of command lines belongs to `calls`.
"""

from __future__ import annotations

import shlex
from collections import ChainMap
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import RuleHit
from atip.model.lint.index import as_dict, members
from atip.model.lint.rules.consistency import MAX_GUESSES
from atip.model.shapes.check import placeholders
from atip.model.shapes.shape import closest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts, Parts
    from atip.model.lint.index import CommandNode, DocumentIndex

_OPERATORS = frozenset(["|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"])
_WRAPPERS = frozenset(["sudo", "env", "time", "nohup", "npx", "doas", "exec", "command"])
_EVERYWHERE = frozenset(["-h", "--help", "-V", "--version", "--agent", "-?", "--"])


def example_fits(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """An example that does not fit teaches an agent a call that fails."""
    for node in index.nodes:
        examples = node.raw.get("examples")
        for number, line in enumerate(examples if isinstance(examples, list) else ()):
            if isinstance(line, str):
                parts = (*node.parts, "examples", number)
                yield from _example(index, node, line, parts)


def _example(index: DocumentIndex, node: CommandNode, line: str, parts: Parts) -> Iterator[RuleHit]:
    try:
        words = _call(line, index)
    except ValueError:
        yield RuleHit(parts=parts, message="example has an unclosed quote")
        return
    if words is None:
        yield RuleHit(parts=parts, message=f"example does not call `{index.name}`")
        return
    read = _read(index, words)
    if node.words and read.words[: len(node.words)] != node.words and not index.raw.get("partial"):
        called = " ".join((index.name, *read.words))
        text = f"example calls `{called}`, not `{' '.join((index.name, *node.words))}`"
        yield RuleHit(parts=parts, message=text)
        return
    yield from (RuleHit(parts=parts, message=text, hint=hint) for text, hint in read.problems)


class _CallPath:
    """Command that an example line reaches, the words left over, and the problems on the way."""

    def __init__(self) -> None:
        self.node: CommandNode | None = None
        self.words: tuple[str, ...] = ()
        self.problems: list[tuple[str, str]] = []


def _call(line: str, index: DocumentIndex) -> list[str] | None:
    """The words after this tool's name in the first part of a pipeline that calls it; None if
    nothing does.

    Raises:
        ValueError: for an unclosed quote.
    """
    text = line.strip().removeprefix("$ ").removeprefix("> ")
    lexer = shlex.shlex(text[:4000], posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    part: list[str] = []
    for word in (*lexer, ";"):
        if word not in _OPERATORS:
            part.append(word)
            continue
        start = _start(part, index)
        if start is not None:
            return part[start + 1 :]
        part = []
    return None


def _start(words: list[str], index: DocumentIndex) -> int | None:
    """Position of the tool's own name: first, after assignments, or after a wrapper."""
    binary = as_dict(index.raw.get("binary")).get("name")
    names = {index.name, binary}
    for number, word in enumerate(words[:6]):
        name = word.rsplit("/", 1)[-1]
        if name in names:
            return number
        if not ("=" in word or name in _WRAPPERS or (number and word.startswith("-"))):
            return None
    return None


def _read(index: DocumentIndex, words: list[str]) -> _CallPath:
    path = _CallPath()
    path.node = index.root
    by_parts = index.children
    flags = [index.global_flags, index.flags_of(index.root)]
    for number, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("-") and len(word) > 1 and not _is_number(word):
            _flag(word, flags, path)
            continue
        below = by_parts.get(path.node.parts, {}).get(word)
        if below is not None:
            path.node, path.words = below, below.words
            flags.append(index.flags_of(below))
        elif number == 0 and not path.node.is_leaf and not _takes_words(path.node):
            names = list(by_parts.get((), {}))
            if "" not in names and not index.raw.get("partial") and not word.startswith(("<", "[")):
                close = closest(word, names[:MAX_GUESSES])
                hint = f"did you mean `{close}`?" if close else ""
                path.problems.append((f"`{index.name}` has no command `{word[:60]}`", hint))
            break
    return path


def _takes_words(node: CommandNode) -> bool:
    return any(True for _ in node.arguments())


def _flag(word: str, tables: list[dict[str, bool]], path: _CallPath) -> None:
    """Silence about options is not a contradiction: only a document that lists some can be wrong."""
    name = word.split("=", 1)[0]
    flags = ChainMap(*tables)
    if not any(tables) or name in flags or name in _EVERYWHERE or "{" in word:
        return
    if not word.startswith("--") and len(word) > 2:
        first = word[:2]
        if first in flags and (flags[first] or all(f"-{letter}" in flags for letter in word[1:])):
            return
    if name.startswith("--no-") and f"--{name[5:]}" in flags:
        return
    close = closest(name, list(islice(chain(*tables), MAX_GUESSES)))
    hint = f"did you mean `{close}`?" if close else ""
    path.problems.append((f"flag `{name[:60]}` is not described", hint))


def _is_number(word: str) -> bool:
    return word[1:].replace(".", "", 1).isdigit()


def pattern_variables(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A38: a variable that is not declared cannot be checked before it is put into a command."""
    for parts, pattern in index.patterns():
        declared = as_dict(pattern.get("variables"))
        used: set[str] = set()
        for where, step in members(pattern.get("steps"), (*parts, "steps")):
            command = step.get("command")
            for name in placeholders(command) if isinstance(command, str) else ():
                used.add(name)
                if name not in declared:
                    close = closest(name, list(islice(declared, MAX_GUESSES)))
                    yield RuleHit(
                        parts=(*where, "command"),
                        message=f"`{{{name}}}` is not declared in `variables`",
                        hint=f"did you mean `{{{close}}}`?" if close else "",
                    )
        for name in declared:
            if name not in used:
                text = f"variable `{name[:60]}` is never used"
                yield RuleHit(parts=(*parts, "variables", name), message=text)


def _steps(index: DocumentIndex) -> Iterator[tuple[dict[str, Any], Parts, _CallPath | None]]:
    """Steps of all patterns; the reading is None when a step calls another tool."""
    for parts, pattern in index.patterns():
        for where, step in members(pattern.get("steps"), (*parts, "steps")):
            command = step.get("command")
            try:
                words = _call(command, index) if isinstance(command, str) else None
            except ValueError:
                words = None
            reading = _read(index, words) if words is not None else None
            yield pattern, (*where, "command"), reading


def pattern_steps(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    for _pattern, parts, reading in _steps(index):
        for text, hint in reading.problems if reading else ():
            yield RuleHit(parts=parts, message=text, hint=hint)


def executable_pattern(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """§3.9: what may run by itself must at least be known."""
    for pattern, parts, reading in _steps(index):
        if pattern.get("executable") is not True:
            continue
        effects = reading.node.effects if reading and reading.node else {}
        if effects.get("destructive") is True:
            yield RuleHit(parts=parts, message="a pattern that may be run destroys something")
        elif "destructive" not in effects:
            yield RuleHit(parts=parts, message="a pattern that may be run does something unknown")
