"""Steps of an executable pattern: template and values → one argv per step. Runs nothing.

A step is a command line without shell: it is split first and filled in afterwards, word by word, so that a value stays
one word and can never become an option, a second command or a redirection. Implements ATIP 0.6 §3.9, A38.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from atip.errors import FormatError, PolicyError
from atip.model.problems import Problem
from atip.model.tool import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.tool import Pattern, PatternStep, Variable

_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}")
_SHELL = frozenset("|&;<>`$()\n")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@:+-]{0,127}\Z")
"""A default that may replace a missing value: plain, and not an option."""
MAX_STEPS = 32


def fill_pattern(pattern: Pattern, values: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    """The argv of every step.

    Raises:
        PolicyError: `pattern.advisory`: the pattern is not executable.
        FormatError: `pattern.invalid` with all problems: a variable is missing, unsafe or unknown, or a step is
            not a plain command.
    """
    if pattern.executable is not True:
        raise PolicyError(
            "pattern.advisory",
            f"`{pattern.name[:80]}` is a suggestion and does not run by itself",
            hint="run its steps one by one",
        )
    problems: list[Problem] = []
    if not 0 < len(pattern.steps) <= MAX_STEPS:
        problems.append(
            _problem("$.steps", "pattern.steps", f"a pattern needs 1 to {MAX_STEPS} steps")
        )
    texts = _values(pattern, values, problems)
    filled = [
        _fill(step, texts, f"$.steps[{index}]", problems)
        for index, step in enumerate(pattern.steps[:MAX_STEPS])
    ]
    if problems:
        raise FormatError("pattern.invalid", problems[0].message, problems=problems)
    return tuple(filled)


def _values(
    pattern: Pattern, values: Mapping[str, object], problems: list[Problem]
) -> dict[str, str]:
    """Every variable of the steps as text, from the caller or a safe default."""
    declared = pattern.variables or {}
    used = {name for step in pattern.steps for name in _VARIABLE.findall(step.command)}
    for name in values:
        if name not in used:
            problems.append(
                _problem(f"$.{name}", "pattern.unknown-variable", f"no step uses `{name[:60]}`")
            )
    texts: dict[str, str] = {}
    for name in sorted(used):
        variable = declared.get(name)
        value = values.get(name, MISSING)
        if value is MISSING:
            default = variable.default if variable is not None else MISSING
            # SECURITY: a document's own value counts only if it cannot be anything but a plain word
            if not isinstance(default, str | int) or not _SAFE.match(str(default)):
                text = f"`{name}` needs a value"
                problems.append(_problem(f"$.{name}", "pattern.missing-variable", text))
                continue
            value = default
        why = _why_unfit(value, variable)
        if why:
            problems.append(_problem(f"$.{name}", "pattern.unsafe-value", f"`{name}` {why}"))
            continue
        texts[name] = str(value)
    return texts


def _why_unfit(value: object, variable: Variable | None) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return "must be a string or a number"
    text = str(value)
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        return "contains a control character"
    if variable is not None:
        if variable.enum is not None and value not in variable.enum:
            return "is not one of the choices"
        if variable.type == "integer" and not re.fullmatch(r"-?[0-9]{1,18}", text):
            return "must be a whole number"
    return ""


def _fill(
    step: PatternStep, texts: Mapping[str, str], path: str, problems: list[Problem]
) -> tuple[str, ...]:
    template = step.command
    if _SHELL & set(template):
        problems.append(
            _problem(path, "pattern.shell", "a step must be one command, not a shell line")
        )
        return ()
    try:
        words = shlex.split(template)
    except ValueError:
        words = []
    if not words or _VARIABLE.search(words[0]):
        problems.append(_problem(path, "pattern.step", "a step must begin with a program's name"))
        return ()
    filled = tuple(
        _VARIABLE.sub(lambda match: texts.get(match[1], match[0]), word) for word in words
    )
    for word, full in zip(words, filled, strict=True):
        # SECURITY: a value at the start of a word must not make an option of it
        if full.startswith("-") and not word.startswith("-"):
            problems.append(_problem(path, "pattern.unsafe-value", f"`{full[:60]}` is an option"))
    return filled


def _problem(path: str, code: str, message: str) -> Problem:
    return Problem(path=path, code=code, message=message)
