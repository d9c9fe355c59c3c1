"""Completion candidates for the cursor position: verbs, options, values of options, tools and their commands.

Uses only the parsers and the store: scans nothing and starts no program. A candidate that is not a plain shell word is
left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from atip.cli.context import Context

# SECURITY: names come from files that others wrote; only plain words reach the shell that completes.
_PLAIN = re.compile(r"[\w./:+@,=-]+", re.ASCII)
_TOOL_WORDS = ("tool", "tools", "name", "names")


def candidates(ctx: Context, words: Sequence[str]) -> list[str]:
    """Sorted candidates for the last of `words`, which may be empty."""
    *before, typed = words or [""]
    if typed == "=":  # bash makes a word of the sign in `--option=value`
        typed = ""
    elif before and before[-1] == "=":
        before.pop()
    options = _after_option(before, typed) if before else None
    if options is None:
        options = _words(ctx, before, typed)
    return sorted(
        {option for option in options if option.startswith(typed) and _PLAIN.fullmatch(option)}
    )


def _path(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]] | None:
    from atip.cli.parsing import resolve
    from atip.errors import AtipError

    try:
        return resolve(words)
    except AtipError:
        return None


def _parser(path: tuple[str, ...]) -> argparse.ArgumentParser:
    from atip.cli.parsing import load, parser_for

    return parser_for(path, load(path))


def _after_option(before: Sequence[str], typed: str) -> Iterable[str] | None:
    """Values of the option before the cursor; None where the cursor is not at a value."""
    name, _, _ = typed.partition("=") if typed.startswith("--") else (before[-1], "", "")
    is_joined = typed.startswith("--") and "=" in typed
    resolved = _path(before) if name.startswith("-") else None
    if resolved is None or (typed.startswith("-") and not is_joined):
        return None
    action = _parser(resolved[0])._option_string_actions.get(name)
    if action is None or action.nargs == 0:
        return None
    values = _values(action)
    return [f"{name}={value}" for value in values] if is_joined else values


def _values(action: argparse.Action) -> list[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    match action.metavar:
        case "PRESET":
            from atip.policy.presets import PRESETS

            return list(PRESETS)
        case "PROVIDER":
            from atip.codecs.providers.shapes import PROVIDERS

            return list(PROVIDERS)
        case "FORMAT":
            from atip.codecs.interface import FORMATS

            return list(FORMATS)
        case "CLIENT":
            from atip.cli.guard.names import CLIENTS

            return list(CLIENTS)
    return []


def _words(ctx: Context, before: Sequence[str], typed: str) -> Iterable[str]:
    from atip.cli.verbs import NOUNS, VERBS

    if not before:
        return [*VERBS, *NOUNS, "help", "--help", "--version", "--agent"]
    verbs = list(NOUNS.get(before[0], ())) if len(before) == 1 else []
    resolved = _path(before)
    if resolved is None:
        return verbs
    path, rest = resolved
    parser = _parser(path)
    if typed.startswith("-"):
        return [flag for flag in parser._option_string_actions if flag.startswith("--")]
    return [*verbs, *_positionals(ctx, parser, rest)]


def _positionals(ctx: Context, parser: argparse.ArgumentParser, rest: Sequence[str]) -> list[str]:
    plain = _without_options(parser, rest)
    rows = parser._get_positional_actions()
    if not rows:
        return []
    at = rows[min(len(plain), len(rows) - 1)]
    if len(plain) >= len(rows) and at.nargs not in ("*", "+", "...", "A..."):
        return []
    if at.dest in _TOOL_WORDS:
        return [str(entry["name"]) for entry in ctx.app.list()]
    if plain and rows[0].dest in _TOOL_WORDS and at.dest in ("command", "words"):
        return _commands(ctx, plain)
    return _values(at)


def _without_options(parser: argparse.ArgumentParser, rest: Sequence[str]) -> list[str]:
    plain: list[str] = []
    takes_value = False
    for word in rest:
        action = parser._option_string_actions.get(word)
        if not takes_value and action is None and not word.startswith("-"):
            plain.append(word)
        takes_value = action is not None and action.nargs != 0
    return plain


def _commands(ctx: Context, words: Sequence[str]) -> list[str]:
    """Subcommands of a command of a stored tool; discovers nothing."""
    from atip.errors import AtipError

    entry = next((tool for tool in ctx.app.list() if tool["name"] == words[0]), None)
    if entry is None:
        return []
    try:
        node = ctx.app.get_document(words[0])
    except AtipError:
        return []
    for word in words[1:]:
        node = (node.get("commands") or {}).get(word) or {}
    return [str(name) for name in node.get("commands") or ()]
