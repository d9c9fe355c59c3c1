"""Rules on names, flags, order, values: what a parser or a person would stumble over."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import RuleHit
from atip.model.lint.index import strings
from atip.model.shapes.shape import closest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts, Parts
    from atip.model.lint.index import CommandNode, DocumentIndex

MAX_GUESSES = 200
"""Names that "did you mean" looks at, so that a thousand mistakes in a thousand names stay cheap."""
_CASES = {
    "kebab-case": re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*\Z"),
    "camelCase": re.compile(r"[a-z][a-zA-Z0-9]*\Z"),
    "snake_case": re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*\Z"),
}
_FLAG = re.compile(r"(?:--?|[+/])[^\s=<>\[\],|-][^\s=<>\[\],|]*\Z")


def consistent_naming(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """One convention for commands, one for options. The root command `""` has no name (A11)."""
    for node in index.commands:
        name = node.words[-1]
        if name:
            yield from _name(name, options["commandCase"], node.parts, "command", options)
    for parts, option in index.options():
        name_value = option.get("name")
        if isinstance(name_value, str) and name_value:
            yield from _name(name_value, options["optionCase"], (*parts, "name"), "option", options)


def _name(
    name: str, case: str, parts: Parts, what: str, options: Mapping[str, Any]
) -> Iterator[RuleHit]:
    if not options["allowNumbers"] and any(letter.isdigit() for letter in name):
        yield RuleHit(parts=parts, message=f"{what} naming should not contain numbers")
        return
    has_upper = any("A" <= letter <= "Z" for letter in name)
    if has_upper and not options["allowUppercase"] and case != "camelCase":
        text = f"{what} naming should follow {case} convention (contains uppercase)"
        yield RuleHit(parts=parts, message=text)
        return
    pattern = _CASES.get(case)
    if pattern and not pattern.match(name.lower() if options["allowUppercase"] else name):
        yield RuleHit(parts=parts, message=f"{what} naming should follow {case} convention")


def no_duplicate_flags(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Within an option, across the options of one command, and among the global ones."""
    groups = [list(node.options()) for node in index.nodes] + [list(index.global_options())]
    for group in groups:
        owners: dict[str, int] = {}
        for number, (parts, option) in enumerate(group):
            for flag in strings(option.get("flags")):
                if owners.get(flag) == number:
                    text = f'duplicate flag "{flag}" within one option'
                    yield RuleHit(parts=(*parts, "flags"), message=text)
                elif flag in owners:
                    text = f'duplicate flag "{flag}" already used by option at index {owners[flag]}'
                    yield RuleHit(parts=(*parts, "flags"), message=text)
                owners.setdefault(flag, number)


def no_shadowed_flags(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """The same option repeated below is fine; the same flag with another meaning is not."""
    tables = [_table(node, f"`{' '.join(node.words) or index.name}`") for node in index.nodes]
    by_node = {id(node.raw): table for node, table in zip(index.nodes, tables, strict=True)}
    shared = {
        flag: ("a global option", option)
        for _parts, option in index.global_options()
        for flag in strings(option.get("flags"))
    }
    for node in index.nodes:
        above = [by_node[id(item.raw)] for item in node.up()]
        for parts, option in node.options():
            for flag in strings(option.get("flags")):
                other = next((table[flag] for table in (*above, shared) if flag in table), None)
                if other and not _is_same(option, other[1]):
                    text = f'flag "{flag}" means something else in {other[0]}'
                    yield RuleHit(parts=(*parts, "flags"), message=text)


def _table(node: CommandNode, where: str) -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        flag: (where, option)
        for _parts, option in node.options()
        for flag in strings(option.get("flags"))
    }


def _is_same(option: dict[str, Any], other: dict[str, Any]) -> bool:
    return option.get("name") == other.get("name") and option.get("type") == other.get("type")


