"""Arguments of a call, checked against a function – types, choices, patterns, exclusions.

Returns every problem with its path and, for a near miss of a name or choice, a suggestion.
`null` counts as absent: strict providers send it for an optional parameter.
Builds no argv (`build.py`). Implements ATIP 0.6 §3.4, §3.5, §3.7 and ATIP 0.1 §3.2.3–3.2.5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from atip.calls.schema import enum_values, is_list, json_type
from atip.calls.values import MAX_ITEMS, why_unusable
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.shapes.shape import closest, name_of
from atip.model.tool import Option
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.calls.functions import Function, Item

    Parts = tuple[str | int, ...]


class CheckedArguments(Value):
    """Values by key, in the order of the parameters; `problems` empty means they may be built."""

    values: Mapping[str, object]
    problems: tuple[Problem, ...] = ()


def check_arguments(function: Function, arguments: Mapping[str, object]) -> CheckedArguments:
    """Check the arguments of a call. Never raises."""
    problems: list[Problem] = []
    by_key = _by_key(function, arguments, problems)
    values: dict[str, object] = {}
    for key, item in function.parameters.items():
        if key not in by_key:
            if item.is_required:
                problems.append(_problem((key,), "call.missing-argument", "is required"))
            continue
        values[key] = _value(item, by_key[key], (key,), problems)
    problems += _exclusions(function, values)
    return CheckedArguments(values=values, problems=tuple(problems))


def _by_key(
    function: Function, arguments: Mapping[str, object], problems: list[Problem]
) -> dict[str, object]:
    """Values by parameter key; the document's own name is accepted where it is unambiguous."""
    by_key: dict[str, object] = {}
    for name, value in arguments.items():
        if value is None:
            continue
        if name in function.parameters:
            by_key[name] = value
            continue
        keys = function.keys_of(name)
        if len(keys) == 1 and keys[0] not in arguments:
            by_key[keys[0]] = value
            continue
        close = closest(name, list(function.parameters))
        hint = f"did you mean `{close}`?" if close else _list_parameters(function)
        problems.append(
            _problem(
                (name,),
                "call.unknown-argument",
                f"`{function.line}` has no parameter `{name[:80]}`",
                hint,
            )
        )
    return by_key


def _list_parameters(function: Function) -> str:
    names = list(function.parameters)
    text = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    return f"parameters: {text}" if names else "it takes no parameters"


def _value(item: Item, value: object, path: Parts, problems: list[Problem]) -> object:
    if item.schema is not None:
        _check_schema(item, value, path, problems)
        return value
    if not is_list(item):
        return _one(item, value, path, problems)
    if not isinstance(value, (list, tuple)):
        problems.append(_wrong_type("an array", value, path))
        return value
    if len(value) > MAX_ITEMS:
        message = f"has {len(value)} items, the limit is {MAX_ITEMS}"
        problems.append(_problem(path, "call.too-many-items", message))
        return value
    if not value and item.is_required:
        problems.append(_problem(path, "call.missing-argument", "needs at least one item"))
    return [_one(item, part, (*path, index), problems) for index, part in enumerate(value)]


def _one(item: Item, value: object, path: Parts, problems: list[Problem]) -> object:
    kind = json_type(item)
    if kind == "array":
        items = item.extra.get("items")
        kind = str(items.get("type", "string")) if isinstance(items, dict) else "string"
    value, wrong = _check_type(kind, value)
    if wrong:
        problems.append(_wrong_type(wrong, value, path))
        return value
    if isinstance(value, str):
        reason = why_unusable(value)
        if reason:
            problems.append(_problem(path, "call.unusable-value", reason))
            return value
    if item.enum:
        _check_choice(item, value, path, problems)
    if item.pattern and isinstance(value, str):
        _check_pattern(item.pattern, value, path, problems)
    return value


