"""Help, recursively: run a program for its help and that of its subcommands, within a budget.

Runs the program through a `Runner` that confines it. Text → Command is `inference`'s work; here is only
which probes run, and when to stop: at a number of probes, at a depth, when a subcommand prints its
parent's help again, when answers stop coming.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from atip.inference.help.complaints import denies_command, split_complaint
from atip.model.tool import BOOLEAN, Option
from atip.model.value import Value
from atip.system.clock import monotonic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.discovery.sources.native import ProbeAnswer
    from atip.model.tool import Command

    class Runner(Protocol):
        """Runs one program, confined."""

        def run(self, argv: Sequence[str], *, wall_s: float | None = None) -> ProbeAnswer: ...

    Reader = Callable[[str, tuple[str, ...]], Command]
    Refiner = Callable[[Command, tuple[str, ...]], Command]


class HelpBudget(Value):
    """Limits of what one tool may cost. A tool that reaches one is marked as truncated."""

    questions: int = 400
    depth: int = 3
    seconds: float = 60.0
    """Processor time of all answers: the result does not depend on the load of the machine."""
    stretch: float = 4.0
    """Limit of elapsed time for all answers, as a multiple of `seconds`: a program may wait for anything."""
    failures: int = 6
    """Subcommands in a row that do not answer."""
    answer_s: float = 4.0
    """Elapsed time for one answer."""


PATIENT = HelpBudget(answer_s=10.0)
"""For scripts: their interpreter has to start first."""


_MORE = re.compile(
    r"(--help[ =]all|--help-all|--helpfull|--fullhelp|--full-help|--help-full|--help-long|--longhelp|--long-help|--help-hidden)\b"
)
"""Arguments that print the complete help, as a help text mentions them."""
SPELLINGS: tuple[tuple[str, ...], ...] = (("--help",), ("-h",), ("help",), ("-help",), ("-?",), ())
"""Arguments that print help, in this order; the last is for programs that print their usage when called without arguments."""
NO_ARGUMENTS_S = 1.0
"""Time limit without arguments: a program that waits for input prints no help."""
ENOUGH = 3
"""Weight of a help text after which no other spelling is tried."""
MAX_UNANSWERED = 2
"""Spellings that a program may work on until its time is over; it does not look at its arguments, and the next would be the same."""
MAX_TEXT = 400_000
MAX_REMEMBERED = 64
_ASKS_FOR_HELP = re.compile(r"\btry\b.{0,60}\bhelp\b", re.I)
"""`Command "--help" is unknown, try "ip link help".`"""
MAX_ECHOES = 3
"""Subcommands in a row that print the help above them before their siblings are taken to do the same."""
MAX_ECHOING_GROUPS = 2
"""Commands in a row whose subcommands all do that before only one is asked of each that follows."""
SLOW_S = 1.0
"""Processor time of a probe after which a subcommand is not asked in another spelling."""
MAX_WRONG_GUESSES = 3
"""Candidates of one command that turn out to be values before the rest is taken for values too."""


class ProbeCache:
    """A runner that runs the first probes of a program (`--help`, `--version`) only once."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._answers: dict[tuple[str, ...], ProbeAnswer] = {}

    def run(self, argv: Sequence[str], *, wall_s: float | None = None) -> ProbeAnswer:
        if tuple(argv[1:]) not in (("--help",), ("--version",)):
            return self._runner.run(argv, wall_s=wall_s)
        key = tuple(argv)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._runner.run(argv, wall_s=wall_s)
            self._answers[key] = answer
            # Several programs are asked at once: only the oldest answer is done with.
            while len(self._answers) > MAX_REMEMBERED:
                self._answers.pop(next(iter(self._answers)), None)
        return answer


