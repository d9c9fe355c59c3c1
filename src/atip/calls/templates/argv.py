"""AIP-29 argument templates → argv: each word filled once, no shell, a value stays a value.

    expand(["pr", "create", "--base", "${input.base | default('main')}"], {"base": "dev"}, program="gh")

Places are `${input.NAME}` with filters behind bars: `default('x')` for a missing value, `flag('--draft')` for a word
that is there when the value is true, `optional('--head')` for a flag with its value when there is one, plain
`optional` for a word that may go (with the lone flag before it), `json` for the value as one JSON text. Everything
about dashes, response files and lengths is `calls.templates.template.fill`. `${secrets.…}` is refused: other users can read
an argv. Implements AIP-29 "Args template"; RESOLUTIONS P3, P11.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from atip.calls.templates.template import INPUT, fill
from atip.calls.values import why_injection, why_unusable
from atip.errors import FormatError
from atip.model.problems import Problem, render_path
from atip.model.tool import MISSING
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.tool import Tool

FILTERS = ("default", "flag", "optional", "json")
MAX_WORDS = 512
_PLACE = re.compile(r"\$\{((?:[^}'\"]|'[^']*'|\"[^\"]*\")*)\}")
_NAME = re.compile(r"\s*input\.([A-Za-z0-9_][A-Za-z0-9_.-]*)\s*")
_FILTER = re.compile(r"\|\s*([a-z]+)\s*(?:\(((?:[^()'\"]|'[^']*'|\"[^\"]*\")*)\))?\s*")
_SHELL_WORDS = frozenset(("&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "|&"))
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
_SUBSTITUTION = re.compile(r"\$\(|`")


class Placeholder(Value):
    """One `${…}`."""

    name: str
    default: object = MISSING
    flag: str | None = None
    """`flag('--x')`: the word to emit when the value is true."""
    optional: bool = False
    option: str | None = None
    """`optional('--x')`: the flag that goes before the value."""
    as_json: bool = False


def check_template(words: object) -> list[Problem]:
    """List all problems of a template; paths start at the template."""
    if not isinstance(words, (list, tuple)) or len(words) > MAX_WORDS:
        return [
            _problem((), "template.form", f"a template must be a list of at most {MAX_WORDS} words")
        ]
    problems: list[Problem] = []
    for at, word in enumerate(words):
        if not isinstance(word, str):
            problems.append(
                _problem((at,), "template.form", "a word of a template must be a string")
            )
            continue
        reason = why_unusable(word)
        if reason:
            problems.append(_problem((at,), "template.form", reason))
        # SECURITY: a template never reaches a shell; one that expects it would do something else.
        if word in _SHELL_WORDS or _SUBSTITUTION.search(word):
            problems.append(_problem((at,), "template.shell", f"`{word[:40]}` needs a shell"))
        try:
            parts = list(_parts(word))
        except FormatError as error:
            problems.append(_problem((at,), error.code, error.message))
            continue
        places = [part for part in parts if isinstance(part, Placeholder)]
        if len(parts) > 1 and any(place.flag or place.option for place in places):
            message = "`flag` and `optional` with a flag must be the whole word"
            problems.append(_problem((at,), "template.filter", message))
    return problems


def parts_of(word: str) -> list[str | Placeholder]:
    """Fixed texts and places of one word.

    Raises:
        FormatError: `template.form`, `template.filter`, `template.secret`.
    """
    return list(_parts(word))


def needed_names(words: Sequence[str]) -> list[str]:
    """Inputs without which a (checked) template cannot be filled."""
    return [
        part.name
        for word in words
        for part in _parts(word)
        if isinstance(part, Placeholder)
        and not part.optional
        and part.flag is None
        and part.default is MISSING
    ]


def expand(
    words: Sequence[str],
    values: Mapping[str, object],
    *,
    program: str = "program",
    before: Sequence[str] = (),
    tool: Tool | None = None,
    allow_code: bool = False,
) -> tuple[str, ...]:
    """The argv: program, fixed words, and the template filled with values.

    Args:
        before: `bin_args`; fixed, not filled.
        tool: metadata of the program; decides which options take values.
        allow_code: accept values that the program runs as code; only after a policy decision.

    Raises:
        FormatError: `template.invalid`, or `call.invalid` with every problem of the values.
    """
    problems = check_template(words)
    if problems:
        first = problems[0]
        raise FormatError("template.invalid", f"{first.path} {first.message}", problems=problems)
    plan = _Plan(values, program)
    for word in words:
        plan.take(word)
    if plan.problems:
        first = plan.problems[0]
        raise FormatError(
            "call.invalid", f"{first.path} {first.message}", problems=list(plan.problems)
        )
    return fill(
        [program, *before, *plan.words], plan.values, tool=tool, places=INPUT, allow_code=allow_code
    )


class _Plan:
    """Reduces a template to plain placeholders: applies filters, drops missing optional words."""

    def __init__(self, inputs: Mapping[str, object], program: str) -> None:
        self.inputs = inputs
        self.program = program.rpartition("/")[2]
        self.ended = False
        self.words: list[str] = []
        self.values: dict[str, object] = {}
        self.problems: list[Problem] = []
        self._lone: bool = False
        """Whether the word before is a flag of the template that may belong to the next one."""

    def take(self, word: str) -> None:
        parts = list(_parts(word))
        if not any(isinstance(part, Placeholder) for part in parts):
            self.words.append(word)
            self.ended = self.ended or word == "--"
            self._lone = word.startswith("-") and word not in ("-", "--") and "=" not in word
            return
        lone, self._lone = self._lone, False
        if len(parts) == 1 and isinstance(parts[0], Placeholder):
            self._add_word(parts[0], lone)
        else:
            self._joined(parts)

    def _add_word(self, place: Placeholder, lone: bool) -> None:
        value = self._value(place)
        if place.flag is not None:
            if value is not None and not isinstance(value, bool):
                value = bool(value)
            if value:
                self.words.append(place.flag)
            return
        if value is None:
            if not place.optional:
                self._missing(place)
            elif lone and place.option is None:
                self.words.pop()
            return
        if place.option is not None:
            self.words.append(place.option)
        self.words.append(self._add_value(place, value))

    def _joined(self, parts: list[str | Placeholder]) -> None:
        template, text = "", ""
        for part in parts:
            if isinstance(part, str):
                template, text = template + part, text + part
                continue
            value = self._value(part)
            if value is None:
                if part.optional:
                    return  # a word without its value is not the intended word
                self._missing(part)
                continue
            self._check_inside(part, text, value)
            template, text = template + self._add_value(part, value), text + str(value)
        self.words.append(template)

    def _check_inside(self, place: Placeholder, before: str, value: object) -> None:
        """A value within a word: it must not make the word an option, nor the option another one."""
        text = str(value)
        if not before:
            reason = why_injection(self.program, text, in_template=True)
            if reason:
                self._say(place, "call.injection", reason)
            elif text[:1] == "-" and not self.ended:
                self._say(
                    place, "call.leading-dash", "begins with a dash and would be read as an option"
                )
        elif before[0] == "-" and "=" not in before and not self.ended and not _WORD.match(text):
            # SECURITY: `--${input.mode}` lets a value choose the option's name, and nothing more.
            self._say(
                place, "call.option-name", "may contain only letters, digits and inner dashes"
            )

    def _value(self, place: Placeholder) -> object:
        value: object = self.inputs
        for step in place.name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        value = self.inputs.get(place.name, value)
        if value is None and place.default is not MISSING:
            value = place.default
        if value is not None and place.as_json:
            value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value

    def _add_value(self, place: Placeholder, value: object) -> str:
        name = place.name
        while name in self.values:
            name += "."  # the same input twice, perhaps with other filters
        self.values[name] = value
        return f"${{input.{name}}}"

    def _missing(self, place: Placeholder) -> None:
        self._say(place, "call.missing-argument", "is required")

    def _say(self, place: Placeholder, code: str, message: str) -> None:
        self.problems.append(_problem((place.name,), code, message))


def _parts(word: str) -> Iterator[str | Placeholder]:
    """Fixed texts and places of a word, in order."""
    end = 0
    for match in _PLACE.finditer(word):
        if match.start() > end:
            yield _require_fixed(word[end : match.start()])
        yield _place(match.group(1))
        end = match.end()
    if end < len(word) or not word:
        yield _require_fixed(word[end:])


def _require_fixed(text: str) -> str:
    if "${" in text:
        raise FormatError("template.form", f"`{text[:40]}` has an unclosed placeholder")
    return text


def _place(text: str) -> Placeholder:
    name = _NAME.match(text)
    if name is None:
        if text.strip().startswith("secrets."):
            # SECURITY: every user of the machine can read an argv.
            raise FormatError("template.secret", "a secret must not be part of a command line")
        raise FormatError("template.form", f"`${{{text[:40]}}}` is not `${{input.NAME}}`")
    place = Placeholder(name=name.group(1))
    end = name.end()
    while end < len(text):
        match = _FILTER.match(text, end)
        if match is None:
            raise FormatError("template.filter", f"`{text[end : end + 40]}` is not a filter")
        place = _apply_filter(place, match.group(1), match.group(2))
        end = match.end()
    return place


def _apply_filter(place: Placeholder, name: str, argument: str | None) -> Placeholder:
    if name == "default":
        return place.replace(default=_literal(argument))
    if name == "json":
        return place.replace(as_json=True)
    if name == "optional":
        option = None if argument is None else _flag(argument.split(",")[0])
        return place.replace(optional=True, option=option)
    if name == "flag":
        return place.replace(flag=_flag(argument or ""))
    raise FormatError(
        "template.filter", f"unknown filter `{name}`", hint="filters: " + ", ".join(FILTERS)
    )


def _literal(text: str | None) -> object:
    text = (text or "").strip()
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return text[1:-1]
    try:
        return json.loads(text)
    except ValueError as error:
        raise FormatError("template.filter", f"`{text[:40]}` is not a value") from error


def _flag(text: str) -> str:
    word = _literal(text)
    if not isinstance(word, str) or not word or "${" in word:
        raise FormatError("template.filter", f"`{text[:40]}` is not a flag in quotes")
    return word


def _problem(parts: tuple[str | int, ...], code: str, message: str) -> Problem:
    return Problem(path=render_path(parts), code=code, message=message)
