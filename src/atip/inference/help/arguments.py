"""Arguments: positionals from usage lines and from the sections that explain them.

Placeholders that stand for something else (`OPTIONS`, `COMMAND`, the `ARGS` of a command) are
left out; a bare word is a positional only in styles that write positionals so. ATIP 0.6 §3.4.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.layout.rows import find_rows
from atip.inference.help.prose import default_of, is_required, type_of
from atip.inference.help.usage_lines.forms import Form, merge_forms
from atip.inference.help.usage_lines.placeholders import is_args_word, is_command_word, letters
from atip.inference.help.values.choices import choices_of_placeholder, choices_of_prose
from atip.model.tool import MISSING, Argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atip.inference.help.drafts import OptionDraft
    from atip.inference.help.layout.entries import Definition
    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section
    from atip.inference.help.usage_lines.usage_facts import Usage, UsageArgument

MAX_ARGUMENTS = 200
_INNER = re.compile(r"<([^<>]{1,60})>")
_TYPED = re.compile(r"([A-Za-z][\w-]{0,60}):(\{[^{}]{1,2000}\})")
"""`ITEM_TYPE:{model|dataset}` (click)."""

_WORD = re.compile(r"[A-Za-z_][\w-]{0,60}")
_NOTED = re.compile(r"([A-Za-z][\w-]{0,60})(?:\.\.\.)? <([^<>]{1,200})>")
"""`destination... <list[str]>` (typer without boxes)."""


class Positional:
    """A positional while its evidence is collected."""

    __slots__ = ("choices", "lines", "name", "names", "part", "raw", "required", "text", "variadic")

    def __init__(self, name: str, lines: tuple[int, int], part: str) -> None:
        self.name = name
        self.names = {_key(name)}
        self.lines = lines
        self.part = part
        self.required: bool | None = None
        self.variadic = False
        self.text = ""
        self.raw = name
        self.choices: tuple[str, ...] | None = None


def _key(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def defined_arguments(
    section: Section, loose: Sequence[Line], commands: set[str]
) -> list[Positional]:
    """Positionals that a section explains."""
    base = min((line.indent for line in loose), default=0)
    positionals: list[Positional] = []
    rows = find_rows(section, loose)
    for index, row in enumerate(rows):
        below = rows[index + 1] if index + 1 < len(rows) else None
        if (row.indent > base + 1 and not section.boxed) or len(positionals) >= MAX_ARGUMENTS:
            continue
        if below is not None and below.indent > row.indent and commands:
            continue  # it takes the commands that are listed below it
        positional = _read(row)
        if positional is not None and positional.name not in commands:
            positionals.append(positional)
    return positionals


def unnamed_rest(
    usage: Usage, sections: Iterable[tuple[Section, Sequence[Line], int]]
) -> list[Positional]:
    """The positional that argparse writes as `...` and that only a row among the options of a group names.

    Each section comes with its lines that are not flags, and with the indent of its flags.
    """
    if not any(pattern.text.endswith("] ...") for pattern in usage.patterns):
        return []
    for section, loose, margin in sections:
        for row in find_rows(section, loose):
            if row.indent == margin and row.text and _WORD.fullmatch(row.left.strip()):
                positional = _read(row)
                if positional is not None:
                    positional.required, positional.variadic = False, True
                    return [positional]
    return []


def _read(row: Definition) -> Positional | None:
    left = row.left.strip()
    if not left or left[0] in "-*•$+" or len(left) > 300:
        return None
    terms = [term for term in left.split("  ") if term.strip()]
    words = left.split()
    if len(terms) == 1 and len(words) > 4 and not row.parts:
        return None
    if not row.parts and (left.endswith((".", ":", ",")) or len(words) > 3):
        return None
    typed = _TYPED.fullmatch(terms[0].strip())
    noted = _NOTED.fullmatch(terms[0].strip())
    label = typed.group(1) if typed else noted.group(1) if noted else terms[0]
    name = label.strip().strip("<>[](){}.,:`'\"\u2026 ")
    name = name.removesuffix("...").strip().rstrip(">]")
    first, _, again = name.partition(" [")
    name = first if again == first else name  # `[STR [STR ...]]`
    if not any(char.isalnum() for char in name) or letters(name) == "options":
        return None
    positional = Positional(name, (row.first, row.last), "definition")
    positional.raw = terms[-1].strip()
    for term in terms[1:]:
        positional.names.update(_key(name) for name in [term, *_INNER.findall(term)])
    positional.text = row.text
    positional.variadic = "..." in left or "\u2026" in left
    if left.startswith("["):
        positional.required = False
    if typed:
        positional.choices = choices_of_placeholder(typed.group(2), brackets_are_optional=False)
    elif noted:
        positional.raw = f"<{noted.group(2)}>"
        positional.choices = choices_of_placeholder(positional.raw, brackets_are_optional=False)
    elif left.startswith("{") and "," in left:
        positional.choices = choices_of_placeholder(terms[0], brackets_are_optional=False)
        positional.name = positional.name if positional.choices is None else terms[0].strip("{}")
    if is_required(positional.text):
        positional.required = True
    return positional


def merge_arguments(
    usage: Usage,
    defined: list[Positional],
    drafts: Sequence[OptionDraft],
    *,
    commands: set[str],
    complete: bool,
) -> list[Positional]:
    """Positionals of all patterns, then those that only a section names.

    `complete`: the section lists all positionals, so that a usage line cannot add one.
    """
    has_commands = bool(commands)
    values = {
        flag: draft.value is not None
        for draft in drafts if draft.part == "definition"
        for flag in draft.flags
    }  # fmt: skip
    defined = [one for one in defined if not (one.choices and set(one.choices) <= commands)]
    literal = _bare_words_are_literal(usage, defined)
    forms = []
    for arguments, has_only_options in zip(usage.arguments, usage.only_options, strict=True):
        candidates = _select_arguments(arguments, values, literal, has_commands, defined)
        candidates = [one for one in candidates if not _lists_commands(one.name, commands)]
        if complete:
            candidates = [one for one in candidates if _match(one, defined)]
        forms.append(Form(candidates, only_options=has_only_options))
    positionals: list[Positional] = []
    for argument in merge_forms(forms, lambda one: _same(one, defined)):
        positionals.append(_positional(argument, defined))
    rest = [one for one in defined if one not in positionals]
    if complete and rest:
        _hand_on(usage, positionals, rest[-1])
    return (positionals + rest)[:MAX_ARGUMENTS]


def _lists_commands(name: str, commands: set[str]) -> bool:
    """`[start|bad|good|reset]`, most of which are commands: all of them are."""
    words = set(name.split("|"))
    return len(words) > 2 and 2 * len(words & commands) >= len(words)


def _hand_on(usage: Usage, positionals: list[Positional], rest: Positional) -> None:
    """argparse: `subdir ...` is one positional and, unnamed, another that takes what is left."""
    texts = [pattern.text for pattern in usage.patterns]
    if not any(text.endswith((" ...", "] ...")) for text in texts):
        return
    rest.required, rest.variadic = False, True
    for one in positionals:
        if any(text.endswith(f" {one.name} ...") for text in texts):
            one.variadic = False


_FLAG = re.compile(r"-[^|\s]")


def _bare_words_are_literal(usage: Usage, defined: list[Positional]) -> bool:
    """Whether the tool marks its placeholders, so that an unmarked word means itself."""
    defined_names = {name for one in defined for name in one.names}
    for arguments in usage.arguments:
        for argument in arguments:
            key = letters(argument.name)
            if is_command_word(key) or is_args_word(key):
                continue
            if _key(argument.name) in defined_names and argument.bare:
                return False
            # `[SECURE|NONSECURE]` are words to type.
            is_capital = argument.name.isupper() and len(key) > 1 and "|" not in argument.name
            if argument.raw.startswith("<") or is_capital:
                return True
    return False


def _select_arguments(
    arguments: list[UsageArgument],
    values: dict[str, bool],
    literal: bool,
    has_commands: bool,
    defined: list[Positional],
) -> list[UsageArgument]:
    defined_names = {name for one in defined for name in one.names}
    selected = []
    commanded = False
    handed_on = any(letters(argument.name) == "args" for argument in arguments)
    # `run <command> [-- <args>]`, `exec POD -- COMMAND`: the command is another program's.
    is_foreign = not has_commands and any(argument.handed for argument in arguments)
    for argument in arguments:
        key = letters(argument.name)
        is_defined = _key(argument.name) in defined_names
        if argument.after is not None and values.get(argument.after, True):
            continue
        stands_for = (
            has_commands or handed_on or (argument.raw.startswith("<") and argument.required)
        )
        if is_command_word(key) and not is_defined and stands_for and not is_foreign:
            commanded = True
            continue
        # `vim [arguments] [file ..]`: what stands before the named ones are flags.
        if (
            is_args_word(key)
            and argument is arguments[0]
            and len(arguments) > 1
            and not argument.required
        ):
            continue
        # `git archive [<extra>] <tree-ish>`: one more word for flags; a value that may be left out comes last.
        is_flags = key == "extra" and not argument.required and not argument.variadic
        if is_flags and not is_defined and any(one.required for one in arguments):
            continue
        if commanded and (is_args_word(key) or "arg" in key) and not is_defined:
            continue
        if (argument.bare and literal and not is_defined) or _FLAG.match(argument.name):
            continue
        selected.append(argument)
    return selected


def _match(argument: UsageArgument, defined: list[Positional]) -> Positional | None:
    """The explained positional that a usage line means."""
    key = _key(argument.name)
    return next((one for one in defined if key in one.names), None)


def _same(argument: UsageArgument, defined: list[Positional]) -> str:
    match = _match(argument, defined)
    return _key(match.name if match else argument.name)


def _positional(argument: UsageArgument, defined: list[Positional]) -> Positional:
    positional = _match(argument, defined) or Positional(argument.name, argument.lines, "usage")
    # jsonargparse notes `(required)` at every positional, at `[targets ...]` too; `[required]` of click and typer is meant so.
    is_any_number = argument.required is False and argument.variadic
    if positional.required is None or (is_any_number and "(required)" in positional.text):
        positional.required = argument.required
    positional.variadic = positional.variadic or argument.variadic
    return positional


def build_argument(positional: Positional) -> Argument:
    """The finished positional."""
    default = default_of(positional.text)
    choices = positional.choices or choices_of_prose(positional.text, positional.text)
    return Argument(
        name=positional.name,
        type="enum" if choices else type_of(positional.raw, positional.text),
        description=positional.text,
        required=False if positional.required is False else None,
        default=default if default is not None else MISSING,
        variadic=True if positional.variadic else None,
        enum=choices,
        extra={
            "x-atip": {
                "evidence": {
                    "source": "help",
                    "lines": list(positional.lines),
                    "part": positional.part,
                }
            }
        },
    )