def duplicate_names(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Arguments and options of a command share one table of names in a function call."""
    groups = [[*node.arguments(), *node.options()] for node in index.nodes]
    groups.append(list(index.global_options()))
    for group in groups:
        seen: set[str] = set()
        for parts, parameter in group:
            name = parameter.get("name")
            if isinstance(name, str) and name in seen:
                text = f"another parameter of this command is also named `{name}`"
                yield RuleHit(parts=(*parts, "name"), message=text)
            elif isinstance(name, str):
                seen.add(name)


def alias_conflict(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    siblings: dict[Parts, dict[str, str]] = {}
    for node in index.commands:
        siblings.setdefault(node.parts[:-1], {})[node.words[-1]] = node.words[-1]
    for node in index.commands:
        taken = siblings[node.parts[:-1]]
        for alias in strings(node.raw.get("aliases")):
            owner = taken.setdefault(alias, node.words[-1])
            if owner != node.words[-1]:
                text = f"alias `{alias}` is already used by `{owner}`"
                yield RuleHit(parts=(*node.parts, "aliases"), message=text)


def flag_form(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A flag is what is typed: no placeholder, no `=`, no blanks (A10 allows `-chdir`)."""
    for parts, option in index.options():
        flags = option.get("flags")
        for number, flag in enumerate(flags if isinstance(flags, list) else ()):
            if isinstance(flag, str) and (flag in ("-", "--", "") or not _FLAG.match(flag)):
                yield RuleHit(
                    parts=(*parts, "flags", number),
                    message=f"`{flag[:60]}` cannot be typed as a flag",
                    hint="leave out placeholders, `=` and spaces",
                )


def positional_order(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A parser could not tell where one argument ends and the next begins."""
    for node in index.nodes:
        yield from _order(node)


def _order(node: CommandNode) -> Iterator[RuleHit]:
    variadic = optional = ""
    for parts, argument in node.arguments():
        name = str(argument.get("name"))[:60]
        if variadic:
            yield RuleHit(parts=parts, message=f"argument `{name}` follows variadic `{variadic}`")
        elif optional and argument.get("required") is not False:
            text = f"required argument `{name}` follows optional `{optional}`"
            yield RuleHit(parts=parts, message=text)
        if argument.get("variadic") is True:
            variadic = variadic or name
        if argument.get("required") is False:
            optional = optional or name


def enum_values(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A33."""
    for parts, parameter in (*index.arguments(), *index.options()):
        values = parameter.get("enum")
        if not isinstance(values, list):
            continue
        where = (*parts, "enum")
        kinds = {type(value).__name__ for value in values}
        if not values and parameter.get("type") != "enum":
            yield RuleHit(parts=where, message="`enum` is empty and allows no value")
        if len({(type(value).__name__, str(value)) for value in values}) < len(values):
            yield RuleHit(parts=where, message="`enum` has the same value twice")
        if parameter.get("type") == "boolean":
            yield RuleHit(parts=where, message="a boolean has no `enum`")
        if len(kinds - {"int", "float"}) + bool(kinds & {"int", "float"}) > 1:
            yield RuleHit(parts=where, message="`enum` mixes values of different types")


def default_fits(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """The type of §3.7, and one of the allowed values."""
    for parts, parameter in (*index.arguments(), *index.options()):
        if parameter.get("default") is None:
            continue
        default = parameter["default"]
        where = (*parts, "default")
        values = default if isinstance(default, list) else [default]
        allowed = parameter.get("enum")
        if isinstance(allowed, list) and allowed:
            if any(value not in allowed for value in values):
                yield RuleHit(
                    parts=where, message=f"default `{str(default)[:60]}` is not in `enum`"
                )
        elif not _fits(default, parameter.get("type"), parameter.get("variadic") is True):
            kind = parameter.get("type")
            text = f"default `{str(default)[:60]}` is not of type {kind}"
            yield RuleHit(parts=where, message=text)


def _fits(value: Any, kind: Any, is_variadic: bool) -> bool:
    if is_variadic and isinstance(value, list):
        return all(_fits(item, kind, False) for item in value) or kind == "array"
    if kind in ("string", "file", "directory", "url", "enum"):
        return isinstance(value, str)
    if kind == "integer":
        return type(value) is int
    if kind == "number":
        return type(value) in (int, float)
    if kind == "boolean":
        return type(value) is bool
    return isinstance(value, list) if kind == "array" else True


def unknown_exclusive(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Names of options of the same command or of the global ones (0.1)."""
    shared = {str(option.get("name")): None for _parts, option in index.global_options()}
    for node in index.nodes:
        own = list(node.options())
        yield from _exclusive(
            own, {str(option.get("name")): None for _parts, option in own}, shared
        )
    yield from _exclusive(list(index.global_options()), shared, {})


def _exclusive(
    options: list[tuple[Parts, dict[str, Any]]], own: dict[str, None], shared: dict[str, None]
) -> Iterator[RuleHit]:
    for parts, option in options:
        for name in strings(option.get("exclusive")):
            if (name not in own and name not in shared) or name == option.get("name"):
                close = closest(name, list(islice(chain(own, shared), MAX_GUESSES)))
                yield RuleHit(
                    parts=(*parts, "exclusive"),
                    message=f"`exclusive` names `{name[:60]}`, which is not another option here",
                    hint=f"did you mean `{close}`?" if close and close != name else "",
                )
