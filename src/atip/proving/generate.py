"""Generating: cases from what is described, found by trial. Each command with operands that work, then each of its flags once with
and once without; dry runs and flags that raise an effect first.

Which operands work is not written anywhere, so it is tried: recipes of ours (`recipes.yaml`), the examples of the documentation, then
operands by the names of the positionals. What has been found is data (`Case.to_json`) and can be played again.
"""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING

from atip.knowledge.reading import load
from atip.model.value import Value
from atip.proving.cases import Case, CaseSetup
from atip.proving.claims import claim_of
from atip.proving.operands import (
    MAX_BASES,
    MAX_VALUES,
    bases,
    load_environment,
    load_recipes,
    values,
)
from atip.proving.verdicts import AGREES, UNUSED, judge_observation, observation_of
from atip.system.programs.processes import children_cpu_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from atip.model.tool import Argument, Command, Option, Tool
    from atip.proving.operands import Recipe
    from atip.proving.trial import Trial
    from atip.proving.verdicts import CaseObservation, FactVerdict

    Run = Callable[[Case], Trial]

_NEVER = ("--help", "-h", "--version", "-V", "-?", "--usage", "-help", "-version", "--agent")
"""Cases of these show nothing."""
MANY_COMMANDS = 400
AT_ONCE = 4
_SHELL = set("|&;<>$`*?(){}[]~#\n\\\"'")


class CaseRun(Value):
    """A case and how it went."""

    case: Case
    observation: CaseObservation
    verdicts: tuple[FactVerdict, ...]
    exit_code: int = 0


class CaseBudget(Value):
    """Limits on the search for cases of one tool."""

    commands: int = 60
    flags: int = 20
    """Of one command."""
    cases: int = 160
    trials: int = 260
    waits: int = 10
    """Cases that do not end by themselves."""
    cpu_s: float = 20.0
    """Processor time of all trials: the clock would find other cases on a busy machine."""


class Generator:
    """Finds the cases of one tool."""

    def __init__(
        self,
        name: str,
        tool: Tool,
        curated: Tool | None,
        desk: str,
        run: Run,
        budget: CaseBudget,
        lookup: Callable[[str], Tool | None] = load,
    ) -> None:
        """
        Args:
            described: all that is known, its help and manual included: names and flags.
            curated: our knowledge of their effects.
            lookup: whose claims the cases are held against.
        """
        self._lookup = lookup
        self._name = name
        self._environment = load_environment(name)
        self._described = tool
        self._curated = curated or tool
        self._desk = desk
        self._do = run
        self._budget = budget
        self._ends = children_cpu_s() + budget.cpu_s
        self._trials = self._waits = 0
        self.results: list[CaseRun] = []

    def generate(self) -> list[CaseRun]:
        """All cases, tried once: every command, then the flags of each."""
        pending = []
        for path, command in self._commands():
            if self._over():
                break
            if (best := self._command(path, command)) is not None:
                metadata = self._described_at(path) or command
                pending.append((path, best, iter(self._options(path, metadata, command)), [0]))
        while pending and not self._over():
            pending = [entry for entry in pending if self._next_flags(*entry)]
        return self.results

    def _next_flags(
        self, path: tuple[str, ...], best: CaseRun, options: Iterator[Option], count: list[int]
    ) -> bool:
        """A few more flags of one command; whether there may be others."""
        batch = list(itertools.islice(options, AT_ONCE))
        for option in batch:
            if self._over() or count[0] >= self._budget.flags:
                return False
            count[0] += self._flag(path, best, option)
        return len(batch) == AT_ONCE

    def _over(self) -> bool:
        budget = self._budget
        is_spent = len(self.results) >= budget.cases or self._trials >= budget.trials
        return is_spent or self._waits >= budget.waits or children_cpu_s() > self._ends

    def _commands(self) -> Iterator[tuple[tuple[str, ...], Command | Tool]]:
        """The tool itself, then commands that we have a recipe for, then those that our knowledge describes."""
        yield (), self._curated
        recipes = load_recipes()
        curated = dict(self._curated.walk())
        with_recipes = [
            tuple(key.split()[1:]) for key in recipes if key.startswith(f"{self._name} ")
        ]
        rest = [
            path
            for path, command in curated.items()
            if path not in with_recipes and not command.commands
        ]
        if len(curated) > MANY_COMMANDS:
            rest = []  # a cloud's client: only the commands that we have words for
        for path in [*with_recipes, *sorted(rest)][: self._budget.commands]:
            yield path, curated.get(path) or self._curated

    # --- one command -------------------------------------------------------------------------------

    def _command(self, path: tuple[str, ...], command: Command | Tool) -> CaseRun | None:
        """Its cases without more flags; the one that flags can be held against."""
        metadata = self._described_at(path) or command
        recipes = load_recipes().get(" ".join((self._name, *path)))
        best: CaseRun | None = None
        if recipes:
            for recipe in recipes:
                trial = self._try(self._case(path, recipe, "knowledge"))
                if trial is not None:
                    self.results.append(trial)
                    best = best or (trial if _is_base(trial) else None)
        elif recipes is None:
            closest = self._find_base(path, metadata)
            if closest is not None:
                self.results.append(closest)
                best = closest if _is_base(closest) else None
        for text in metadata.examples or ():
            self._example(path, text)
        return best

    def _described_at(self, path: tuple[str, ...]) -> Command | Tool | None:
        if not path:
            return self._described
        commands = self._described.commands or {}
        command: Command | None = None
        for word in path:
            command = commands.get(word)
            if command is None:
                return None
            commands = command.commands or {}
        return command

    def _find_base(self, path: tuple[str, ...], metadata: Command | Tool) -> CaseRun | None:
        """Operands with which it ends well and does what is claimed; else those that come closest."""
        arguments: Sequence[Argument] = metadata.arguments or ()
        best: CaseRun | None = None
        seen: set[tuple[str, ...]] = set()
        for recipe in bases(self._name, path, arguments):
            if recipe.words in seen or len(seen) >= MAX_BASES or self._over():
                continue
            seen.add(recipe.words)
            trial = self._try(self._case(path, recipe, "metadata"))
            if trial is None:
                continue
            if best is None or _rank(trial) > _rank(best):
                best = trial
            if trial.observation.timed_out:
                break  # it waits for something that we do not have
            if _is_whole(trial):
                break
        return best

    def _example(self, path: tuple[str, ...], text: str) -> None:
        """An example of the tool's own documentation, where no shell is needed to read it."""
        text = text.strip().removeprefix("$ ")
        if _SHELL.intersection(text) or self._over():
            return
        words = shlex.split(text)
        if len(words) < 2 or words[0] != self._name or _shows_nothing(words):
            return
        setup = CaseSetup(env=self._environment)
        trial = self._try(
            Case(argv=tuple(words), command=path, setup=setup, source="documentation")
        )
        if trial is not None:
            self.results.append(trial)

    def _case(self, path: tuple[str, ...], recipe: Recipe, source: str) -> Case:
        setup = CaseSetup(folder=recipe.folder, stdin=recipe.stdin or None, env=self._environment)
        return Case(
            argv=(self._name, *path, *recipe.words), command=path, setup=setup, source=source
        )

    # --- flags -------------------------------------------------------------------------------------

    def _options(
        self, path: tuple[str, ...], metadata: Command | Tool, command: Command | Tool
    ) -> list[Option]:
        """Options to try: those that raise an effect first; each flag once."""
        options: dict[str, Option] = {}
        shared = () if path else (self._described.global_options or ())
        for option in (*(command.options or ()), *(metadata.options or ()), *shared):
            flag = _flag_of(option)
            if flag and flag not in options and not set(option.flags) & set(_NEVER):
                is_listed = any(other in options for other in option.flags)
                if not is_listed:
                    options[flag] = option
        return sorted(options.values(), key=lambda one: not _matters(one))

    def _flag(self, path: tuple[str, ...], base: CaseRun, option: Option) -> int:
        """The case with a flag, beside the one without; how many trials of the budget it took."""
        flag = _flag_of(option)
        if flag in base.case.argv:
            return 0
        arguments = values(option)[:MAX_VALUES] if option.takes_value else [""]
        last: CaseRun | None = None
        for value in arguments:
            if self._over():
                break
            last = self._try(_with_flag(base.case, flag, value, joined=_joins(option)))
            if last is None or _same_end(last, base) or last.observation.timed_out:
                break
        if last is not None:
            self.results.append(last)
        return 1

    def _try(self, case: Case) -> CaseRun | None:
        self._trials += 1
        claim = claim_of(case.argv, self._desk, self._lookup)
        trial = self._do(case)
        observation = observation_of(trial)
        self._waits += observation.timed_out
        verdicts = judge_observation(claim.effects, observation, spawn=claim.spawn)
        return CaseRun(
            case=case, observation=observation, verdicts=verdicts, exit_code=trial.exit_code
        )


