"""Go programs built with cobra: probed with their completion protocol, in addition to help. Runs the tool.

For every command: its help (how flags belong together, which take a value), `__complete … -` (which
flags there are; no longer where the help of a dozen commands had them all) and, where there may be
subcommands, `__complete … ""`. Values of options are probed while the budget lasts. A program is probed only if its file contains the name of the protocol or of cobra.

A program may be silent: it is older than the protocol, or it prepares its work before it looks at the
question (a socket, a configuration, a namespace of its own), which a probe is not given. Its help is still printed from
the parser and is complete, so it is the answer; no other probe runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.discovery.frameworks.marks import COBRA, COBRA_PACKAGE, marks_in
from atip.discovery.sources.help_tree import HelpBudget, HelpTree
from atip.discovery.sources.inference_sources import ask_version, inferred_tool
from atip.inference.cobra import choices_of, confirm, may_have_commands, parse_answer
from atip.inference.cobra_help import by_headings, is_template
from atip.model.tool import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.inference.cobra import CompletionAnswer
    from atip.model.tool import Command, Option, Tool

COBRA_BUDGET = HelpBudget(questions=1_200, depth=6, seconds=240.0)
MAX_AGREEMENTS = 12
"""Commands in a row whose help was complete, after which it is taken for complete."""
MAX_VALUE_QUESTIONS = 60
"""Maximum number of options of one tool whose values are probed."""


class CobraSource:
    """Probes a cobra program. None for every other program, without running it."""

    source_kind = "framework"
    executes = True

    def __init__(
        self, open_runner: Callable[[ProbeSubject], Runner], budget: HelpBudget = COBRA_BUDGET
    ) -> None:
        self._open_runner = open_runner
        self._budget = budget

    def ask(self, subject: ProbeSubject) -> Tool | None:
        marks = marks_in(subject.stub.target or subject.real_path)
        if COBRA not in marks and COBRA_PACKAGE not in marks:
            return None
        from atip.inference.help import infer_help

        runner = self._open_runner(subject)
        talk = _Talk(runner, subject.program)
        talk.is_silent = COBRA not in marks or talk.ask("-") is None
        if talk.is_silent and not _tells_all(runner, subject.program):
            return None  # the name is there, but the program was made by hand
        tree = HelpTree(
            runner,
            subject.program,
            lambda text, path: by_headings(infer_help(text, tool=subject.name, path=path), text),
            self._budget,
            refine=talk.refine,
        )
        command = tree.explore()
        if command is None:
            return None
        method = "framework-help" if talk.is_silent else "completion-protocol"
        tool = inferred_tool(
            subject.name, command, method, is_truncated=tree.was_cut, confidence="high"
        )
        return tool.replace(version=ask_version(runner, subject))


def _tells_all(runner: Runner, program: str) -> bool:
    answer = runner.run([program, "--help"], wall_s=COBRA_BUDGET.answer_s)
    if answer.failure or answer.timed_out:
        return False
    return is_template(max(answer.stdout, answer.stderr, key=len).decode("utf-8", "replace"))


class _Talk:
    """One probing session; remembers inherited options."""

    def __init__(self, runner: Runner, program: str) -> None:
        self._runner = runner
        self._program = program
        self._values: dict[tuple[tuple[str, ...], str], Option] = {}
        self._probes = 0
        self._agreements = 0
        """Commands in a row whose help has every flag that the protocol names."""
        self.is_silent = False
        """Whether the program does not support the protocol; it is then not probed again."""
        self._seen: dict[tuple[str, ...], set[tuple[tuple[str, ...], str]]] = {}
        """Options of every command so far: what a command inherits is not repeated below it."""

    def ask(self, *words: str) -> CompletionAnswer | None:
        if self.is_silent:
            return None
        answer = self._runner.run([self._program, "__complete", *words])
        if answer.failure or answer.timed_out:
            return None
        return parse_answer(answer.stdout.decode("utf-8", "replace"))

    def refine(self, parsed: Command, path: tuple[str, ...]) -> Command:
        """One command of the tree: from its help → as the program itself reports it."""
        words = self.ask(*path, "") if may_have_commands(parsed) else None
        flags = self.ask(*path, "-") if self._may_differ(parsed) else None
        command = confirm(parsed, words, flags)
        inherited: set[tuple[tuple[str, ...], str]] = set()
        for length in range(len(path)):
            inherited |= self._seen.get(path[:length], set())
        own_options = [option for option in command.options or () if _key(option) not in inherited]
        if flags is not None:
            is_same = _flags(own_options) <= _flags(parsed.options or ())
            self._agreements = self._agreements + 1 if is_same else 0
        self._seen[path] = {_key(option) for option in own_options}
        options = tuple(self._with_values(option, path) for option in own_options)
        return command.replace(options=options or None)

    def _may_differ(self, parsed: Command) -> bool:
        """Whether the protocol may name flags that the help lacks, or has to tell whose flag a sentence speaks of."""
        is_open = any(option.own.get("mentioned") for option in parsed.options or ())
        return is_open or self._agreements < MAX_AGREEMENTS

    def _with_values(self, option: Option, path: tuple[str, ...]) -> Option:
        """The option with its kind and choices, where only the program knows them."""
        unsure = bool(option.own.get("valueUnknown"))
        if not unsure and (option.type != "string" or option.enum):
            return option
        key = _key(option)
        values = self._values.get(key)
        if values is None:
            if self._probes >= MAX_VALUE_QUESTIONS:
                return option
            self._probes += 1
            values = self._values[key] = self._ask_values(option, path, unsure=unsure)
        return values

    def _ask_values(self, option: Option, path: tuple[str, ...], *, unsure: bool) -> Option:
        flag = option.flags[-1]
        if unsure:
            metadata = {key: value for key, value in option.own.items() if key != "valueUnknown"}
            after = self.ask(*path, flag, "--")
            # After a switch the program offers further flags; after an option with a value it does not.
            is_switch = after is None or any(word.startswith("--") for word in after.candidates)
            kind = BOOLEAN if is_switch else "string"
            option = option.replace(type=kind, extra={**option.extra, "x-atip": metadata})
        if option.type == BOOLEAN:
            return option
        answer = self.ask(*path, flag, "")
        choices = choices_of(answer) if answer else None
        return option.replace(type="enum", enum=choices) if choices else option


def _flags(options: Iterable[Option]) -> set[str]:
    return {flag for option in options for flag in option.flags}


def _key(option: Option) -> tuple[tuple[str, ...], str]:
    return option.flags, option.description