class HelpTree:
    """The tree of one program, and how it was probed."""

    def __init__(
        self,
        runner: Runner,
        program: str,
        read: Reader,
        budget: HelpBudget,
        *,
        refine: Refiner | None = None,
    ) -> None:
        """
        Args:
            refine: adds to a command what another probe reports about it.
        """
        self._runner = runner
        self._refine = refine
        self._program = program
        self._read = read
        self._budget = budget
        self._deadline = monotonic() + budget.seconds * budget.stretch
        self._used_s = 0.0
        """Processor time of all answers so far."""
        self._probes = 0
        self._failures = 0
        self._echoes = 0
        """Subcommands in a row that answered with the help of a command above."""
        self._echoing_groups = 0
        """Commands in a row whose subcommands all did."""
        self._spelling: tuple[str, ...] = SPELLINGS[0]
        self._is_prefix = False
        """Whether the spelling comes before the path: `tool help sub`."""
        self._short = False
        """Whether subcommands answer to `-h` where `--help` opens a manual (git)."""
        self._has_answered = False
        """Whether a subcommand has answered, to the spelling that the two above tell."""
        self._was_slow = False
        """Whether the last probe was work, not an answer: the same word in another spelling would be the same work."""
        self._exit_code: int | None = None
        self._output = b""
        """Output of the last probe as it was written."""
        self._complaint = ""
        """Error message of the last probe."""
        self._was_success = False
        """Whether the help was an answer, not a complaint about the question."""
        self.was_cut = False
        self.first_text = ""
        """Answer to the first question, if it is the help; else empty."""

    def explore(self) -> Command | None:
        """The root command with everything below it that could be had; None without any help."""
        root = self._root()
        if root is None:
            return None
        command, text = root
        return self._below(self._with_proof(command), (), (_AncestorHelp(text, command),))

    def _with_proof(self, command: Command) -> Command:
        """The flag that was answered is known, whether or not the help names it."""
        flag = self._spelling[0]
        flags = {flag for option in command.options or () for flag in option.flags}
        if not flag.startswith("-") or flag in flags or not self._was_success:
            return command
        return command.replace(options=(*(command.options or ()), proven_option(flag, "Show help")))

    def _root(self) -> tuple[Command, str] | None:
        best: tuple[Command, str] | None = None
        best_rank = (False, 0)
        outputs: set[bytes] = set()
        is_deaf = False
        for place, spelling in enumerate(SPELLINGS):
            if (not spelling and best) or self._failures >= MAX_UNANSWERED:
                break
            if spelling and is_deaf:
                continue
            text = self._ask((*spelling,))
            self.first_text = self.first_text if place else text or ""
            # The same words for two questions: it does not look at them, or at none that it was asked.
            is_deaf = self._output in outputs and not _names_any(
                self._output, SPELLINGS[place + 1 :]
            )
            outputs.add(self._output or b"nothing")
            if text is None:
                continue
            complained = bool(self._complaint)
            command = self._read(text, ())
            rank = (not complained and _weight(command) >= ENOUGH, _weight(command))
            if rank > best_rank:
                best, best_rank = (command, text), rank
                self._spelling = spelling or SPELLINGS[0]
                self._was_success = self._exit_code == 0 and bool(spelling) and not complained
            # Usage below a complaint is often less than the help: one other spelling may know more.
            is_enough = not complained or spelling != SPELLINGS[0]
            if is_enough and best_rank[1] >= ENOUGH:
                break
        if best is None:
            return None
        self.first_text = self.first_text if best[1] == self.first_text else ""
        return self._fuller(best)

    def _fuller(self, best: tuple[Command, str]) -> tuple[Command, str]:
        """The long form of a help text that announces one (`--help all`)."""
        announced = _MORE.search(best[1])
        text = self._ask(announced[1].split()) if announced else None
        if text is None:
            return best
        command = self._read(text, ())
        if _weight(command) <= _weight(best[0]):
            return best
        return command.replace(
            description=best[0].description or command.description,
            arguments=command.arguments or best[0].arguments,
            usage=command.usage or best[0].usage,
        ), text

    def _below(
        self, command: Command, path: tuple[str, ...], ancestors: tuple[_AncestorHelp, ...]
    ) -> Command:
        if self._refine is not None:
            command = self._refine(command, path)
        if not command.commands or len(ancestors) > self._budget.depth:
            self.was_cut = self.was_cut or bool(command.commands)
            return command.replace(commands=_sure(command.commands))
        children = dict(command.commands)
        answers: dict[str, tuple[Command, _AncestorHelp]] = {}
        wrong = 0
        self._echoes = 0
        most_echoes = MAX_ECHOES if self._echoing_groups < MAX_ECHOING_GROUPS else 1
        for name, child in command.commands.items():
            is_guess = bool(child.own.get("unconfirmed"))
            if is_guess:
                children.pop(name)  # until its own help shows that it is one
                if wrong >= MAX_WRONG_GUESSES:
                    continue
            if self._echoes >= most_echoes or not self._may_ask() or name == "help":
                continue
            answer = self._child((*path, name), ancestors, is_guess=is_guess)
            if answer is None:
                if is_guess:
                    wrong += 1
                    self._failures -= 1
                continue
            subcommand, text = answer
            merged = subcommand.replace(
                description=child.description or subcommand.description,
                arguments=subcommand.arguments or child.arguments,
                aliases=child.aliases or subcommand.aliases,
                extra={"x-atip": {}, **subcommand.extra}
                if is_guess
                else {**child.extra, **subcommand.extra},
            )
            answers[name] = merged, _AncestorHelp(text, subcommand)
            children[name] = merged
        self._echoing_groups = 0 if answers else self._echoing_groups + bool(self._echoes)
        # All commands of one level come first: what is left of the budget goes to those below them.
        for name, (merged, subcommands) in answers.items():
            children[name] = self._below(merged, (*path, name), (*ancestors, subcommands))
        return command.replace(commands=children or None)

    def _child(
        self, path: tuple[str, ...], ancestors: tuple[_AncestorHelp, ...], *, is_guess: bool
    ) -> tuple[Command, str] | None:
        orders = self._orders(path)
        is_echo = False
        for words in orders:
            is_final = is_guess or self._was_slow or (is_echo and self._has_answered)
            if words != orders[0] and is_final:
                break  # a word that is none may cost much; an echo of the spelling that works is final
            text = self._ask(words)
            if _ASKS_FOR_HELP.search(self._complaint) and (*path, "help") not in orders:
                orders.insert(1, (*path, "help"))
            if text is None or denies_command(self._complaint):
                continue
            command = self._read(text, path)
            repeats = any(ancestor.is_shown_by(text, command) for ancestor in ancestors)
            is_echo = is_echo or repeats
            if _weight(command) and not repeats:
                self._is_prefix = words[0] == "help"
                self._short = words[-1] == "-h"
                self._has_answered = True
                self._failures = self._echoes = 0
                return command, text
        self._failures += not is_echo
        self._echoes += is_echo
        return None

    def _orders(self, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Spellings of the question for a subcommand, the one that was answered last first."""
        orders = [(*path, *self._spelling), ("help", *path), (*path, "-h")]
        if self._is_prefix:
            orders[:2] = reversed(orders[:2])
        if self._short and self._spelling != ("-h",):
            orders.insert(0, orders.pop())
        return orders

    def _may_ask(self) -> bool:
        may = (
            self._probes < self._budget.questions
            and self._failures < self._budget.failures
            and self._used_s < self._budget.seconds
            and monotonic() < self._deadline
        )
        self.was_cut = self.was_cut or not may
        return may

    def _ask(self, words: Sequence[str]) -> str | None:
        if self._probes >= self._budget.questions:
            self.was_cut = True
            return None
        self._probes += 1
        wall_s = self._budget.answer_s if words else min(NO_ARGUMENTS_S, self._budget.answer_s)
        answer = self._runner.run([self._program, *words], wall_s=wall_s)
        self._used_s += answer.cpu_s
        self._was_slow = answer.cpu_s > SLOW_S
        self._output = answer.stdout + answer.stderr
        if answer.failure or answer.timed_out or answer.truncated:
            # One that computes until its time is over would compute the same for the next question.
            self._failures += 2 if answer.cpu_s > wall_s / 2 else 1
            return None
        self._exit_code = answer.exit_code
        self._complaint, text = split_complaint(_text_of(answer))
        return text if text.strip() else None


def first_text(runner: Runner, program: str, budget: HelpBudget) -> str:
    """Answer of a program to the first question of `HelpTree`, without a complaint; empty without one."""
    answer = runner.run([program, *SPELLINGS[0]], wall_s=budget.answer_s)
    is_answer = not (answer.failure or answer.timed_out or answer.truncated)
    return split_complaint(_text_of(answer))[1] if is_answer else ""


def _text_of(answer: ProbeAnswer) -> str:
    return max(answer.stdout, answer.stderr, key=len)[:MAX_TEXT].decode("utf-8", "replace")


def proven_option(flag: str, description: str) -> Option:
    """A switch that the program has answered to."""
    extension = {"evidence": {"source": "help", "part": "answer"}}
    name = flag.lstrip("-")
    return Option(
        name=name, flags=(flag,), type=BOOLEAN, description=description, extra={"x-atip": extension}
    )


def _names_any(output: bytes, spellings: Sequence[tuple[str, ...]]) -> bool:
    """Whether a text names one of these spellings (`use -help`)."""
    words = set(re.split(rb"[^\w?-]+", output[:MAX_TEXT]))
    return any(spelling and spelling[0].encode() in words for spelling in spellings)


def _sure(commands: Mapping[str, Command] | None) -> Mapping[str, Command] | None:
    sure = {
        n: command for n, command in (commands or {}).items() if not command.own.get("unconfirmed")
    }
    return sure or None


def _weight(command: Command) -> int:
    """Amount of content in a help text: 0 is nothing, 1 a usage line, more a real description."""
    options = [option for option in command.options or () if not option.own.get("mentioned")]
    return (
        2 * len(options)
        + 3 * len(command.commands or {})
        + len(command.arguments or ())
        + bool(command.usage)
    )


class _AncestorHelp:
    """The help of a command above, to notice when one below prints it again (it ignores what it does not know)."""

    def __init__(self, text: str, command: Command) -> None:
        self._text = text.strip()
        self._names = frozenset(command.commands or ())

    def is_shown_by(self, text: str, command: Command) -> bool:
        """Whether a text is this help again: the same words, or a list of the same commands."""
        names = frozenset(command.commands or ())
        is_same_list = len(names) > 2 and 5 * len(names & self._names) >= 4 * len(
            self._names | names
        )
        return is_same_list or text.strip() == self._text