def _shows_nothing(words: Sequence[str]) -> bool:
    return any(word in _NEVER for word in words)


def _with_flag(base: Case, flag: str, value: str, *, joined: bool) -> Case:
    """The flag behind the command's name, where every parser takes it."""
    at = 1 + len(base.command)
    words = (flag,) if not value else ((f"{flag}={value}",) if joined else (flag, value))
    return base.replace(
        argv=(*base.argv[:at], *words, *base.argv[at:]),
        without=base.argv,
        flag=flag,
        source="metadata",
    )


def _flag_of(option: Option) -> str:
    """The long spelling if there is one: short ones mean different things in bundles."""
    simple = [flag for flag in option.flags if "[" not in flag and "#" not in flag]
    return next((flag for flag in simple if flag.startswith("--")), simple[0] if simple else "")


def _joins(option: Option) -> bool:
    return _flag_of(option).startswith("--") and option.own.get("join") != "space"


def _matters(option: Option) -> bool:
    metadata = option.own
    return any(key in metadata for key in ("effects", "maybe", "profile", "dryRun", "runs"))


def _rank(trial: CaseRun) -> tuple[bool, int, int]:
    agreed = sum(verdict.verdict == AGREES for verdict in trial.verdicts)
    return trial.observation.worked, agreed, -len(trial.case.argv)


def _is_whole(trial: CaseRun) -> bool:
    judged = [verdict for verdict in trial.verdicts if verdict.verdict in (AGREES, UNUSED)]
    return trial.observation.worked and all(
        fact_verdict.verdict == AGREES
        for fact_verdict in judged
        if fact_verdict.fact != "destructive"
    )


def _is_base(trial: CaseRun) -> bool:
    """Whether flags can be compared with it: it worked, or it failed only for lack of a server."""
    if trial.observation.timed_out:
        return False
    agreed = {verdict.fact for verdict in trial.verdicts if verdict.verdict == AGREES}
    return trial.observation.worked or bool(agreed - {"filesystem.read"})


def _same_end(trial: CaseRun, other: CaseRun) -> bool:
    same = trial.exit_code == other.exit_code and not trial.observation.timed_out
    return trial.observation.worked or same
