"""CMP command templates → argv: split once, filled per word, never seen by a shell (CMP 0.2.0 §4.1, C4–C8).

1. The template is split into words before any value exists, so quotes belong to the template alone (C5).
2. What only a shell could do (`|`, `;`, `>`, `$(…)`) is refused (C7).
3. Values are checked and coerced by their declared types; defaults fill in; enums hold.
4. A missing optional value takes its word along, and a flag directly before it (C6).
5. A list is one word per item where the placeholder is a whole word, joined by commas inside one (C4).
6. `calls.template.fill` puts the values in: one pass, no re-expansion, no leading dashes, no response files.
"""

from __future__ import annotations

import re
import shlex

from atip.calls.template import BRACES, fill
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.tool import MISSING
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.model.tool import Tool

TYPES = ("string", "integer", "boolean", "array<string>", "array<integer>")
NUMBER = "number"
"""Not in the text, but in its reference implementation; read with a warning (C13)."""
MAX_TEMPLATE = 4_000
_INTEGER = re.compile(r"[+-]?\d{1,19}\Z", re.ASCII)
_SHELL = re.compile(r"[$`\n\r]")
_JOINED = "-joined"


class Param(Value):
    """One placeholder (§4.1). `default` MISSING: none; `enum` None: anything of the type."""

    name: str
    type: str = "string"
    required: bool = False
    default: object = MISSING
    description: str = ""
    enum: tuple[object, ...] | None = None


class Intent(Value):
    """What a caller may want, and the command that does it (§4.1)."""

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
    if not command.strip() or len(command) > MAX_TEMPLATE:
        raise _refused(
            "is empty" if not command.strip() else f"has more than {MAX_TEMPLATE} characters"
        )
    # SECURITY: a template that a shell would expand is not run as if it were plain text.
    if _SHELL.search(command) or "\0" in command:
        raise _refused("uses `$`, a backtick or a line break, which need a shell")
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.commenters = ""
        lexer.whitespace_split = True
        marked = list(lexer)
        words = shlex.split(command)
    except ValueError as error:
        raise _refused(f"cannot be split into words ({error})") from error
    if any(set(word) <= set("|&;<>()") for word in marked if word):
        raise _refused("uses `|`, `&`, `;`, `<`, `>` or parentheses, which need a shell")
    if BRACES.search(words[0]) or words[0].startswith("-"):
        raise _refused("must begin with a fixed program")
    return tuple(words)


def build_argv(
    intent: Intent, given: Mapping[str, object], *, tool: Tool | None = None
) -> tuple[str, ...]:
    """The argv of an intent with values.

    Raises:
        FormatError: `cmp.template`, or `call.invalid` with every problem of the values.
    """
    words = split_template(intent.command)
    values = checked_values(intent, given)
    kept = _without_missing(words, values)
    template, ready = _with_joined(kept, values)
    return fill(template, ready, tool=tool, places=BRACES)


def placeholders(command: str) -> list[str]:
    """Names of the placeholders of a template, in order, each once."""
    return list(dict.fromkeys(BRACES.findall(command)))


def checked_values(intent: Intent, given: Mapping[str, object]) -> dict[str, object]:
    """Values by name after defaults, types and enums (§8.3).

    Raises:
        FormatError: `call.invalid`.
    """
    problems: list[Problem] = []
    values: dict[str, object] = {}
    declared = {param.name: param for param in intent.params}
    for name in placeholders(intent.command):
        # a placeholder that nobody declared can only be filled by the caller
        declared.setdefault(name, Param(name=name, required=True))
    for name in given:
        if name not in declared:
            problems.append(_problem(str(name), "call.unknown-argument", "is not a parameter"))
    for name, param in declared.items():
        value = given.get(name)
        if value is None:
            value = None if param.default is MISSING else param.default
        if value is None:
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
    made: object
    if kind.startswith("array<"):
        if not isinstance(value, (list, tuple)):
            raise ValueError("must be a list")
        made = [_scalar(kind[6:-1], item) for item in value]
        wrong = [item for item in made if param.enum is not None and item not in param.enum]
    else:
        made = _scalar(kind, value)
        wrong = [made] if param.enum is not None and made not in param.enum else []
    if wrong:
        allowed = ", ".join(map(str, (param.enum or ())[:10]))
        raise ValueError(f"must be one of {allowed}")
    return made


def _scalar(kind: str, value: object) -> object:
    if kind == "string":
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError("must be text")
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
    if kind == NUMBER and isinstance(value, (float, str)):
        return float(value)
    raise ValueError("must be a whole number" if kind == "integer" else "must be a number")


def _without_missing(words: tuple[str, ...], values: Mapping[str, object]) -> list[str]:
    """Drop words whose placeholders have no value, and a flag directly before such a word (C6)."""
    kept: list[str] = []
    for word in words:
        names = BRACES.findall(word)
        if names and any(_is_missing(values.get(name)) for name in names):
            before = kept[-1] if len(kept) > 1 else ""
            if BRACES.fullmatch(word) and before.startswith("-") and _is_lone_flag(before):
                kept.pop()
            continue
        kept.append(word)
    return kept


def _is_lone_flag(word: str) -> bool:
    return word not in ("-", "--") and "=" not in word and not BRACES.search(word)


def _is_missing(value: object) -> bool:
    return value is None or value == []


def _with_joined(
    words: list[str], values: dict[str, object]
) -> tuple[list[str], dict[str, object]]:
    """Lists inside a word are joined by commas; whole words keep the list (C4)."""
    ready = dict(values)
    made: list[str] = []
    for word in words:
        if BRACES.fullmatch(word) is None:
            for name in BRACES.findall(word):
                value = values.get(name)
                if isinstance(value, list):
                    if any("," in str(item) for item in value):
                        # SECURITY: an item must not become two items of the program's list.
                        problem = _problem(name, "call.unusable-value", "has an item with a comma")
                        raise FormatError("call.invalid", problem.message, problems=[problem])
                    ready[name + _JOINED] = ",".join(map(str, value))
                    word = word.replace(f"{{{name}}}", f"{{{name}{_JOINED}}}")
        made.append(word)
    return made, ready


def _problem(name: str, code: str, message: str) -> Problem:
    return Problem(path=render_path((name,)), code=code, message=message)


def _refused(reason: str) -> FormatError:
    return FormatError(
        "cmp.template",
        f"the command template {reason}",
        hint="wrap the pipeline in a script and name the script",
    )