def _check_type(kind: str, value: object) -> tuple[object, str]:
    """The value, and what was expected if its type is wrong. `3.0` is an integer, `true` is not."""
    if kind == "boolean":
        return value, "" if isinstance(value, bool) else "a boolean"
    if kind in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value, "an integer" if kind == "integer" else "a number"
        if isinstance(value, int) and abs(value) >= 1 << 64:
            return value, "a number of at most 64 bits"
        if isinstance(value, float):
            if not math.isfinite(value):
                return value, "a finite number"
            if kind == "integer":
                return (int(value), "") if value.is_integer() else (value, "an integer")
        return value, ""
    return value, "" if isinstance(value, str) else "a string"


def _check_choice(item: Item, value: object, path: Parts, problems: list[Problem]) -> None:
    choices = enum_values(item)
    if any(type(choice) is type(value) and choice == value for choice in choices):
        return
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value in choices:
        return
    words = [str(choice) for choice in choices]
    close = closest(str(value)[:200], words)
    hint = f"did you mean `{close}`?" if close else "one of: " + ", ".join(words[:20])
    problems.append(
        _problem(path, "call.not-a-choice", f"`{str(value)[:80]}` is not a choice", hint)
    )


def _check_pattern(pattern: str, value: str, path: Parts, problems: list[Problem]) -> None:
    from atip.model.text.regex import compile_regex

    try:
        matches = compile_regex(pattern).matches(value)
    except FormatError as error:
        # SECURITY: a pattern that cannot be evaluated counts as not matched.
        problems.append(_problem(path, "call.unusable-pattern", error.message, error.hint))
        return
    if not matches:
        problems.append(
            _problem(path, "call.pattern-mismatch", f"does not match `{pattern[:120]}`")
        )


def _check_schema(item: Item, value: object, path: Parts, problems: list[Problem]) -> None:
    from atip.calls.schema import parameter_schema
    from atip.model.shapes.json_schema import compile_schema, schema_problems

    try:
        wrong = schema_problems(compile_schema(parameter_schema(item)), value)
    except FormatError as error:
        problems.append(_problem(path, "call.unusable-schema", error.message, error.hint))
        return
    problems += [_problem((*path, *where), "call.schema", message) for where, message in wrong]
    for where, leaf in _leaves(value, path):
        reason = why_unusable(leaf) if isinstance(leaf, str) else _check_type("number", leaf)[1]
        if reason:
            problems.append(_problem(where, "call.unusable-value", reason))


def _leaves(value: object, path: Parts) -> list[tuple[Parts, object]]:
    """Texts and numbers inside a structure, keys included."""
    leaves: list[tuple[Parts, object]] = []
    stack: list[tuple[Parts, object]] = [(path, value)]
    while stack and len(leaves) <= MAX_ITEMS:
        where, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(((*where, key), child) for key, child in node.items())
            leaves.extend((where, key) for key in node)
        elif isinstance(node, (list, tuple)):
            stack.extend(((*where, index), child) for index, child in enumerate(node))
        elif isinstance(node, (str, int, float)) and not isinstance(node, bool):
            leaves.append((where, node))
    return leaves


def _exclusions(function: Function, values: Mapping[str, object]) -> list[Problem]:
    """Options that name each other as exclusive, both in use. `false` does not count as use."""
    used = {
        item.name: (key, item)
        for key, item in function.parameters.items()
        if isinstance(item, Option) and key in values and values[key] is not False
    }
    problems: list[Problem] = []
    seen: set[frozenset[str]] = set()
    for name, (key, option) in used.items():
        for other in option.exclusive or ():
            pair = frozenset((name, other))
            if other in used and other != name and pair not in seen:
                seen.add(pair)
                problems.append(
                    _problem(
                        (key,), "call.exclusive", f"cannot be combined with `{used[other][0]}`"
                    )
                )
    return problems


def _wrong_type(expected: str, value: object, path: Parts) -> Problem:
    return _problem(path, "call.wrong-type", f"expected {expected}, found {name_of(value)}")


def _problem(path: Parts, code: str, message: str, hint: str = "") -> Problem:
    return Problem(path=render_path(path), code=code, message=message, hint=hint)
