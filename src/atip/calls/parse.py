"""Parse: argv → Invocation, by the same tables that build one.

Reads the way the program reads: subcommand after global options, aliases, bundles (`-xvf`), joined
values (`-ofile`, `--opt=value`), `--`, options between positionals, GNU prefixes where the tool allows
them, single-dash long names, `key=value` operands, tar's first bundle without a dash. Never fails: words
that no table has are reported as unknown. Does not read shell syntax; the words are already split.
"""

from __future__ import annotations

from atip.calls.effects.inner import all_inner, is_reached
from atip.calls.invocation import GivenOption, Inner, Invocation
from atip.calls.tables import CommandTable, takes_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.tool import Command, Option, Tool

MAX_DEPTH = 12
HELP = ("--help", "--version")


def parse(tool: Tool, argv: Sequence[str]) -> Invocation:
    """Read `argv` (the program's name first) by the tables of `tool`."""
    return _Reader(tool, list(argv[1:])).read()


class _Reader:
    """One pass over the words; `at` is the next one."""

    def __init__(self, tool: Tool, words: list[str]) -> None:
        self.tool = tool
        self.words = words
        self.at = 0
        self.table = CommandTable(tool)
        self.path: list[str] = []
        self.nodes: list[Command] = []
        self.given: list[GivenOption] = []
        self.arguments: list[str] = []
        self.unknown: list[str] = []
        self.unknown_at = -1
        self.unknown_command = ""
        self.collected: list[Inner] = []
        self.ended: int | None = None
        self.closed = False
        """No option can follow: after `--`, or where a wrapper's inner command starts."""
        self.settled = False
        """No command can follow."""
        self.help = False
        helps = tool.own.get("help", HELP)
        self.help_flags: tuple[str, ...] = tuple(helps) if isinstance(helps, list) else HELP

    def read(self) -> Invocation:
        if self.table.style == "bundle" and self.words and self._is_bare_bundle(self.words[0]):
            self.at = 1
            self._old_bundle(self.words[0])
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            self._word(word)
        if self.table.bare is not None and not self.unknown_command:
            self.nodes.append(self.table.bare)
        inner, wraps = all_inner(
            self.table.runs, self.given, self.arguments, self.ended, self.collected
        )
        return Invocation(
            tool=self.tool.name,
            path=tuple(self.path),
            options=tuple(self.given),
            arguments=tuple(self.arguments),
            unknown=tuple(self.unknown),
            unknown_command=self.unknown_command,
            inner=inner,
            wraps=wraps,
            ended=self.ended,
            help=self.help,
            nodes=tuple(self.nodes),
        )

    def _word(self, word: str) -> None:
        style = self.table.style
        if self.closed or style == "raw":
            self._positional(word)
        elif word == "--":
            self.closed = True
            self.ended = len(self.arguments)
        elif style == "keys" and self._key(word):
            pass
        elif word[:1] == "-" and len(word) > 1:
            self._option_word(word)
        elif word in self.table.flags:
            self._take(self.table.flags[word], word, None)
        elif word[:1] == "@" and "@" in self.table.flags:
            self._add(self.table.flags["@"], "@", word[1:])
        else:
            self._positional(word)

    # --- positionals -----------------------------------------------------------------------------

    def _positional(self, word: str) -> None:
        if not self.settled and self._descend(word):
            return
        if not self.settled:
            self.settled = True
            if self.table.expects_command and not self.table.operands and self.ended is None:
                self.unknown_command = word
        self.arguments.append(word)
        runs = self.table.runs
        if self.table.style == "posix" or (
            isinstance(runs, dict) and "after" not in runs and is_reached(runs, self.arguments)
        ):
            self.closed = True

    def _descend(self, word: str) -> bool:
        table = self.table
        if not table.expects_command or len(self.path) >= MAX_DEPTH:
            return False
        child = table.child(word)
        if child is not None:
            self._enter(*child)
            return True
        if not table.deep:
            return False
        # words of a deep path may be mixed with options; only plain words up to the first option count
        ahead = [word]
        for later in self.words[self.at :]:
            if later.startswith("-"):
                break
            ahead.append(later)
        entry = table.deep_child(ahead)
        if entry is None:
            return False
        index, command = entry
        self.path += ahead[:index]
        self.at += index
        self._enter(ahead[index], command)
        return True

    def _enter(self, name: str, command: Command) -> None:
        self.path.append(name)
        self.nodes.append(command)
        self.table.descend(self.tool, command)

    # --- options ---------------------------------------------------------------------------------

    def _option_word(self, word: str) -> None:
        if word in self.help_flags and not self._after_unknown_flag():
            self.help = True
            return
        name, equals, value = word.partition("=")
        exact = self.table.flags.get(word) or (self.table.flags.get(name) if equals else None)
        if exact is not None and (len(name) > 2 or not equals or word in self.table.flags):
            self._take(exact, word if word in self.table.flags else name, value if equals else None)
        elif word.startswith("--"):
            self._long(name, value if equals else None)
        elif self.table.style == "long":
            self._unknown(name)
        elif self.table.option(word) is not None:
            self._add(self.table.option(word), word, word[1:])
        else:
            self._bundle(word[1:])

    def _after_unknown_flag(self) -> bool:
        """SECURITY: `tool -X --help`: if `-X` is unknown, the word may be its value, and the tool runs."""
        return self.unknown_at == self.at - 1

    def _long(self, name: str, value: str | None) -> None:
        option = self.table.option(name)
        if option is None and self.table.style == "long":
            option = self.table.option(name[1:])
        if option is None:
            self._unknown(name, value)
        else:
            self._take(option, name, value)

    def _bundle(self, letters: str) -> None:
        """`-xvf FILE`, `-ofile`: letters up to the first that takes a value."""
        for index, letter in enumerate(letters):
            flag = "-" + letter
            option = self.table.flags.get(flag)
            rest = letters[index + 1 :]
            if option is None:
                if letters.isdigit():
                    self._unknown("-" + letters)
                    return
                self._unknown(flag)
            elif takes_value(option):
                self._take(option, flag, rest or None)
                return
            elif option.takes_value:
                self._add(option, flag, rest or None)
                if rest:
                    return
            else:
                self._take(option, flag, None)

    def _is_bare_bundle(self, word: str) -> bool:
        return word[:1] != "-" and word.isalpha() and word.isascii()

    def _old_bundle(self, letters: str) -> None:
        """tar and ps: the first word is a bundle without dash; values follow in order."""
        for letter in letters:
            flag = "-" + letter
            option = self.table.flags.get(flag)
            if option is None:
                self._unknown(flag)
            else:
                self._take(option, flag, None)

    def _key(self, word: str) -> bool:
        """dd: `of=FILE`."""
        name, equals, value = word.partition("=")
        option = self.table.flags.get(name + "=") if equals else None
        if option is None:
            return False
        self._add(option, name + "=", value)
        return True

    def _take(self, option: Option, flag: str, value: str | None) -> None:
        """Add an option, with its value from the next word or its inner command where it has one."""
        runs = option.own.get("runs")
        if isinstance(runs, dict) and "until" in runs:
            self._collect(flag, runs["until"], value)
            self._add(option, flag, None)
            return
        if runs == "rest":
            words = tuple(self.words[self.at :])
            self.at = len(self.words)
            self.collected.append(_argv(words, flag))
            self._add(option, flag, None)
            return
        if value is None and takes_value(option) and self.at < len(self.words):
            value = self.words[self.at]
            self.at += 1
        self._add(option, flag, value)

    def _collect(self, flag: str, until: Sequence[str], joined: str | None) -> None:
        """`-exec CMD … ;`: words up to a terminator; `+` ends only after `{}`. The first word may be
        joined to the flag (`--exec=rm`, `-xrm`)."""
        words: list[str] = [joined] if joined else []
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word in until and (word != "+" or words[-1:] == ["{}"]):
                break
            words.append(word)
        self.collected.append(_argv(tuple(words), flag))

    def _add(self, option: Option | None, flag: str, value: str | None) -> None:
        name = option.name if option is not None else flag
        self.given.append(GivenOption(name=name, flag=flag, value=value, option=option))

    def _unknown(self, flag: str, value: str | None = None) -> None:
        self.unknown.append(flag)
        self.unknown_at = self.at
        self._add(None, flag, value)


def _argv(words: tuple[str, ...], flag: str) -> Inner:
    if not words or words[0].startswith(("-", "\0")):
        return Inner(kind="code", text=" ".join(words), via=flag)
    return Inner(kind="argv", argv=words, via=flag)
