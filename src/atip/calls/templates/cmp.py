"""CMP command templates → argv: split once, filled per word, never passed to a shell (CMP 0.2.0 §4.1, C4–C8).

1. The template is split into words before any value exists, so quotes belong to the template alone (C5).
2. What only a shell could do (`|`, `;`, `>`, `$(…)`) is refused (C7); `cmp_shell` serves tools the user trusts with it.
3. Values are checked and coerced by their declared types, with defaults and enums.
4. A missing optional value takes its word along, and a flag directly before it (C6).
5. A list is one word per item where the placeholder is a whole word, joined by commas inside one (C4).
6. `calls.templates.template.fill` puts the values in: one pass, no re-expansion, no leading dashes, no response files.
"""

from __future__ import annotations

import math
import re

from atip.calls.templates.cmp_words import read_template, refused
from atip.calls.templates.template import BRACES, fill
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.tool import MISSING
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from atip.model.tool import Tool

TYPES = ("string", "integer", "boolean", "array<string>", "array<integer>")
NUMBER = "number"
"""Not in the text, but in its reference implementation; read with a warning (C13)."""
_INTEGER = re.compile(r"[+-]?\d{1,19}\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?\Z", re.ASCII)


class Param(Value):
    """One placeholder (§4.1). `default` MISSING: none; `enum` None: anything of the type."""

    name: str
    type: str = "string"
    required: bool = False
    default: object = MISSING
    description: str = ""
    enum: tuple[object, ...] | None = None


class CmpIntent(Value):
    """An intent and the command that serves it (§4.1)."""

    patterns: tuple[str, ...]
    command: str
    params: tuple[Param, ...] = ()
    returns: Mapping[str, Any] | None = None
    confirm: bool = False
    destructive: bool = False
    idempotent: bool | None = None
    """None: not stated. `is_idempotent` says what that means."""

    @property
    def is_idempotent(self) -> bool:
        """Default true, except that destructive without a statement counts as false (C10)."""
        return (not self.destructive) if self.idempotent is None else self.idempotent

    @property
    def needs_consent(self) -> bool:
        """`destructive` is handled as if `confirm` were true (§8.2), whatever the template contains (C16)."""
        return self.confirm or self.destructive


def split_template(command: str) -> tuple[str, ...]:
    """The words of a template.

    Raises:
        FormatError: `cmp.template` when it is empty, unbalanced, or needs a shell.
    """
    tokens = read_template(command)
    if any(token.is_operator for token in tokens):
        raise refused(
            "uses `|`, `&`, `;`, `<`, `>` or parentheses, which need a shell",
            hint="wrap it in a script, or name the tool in `cmpShell` of config.json",
        )
    words = tuple(token.text for token in tokens)
    check_program(words[0])
    return words


def check_program(word: str) -> None:
    """Refuse a template whose program depends on a value.

    Raises:
        FormatError: `cmp.template`.
    """
    if not word or BRACES.search(word) or word.startswith("-"):
        raise refused("must begin with a fixed program")


def build_argv(
    intent: CmpIntent, arguments: Mapping[str, object], *, tool: Tool | None = None
) -> tuple[str, ...]:
    """The argv of an intent with values.

    Raises:
        FormatError: `cmp.template`, or `call.invalid` with every problem of the values.
    """
    words = split_template(intent.command)
    return fill_words(words, checked_values(intent, arguments), tool=tool)


def fill_words(
    words: Sequence[str], values: Mapping[str, object], *, tool: Tool | None = None
) -> tuple[str, ...]:
    """Words of a template with checked values put in (steps 4 to 6).

    Raises:
        FormatError: `call.invalid`.
    """
    template, ready = _with_joined(_without_missing(words, values), values)
    return fill(template, ready, tool=tool, places=BRACES)


def placeholders(command: str) -> list[str]:
    """Names of the placeholders of a template, in order, each once."""
    return list(dict.fromkeys(BRACES.findall(command)))


