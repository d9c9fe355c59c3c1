"""From words to a verb and its options. Loaded on every call, so it imports only what it needs."""

from __future__ import annotations

import sys

from atip.errors import EXIT_USAGE, NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from types import ModuleType
    from typing import Any, NoReturn


def resolve(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the verb's path and the remaining words.

    Raises:
        NotFoundError: `cli.unknown-verb`, with a suggestion.
    """
    from atip.cli.verbs import BARE, DEFAULTS, NOUNS, VERBS

    first, rest = words[0], list(words[1:])
    if first in NOUNS:
        if rest and rest[0] in NOUNS[first]:
            return (first, rest[0]), rest[1:]
        if first in DEFAULTS and rest:
            return (first, DEFAULTS[first]), rest
        if first in BARE and (not rest or rest[0].startswith("-")):
            return (first, BARE[first]), rest
        if not rest:
            _missing(first)
        return _unknown(f"{first} {rest[0]}", [f"{first} {verb}" for verb in NOUNS[first]])
    if first in VERBS:
        return (first,), rest
    return _unknown(first, [*VERBS, *NOUNS])


def _missing(noun: str) -> NoReturn:
    from atip.cli.verbs import NOUNS

    verbs = ", ".join(NOUNS[noun])
    raise UsageError(
        "cli.usage", f"`atip {noun}` needs a verb: {verbs}", hint=f"see `atip {noun} --help`"
    )


def _unknown(typed: str, names: Sequence[str]) -> NoReturn:
    from atip.model.shapes.shape import closest

    close = closest(typed, names)
    hint = f"did you mean `atip {close}`?" if close else "verbs: " + ", ".join(names)
    error = NotFoundError("cli.unknown-verb", f"no verb `{typed[:80]}`", hint=hint)
    error.exit_code = EXIT_USAGE
    raise error


def load(path: tuple[str, ...]) -> ModuleType:
    """The module of a verb."""
    from atip.cli.verbs import FOLDERS, VERBS

    place = path if len(path) > 1 else (FOLDERS[VERBS[path[0]][0]], *path)
    name = "atip.cli.verbs." + ".".join(part.replace("-", "_") for part in place)
    __import__(name)  # what `importlib` does, without importing `importlib`
    return sys.modules[name]


def read_options(path: tuple[str, ...], module: ModuleType, words: list[str]) -> Any:
    """Parse the options of a verb; simple command lines without `argparse` (see `quick`)."""
    from atip.cli.quick import NeedsFullParser, QuickParser

    quick = QuickParser()
    try:
        declare(quick, module)
        return quick.parse(words)
    except NeedsFullParser:
        return parser_for(path, module).parse_args(words)


def declare(parser: Any, module: ModuleType) -> None:
    """Declare the options of a verb, and the common ones."""
    module.configure(parser)
    if getattr(module, "JSON", True):
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colors in the output"
    )


def parser_for(path: tuple[str, ...], module: ModuleType) -> argparse.ArgumentParser:
    """The parser of one verb, with the common options."""
    import argparse

    # Start-up: looking for translations that do not exist, and for the terminal's size when no help
    # is printed, costs as much as everything else that happens before the verb runs.
    argparse._ = str  # type: ignore[attr-defined]

    class Formatter(argparse.HelpFormatter):
        def _fill_text(self, text: str, width: int, indent: str) -> str:
            from atip.cli.wrapping import wrap_text

            return wrap_text(text, width)

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            close = closest_option(message, self._option_string_actions)
            close = close or _closest_choice(message)
            hint = f"did you mean `{close}`?" if close else f"see `{self.prog} --help`"
            if not close and message.startswith("unrecognized arguments: ") and " -" not in message:
                hint = f"quote words that belong together; {hint}"
            raise UsageError("cli.usage", _plain(message, self._actions), hint=hint)

    parser = Parser(
        prog=f"atip {' '.join(path)}",
        description=module.__doc__,
        formatter_class=lambda prog: Formatter(prog, width=_columns()),
        allow_abbrev=False,
    )
    declare(parser, module)
    return parser


def _plain(message: str, actions: Sequence[argparse.Action]) -> str:
    """Rewrite an `argparse` message; it also lists optional arguments (`*`) as required."""
    head, marker, rest = message.partition(": invalid ")
    kind, is_value, typed = rest.partition(" value: ")
    if is_value:
        return f"{head}: `{typed.strip(chr(39))}` is not a {kind}"
    head, marker, names = message.partition("arguments are required: ")
    if not marker:
        return message
    optional = {
        str(action.metavar or action.dest) for action in actions if action.nargs in ("*", "...")
    }
    needed = [name for name in names.split(", ") if name not in optional]
    return head + marker + ", ".join(needed or [names])


def closest_option(message: str, names: Iterable[str]) -> str | None:
    """The option closest to the first one that `argparse` does not recognize."""
    head, _, words = message.partition("unrecognized arguments: ")
    typed = next((word for word in words.split() if word.startswith("--")), "")
    if head or not typed:
        return None
    from atip.model.shapes.shape import closest

    return closest(typed.partition("=")[0], list(names))


def _closest_choice(message: str) -> str | None:
    """The choice closest to an invalid value of an option or argument."""
    _, marker, words = message.partition("invalid choice: ")
    if not marker:
        return None
    from atip.model.shapes.shape import closest

    typed, *choices = words.replace("(choose from", ",").rstrip(")").split(",")
    return closest(typed.strip(" '"), [word.strip(" '") for word in choices])


def _columns() -> int:
    from atip.cli.wrapping import columns

    return columns() - 2
