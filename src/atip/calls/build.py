"""Build: a function and its arguments → argv, and the way back from an invocation.

    (1) check the arguments (`arguments.py`); every problem is reported at once
    (2) leave out values that equal the default
    (3) write options right after the word that declares them, global ones before the first command
    (4) write positionals, after `--` where one begins with a dash
    (5) read the argv back by the tables that policy reads it with; if that is not the same call, refuse

Step 5 is the safeguard: no value can become an option or a command unnoticed, because the reader that decides
about effects has read the same call. argv is a list from here to the process; nothing is quoted or joined.
Implements ATIP 0.6 §6.1, §11.2, A10, A11; A48: never adds a flag that the caller did not pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.arguments import check_arguments
from atip.calls.parse import parse
from atip.calls.schema import is_list
from atip.calls.spelling import (
    SpellingProblem,
    is_default,
    option_value,
    positional_values,
    spell_option,
    value_text,
)
from atip.calls.tables import CommandTable
from atip.calls.values import why_injection, why_too_long, why_unusable
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.tool import MISSING, Option
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.calls.functions import Function, Item
    from atip.calls.invocation import Invocation
    from atip.model.tool import Command, Tool

_HAVE_DASHES = frozenset({"gnu", "posix", "bundle"})
"""Styles in which `--` ends the options."""


class PreparedCall(Value):
    """A call ready to be judged and run."""

    argv: tuple[str, ...]
    values: Mapping[str, object]
    """Checked values that differ from the defaults, by parameter key."""
    invocation: Invocation
    """The argv as the tables read it; what policy looks at."""


def build(function: Function, arguments: Mapping[str, object]) -> PreparedCall:
    """The argv of a call.

    Raises:
        FormatError: `call.invalid`, with every problem and its path.
    """
    checked = check_arguments(function, arguments)
    if checked.problems:
        raise _invalid(function, list(checked.problems))
    return _Builder(function, checked.values).build()


def _invalid(function: Function, problems: list[Problem]) -> FormatError:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return FormatError(
        "call.invalid",
        f"`{function.line}`: {first.path} {first.message}{more}",
        problems=problems,
        hint=first.hint,
    )


class _Builder:
    """Builder of one argv."""

    def __init__(self, function: Function, values: Mapping[str, object]) -> None:
        self.function = function
        self.reader = _with_bare_command(function)
        self.values = {
            key: value
            for key, value in values.items()
            if not is_default(function.parameters[key], value)
            and not (isinstance(value, (list, tuple)) and not value)
        }
        self.problems: list[Problem] = []

    def build(self) -> PreparedCall:
        function = self.function
        self._refuse_injections()
        argv = [function.tool.name]
        table = CommandTable(self.reader)
        argv += self._options(table, 0)
        for depth, word in enumerate(function.path, 1):
            node = self.reader.find(function.path[:depth])
            assert node is not None, "a function's path is in its tool's tree"
            argv.append(word)
            table.descend(self.reader, node)
            argv += self._options(table, depth)
        argv += self._positionals(table)
        # a document's own flags and command names become words too
        unusable = next(filter(None, map(why_unusable, argv)), None) or why_too_long(argv)
        if unusable:
            self._say(
                (), "call.too-long" if "bytes" in unusable else "call.unusable-value", unusable
            )
        if self.problems:
            raise _invalid(function, self.problems)
        return self._check_agreement(tuple(argv))

    def _refuse_injections(self) -> None:
        for key, value in self.values.items():
            item = self.function.parameters[key]
            is_option = isinstance(item, Option)
            for part in value if isinstance(value, (list, tuple)) else (value,):
                if not isinstance(part, str):
                    continue
                reason = why_injection(
                    self.function.tool.name,
                    part,
                    is_text=is_option and item.type in ("string", "array"),
                    in_list=bool(item.enum),
                    is_joined=isinstance(item, Option) and any(len(f) > 2 for f in item.flags),
                )
                if reason:
                    self._say((key,), "call.injection", reason)

    # --- (3) options -----------------------------------------------------------------------------

    def _options(self, table: CommandTable, level: int) -> list[str]:
        function = self.function
        words: list[str] = []
        for key, value in self.values.items():
            item = function.parameters[key]
            if not isinstance(item, Option) or function.levels.get(key) != level:
                continue
            flags = tuple(flag for flag in item.flags if _means(table, flag, item))
            try:
                if not flags:
                    raise SpellingProblem(
                        "call.shadowed-option", "another option of this command has the same flags"
                    )
                words += spell_option(item, flags, value)
            except SpellingProblem as error:
                self._say((key,), error.code, error.message, error.hint)
        return words

    # --- (4) positionals -------------------------------------------------------------------------

    def _positionals(self, table: CommandTable) -> list[str]:
        words: list[str] = []
        places = self._places()
        if self.problems:
            return words
        for key, item in places.items():
            value = self.values.get(key, item.default)
            parts = value if is_list(item) and isinstance(value, (list, tuple)) else (value,)
            words += [value_text(part) for part in parts]
        if not any(_needs_dashes(table, word) for word in words):
            return words
        if table.style not in _HAVE_DASHES or table.own.get("dashes") is False:
            self._say(
                (),
                "call.leading-dash",
                f"`{self.function.tool.name}` would read a value as an option, and it does not support `--`",
            )
        return ["--", *words]

    def _places(self) -> Mapping[str, Item]:
        """Positionals up to the last one with a value; gaps must have defaults."""
        keys = [k for k, i in self.function.parameters.items() if not isinstance(i, Option)]
        while keys and keys[-1] not in self.values:
            keys.pop()
        for key in keys:
            if key not in self.values and self.function.parameters[key].default is MISSING:
                self._say((key,), "call.gap", f"is missing, but the later `{keys[-1]}` has a value")
        return {key: self.function.parameters[key] for key in keys}

    # --- (5) the reader must agree ---------------------------------------------------------------

    def _check_agreement(self, argv: tuple[str, ...]) -> PreparedCall:
        invocation = parse(self.reader, argv)
        read = arguments_of(self.function, invocation)
        # SECURITY: whatever a value looks like, the call that policy judges is the intended one.
        if read is None or not _same(read, self._intended_values()):
            self._say(
                (),
                "call.ambiguous",
                "the program could read these values as another command or option",
            )
            raise _invalid(self.function, self.problems)
        return PreparedCall(
            argv=argv,
            values=self.values,
            # a word that is not a command is an operand here: the document declares positionals
            invocation=invocation.replace(nodes=self.function.nodes, unknown_command=""),
        )

    def _intended_values(self) -> dict[str, object]:
        values = dict(self.values)
        for key, item in self._places().items():
            values.setdefault(key, item.default)
        return values

    def _say(self, path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(path=render_path(path), code=code, message=message, hint=hint))


def arguments_of(function: Function, invocation: Invocation) -> dict[str, object] | None:
    """Arguments of a function in an invocation; None if it is another call.

    The reverse of `build`: `arguments_of(f, parse(build(f, a).argv)) == a` without defaults.
    """
    if invocation.path != function.path or invocation.unknown:
        return None
    keys = {id(item): key for key, item in function.parameters.items() if isinstance(item, Option)}
    values: dict[str, object] = {}
    for used in invocation.options:
        key = keys.get(id(used.option))
        if key is None or used.option is None or invocation.help:
            return None
        value = option_value(used.option, used.flag, used.value)
        if is_list(used.option):
            listed = values.setdefault(key, [])
            assert isinstance(listed, list)
            listed.append(value)
        elif key in values:
            return None
        else:
            values[key] = value
    places = {k: i for k, i in function.parameters.items() if not isinstance(i, Option)}
    positional = positional_values(places, invocation.arguments)
    if positional is None or invocation.help or (invocation.unknown_command and not places):
        return None
    return {**positional, **values}


def _means(table: CommandTable, flag: str, option: Option) -> bool:
    entry = table.flags.get(flag)
    return entry is option or (entry is not None and entry == option)


def _needs_dashes(table: CommandTable, word: str) -> bool:
    if word[:1] == "-":
        return len(word) > 1
    if word in table.flags or (word[:1] == "@" and "@" in table.flags):
        return True
    return table.style == "keys" and word.partition("=")[0] + "=" in table.flags


def _same(read: object, intended: object) -> bool:
    """Equality that distinguishes `1` from `true` and treats tuples as lists."""
    if isinstance(read, dict) and isinstance(intended, dict):
        return read.keys() == intended.keys() and all(_same(read[k], intended[k]) for k in read)
    if isinstance(read, (list, tuple)) and isinstance(intended, (list, tuple)):
        return len(read) == len(intended) and all(map(_same, read, intended))
    return isinstance(read, bool) == isinstance(intended, bool) and read == intended


def _with_bare_command(function: Function) -> Tool:
    """The tool with the `""` command merged into its group, as its words are read (A11)."""
    tool = function.tool
    if len(function.nodes) == len(function.path):
        return tool
    bare = function.nodes[-1]
    if not function.path:
        options = (*(tool.options or ()), *(bare.options or ()))
        return tool.replace(options=options, commands=_without_bare(tool.commands))
    folded = function.nodes[-2]
    folded = folded.replace(
        options=(*(folded.options or ()), *(bare.options or ())),
        commands=_without_bare(folded.commands),
    )
    for depth in range(len(function.path) - 1, 0, -1):
        parent = function.nodes[depth - 1]
        folded = parent.replace(commands={**(parent.commands or {}), function.path[depth]: folded})
    return tool.replace(commands={**(tool.commands or {}), function.path[0]: folded})


def _without_bare(commands: Mapping[str, Command] | None) -> Mapping[str, Command]:
    return {name: command for name, command in (commands or {}).items() if name}