def checked_values(intent: CmpIntent, arguments: Mapping[str, object]) -> dict[str, object]:
    """Values by name after defaults, types and enums (§8.3).

    Raises:
        FormatError: `call.invalid`.
    """
    problems: list[Problem] = []
    values: dict[str, object] = {}
    declared = {param.name: param for param in intent.params}
    for name in placeholders(intent.command):
        # only the caller can fill an undeclared placeholder
        declared.setdefault(name, Param(name=name, required=True))
    for name in arguments:
        if name not in declared:
            problems.append(_problem(str(name), "call.unknown-argument", "is not a parameter"))
    for name, param in declared.items():
        value = arguments.get(name)
        if value is None:
            value = None if param.default is MISSING else param.default
        # SECURITY: `delete --ids {ids}` with an empty list would be `delete`; empty counts as missing.
        if _is_missing(value):
            if param.required:
                problems.append(_problem(name, "call.missing-argument", "is required"))
            continue
        try:
            values[name] = coerce(param, value)
        except ValueError as error:
            problems.append(_problem(name, "call.wrong-type", str(error)))
    if problems:
        first = problems[0]
        raise FormatError("call.invalid", f"{first.path} {first.message}", problems=problems)
    return values


def coerce(param: Param, value: object) -> object:
    """The value as its declared type.

    Raises:
        ValueError: with the reason; the caller knows the name.
    """
    kind = param.type
    coerced: object
    if kind.startswith("array<"):
        if not isinstance(value, (list, tuple)):
            raise ValueError("must be a list")
        coerced = [_scalar(kind[6:-1], item) for item in value]
        wrong = [item for item in coerced if param.enum is not None and item not in param.enum]
    else:
        coerced = _scalar(kind, value)
        wrong = [coerced] if param.enum is not None and coerced not in param.enum else []
    if wrong:
        allowed = ", ".join(map(str, (param.enum or ())[:10]))
        raise ValueError(f"must be one of {allowed}")
    return coerced


def _scalar(kind: str, value: object) -> object:
    if kind == "string":
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError("must be a string")
        return str(value)
    if kind == "boolean":
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        raise ValueError("must be true or false")
    if isinstance(value, bool):
        raise ValueError("must be a number")
    if isinstance(value, int) or (isinstance(value, str) and _INTEGER.match(value)):
        return int(value)
    if kind == NUMBER and _is_number(value):
        return float(value)  # type: ignore[arg-type]
    raise ValueError("must be a whole number" if kind == "integer" else "must be a number")


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return _NUMBER.match(value) is not None
    return isinstance(value, float) and math.isfinite(value)


def _without_missing(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Drop words whose placeholders have no value, and a flag directly before such a word (C6)."""
    remaining: list[str] = []
    for place, word in enumerate(words):
        names = BRACES.findall(word)
        if names and any(_is_missing(values.get(name)) for name in names):
            if place > 1 and BRACES.fullmatch(word) and _is_lone_flag(words[place - 1]):
                remaining.pop()
            continue
        remaining.append(word)
    return remaining


def _is_lone_flag(word: str) -> bool:
    plain = word.startswith("-") and word not in ("-", "--")
    return plain and "=" not in word and not BRACES.search(word)


def _is_missing(value: object) -> bool:
    return value is None or value in ([], ())


def _with_joined(
    words: list[str], values: Mapping[str, object]
) -> tuple[list[str], dict[str, object]]:
    """Lists inside a word are joined by commas; whole words keep the list (C4)."""
    ready = dict(values)
    template: list[str] = []
    for word in words:
        if BRACES.fullmatch(word) is None:
            for name in BRACES.findall(word):
                value = values.get(name)
                if isinstance(value, list):
                    if any("," in str(item) for item in value):
                        # SECURITY: an item must not become two items of the program's list.
                        problem = _problem(name, "call.unusable-value", "has an item with a comma")
                        raise FormatError("call.invalid", problem.message, problems=[problem])
                    joined = _free_name(name, ready)
                    ready[joined] = ",".join(map(str, value))
                    word = word.replace(f"{{{name}}}", f"{{{joined}}}")
        template.append(word)
    return template, ready


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "-joined"
    return name


def _problem(name: str, code: str, message: str) -> Problem:
    return Problem(path=render_path((name,)), code=code, message=message)
