"""Patterns: a known way to use tools, with its variables filled in, as a plan of argvs.

A plan is data: it runs nothing. `may_run` repeats the document's `executable`, false unless it says true; and
even then each step goes through policy like any other call. Steps are split like a shell splits words, but
operators, expansions and redirections are refused. Implements ATIP 0.6 §3.9, A38.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from atip.calls.effects.inner import simple_argv
from atip.calls.parse import parse
from atip.calls.templates.template import BRACES, fill
from atip.calls.values import why_unusable
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.shapes.shape import closest, name_of
from atip.model.tool import MISSING
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.calls.invocation import Invocation
    from atip.model.tool import Pattern, Tool, Variable

    Lookup = Callable[[str], "Tool | None"]

_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


class PlannedStep(Value):
    """One step as it would be run. `invocation` is None where the program is not known."""

    argv: tuple[str, ...]
    description: str = ""
    invocation: Invocation | None = None


class FilledPattern(Value):
    """A filled pattern. With problems there are no steps."""

    name: str
    steps: tuple[PlannedStep, ...] = ()
    may_run: bool = False
    """False: shown to a person or a model, never run."""
    problems: tuple[Problem, ...] = ()


def plan_pattern(
    pattern: Pattern, variables: Mapping[str, object], *, lookup: Lookup | None = None
) -> FilledPattern:
    """Fill a pattern. Never raises: what is wrong is in `problems`, with its path."""
    problems: list[Problem] = []
    values = _values(pattern, variables, problems)
    steps: list[PlannedStep] = []
    if not problems:
        for index, step in enumerate(pattern.steps):
            planned = _step(index, step.command, step.description or "", values, lookup, problems)
            if planned is not None:
                steps.append(planned)
    return FilledPattern(
        name=pattern.name,
        steps=() if problems else tuple(steps),
        may_run=pattern.executable is True and not problems,
        problems=tuple(problems),
    )


def _values(
    pattern: Pattern, variables_given: Mapping[str, object], problems: list[Problem]
) -> dict[str, object]:
    declared = pattern.variables or {}
    used = {name for step in pattern.steps for name in BRACES.findall(step.command)}
    for name in variables_given:
        if name not in used:
            close = closest(name, sorted(used))
            hint = f"did you mean `{close}`?" if close else ""
            _say(problems, (name,), "call.unknown-argument", "is not used by any step", hint)
    values: dict[str, object] = {}
    for name in sorted(used):
        variable = declared.get(name)
        if variable is None:
            _say(problems, (name,), "call.undeclared-variable", "is used but not declared")
        elif variables_given.get(name) is not None:
            values[name] = _checked(name, variable, variables_given[name], problems)
        elif variable.default is not MISSING and variable.default is not None:
            values[name] = variable.default
        else:
            _say(problems, (name,), "call.missing-argument", "is required")
    return values


def _checked(name: str, variable: Variable, value: object, problems: list[Problem]) -> object:
    kinds = _TYPES.get(variable.type or "string", (str,))
    if not isinstance(value, kinds) or (bool not in kinds and isinstance(value, bool)):
        expected = variable.type or "string"
        _say(problems, (name,), "call.wrong-type", f"expected {expected}, found {name_of(value)}")
    elif variable.enum and value not in variable.enum:
        words = [str(choice) for choice in variable.enum]
        _say(
            problems, (name,), "call.not-a-choice", "is not a choice", "one of: " + ", ".join(words)
        )
    elif isinstance(value, str):
        reason = why_unusable(value)
        if reason:
            _say(problems, (name,), "call.unusable-value", reason)
    return value


def _step(
    index: int,
    line: str,
    description: str,
    values: Mapping[str, object],
    lookup: Lookup | None,
    problems: list[Problem],
) -> PlannedStep | None:
    path = ("steps", index)
    template = _words(line)
    if template is None:
        message = "needs a shell, but patterns run without one"
        _say(problems, path, "call.shell-syntax", message, "write one simple command per step")
        return None
    tool = lookup(template[0]) if lookup is not None else None
    try:
        argv = fill(template, values, tool=tool, places=BRACES, allow_code=True)
    except FormatError as error:
        problems += [problem.replace(path=render_path(path)) for problem in error.problems]
        return None
    invocation = parse(tool, argv) if tool is not None else None
    return PlannedStep(argv=argv, description=description, invocation=invocation)


def _words(line: str) -> list[str] | None:
    """Words of a line without shell syntax; places count as plain text."""
    if simple_argv(BRACES.sub("x", line)) is None:
        return None
    try:
        return shlex.split(line)
    except ValueError:
        return None


def _say(
    problems: list[Problem], path: tuple[str | int, ...], code: str, message: str, hint: str = ""
) -> None:
    problems.append(Problem(path=render_path(path), code=code, message=message, hint=hint))
