"""Template: an argv with places for values → argv, where every value stays one word.

For documents that bring argv lists (`["git", "clone", "${input.url}"]`) or lines (`git checkout -b {branch}`,
ATIP §3.9). The template is split before anything is put in, each place is filled once and never expanded
again, and no shell is involved. A value that begins with a dash is accepted only after `--`, joined to a
flag, as a number that is not a flag, or as free text of an option that is known to take a value.
Values that the program would run (`awk PROGRAM`, `psql -c`) are refused unless the caller allows code.
"""

from __future__ import annotations

import re

from atip.calls.effects.engine import effects_of
from atip.calls.parse import parse
from atip.calls.spelling import value_text
from atip.calls.values import MAX_ITEMS, why_injection, why_too_long, why_unusable
from atip.errors import FormatError
from atip.model.problems import Problem, render_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.calls.invocation import Inner, Invocation
    from atip.model.tool import Tool

INPUT = re.compile(r"\$\{input\.([A-Za-z0-9_.-]+)\}")
"""Places of argv lists."""
BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")
"""Places of pattern steps."""
_NUMBER = re.compile(r"-(?:\d+(?:\.\d+)?|\.\d+)\Z")
_OPTION_LIKE = re.compile(r"--?[A-Za-z][A-Za-z0-9-]*(?:=.*)?\Z", re.DOTALL)
_INERT = "x"
"""Harmless placeholder value for reading the template without its values."""


def fill(
    template: Sequence[str],
    values: Mapping[str, object],
    *,
    tool: Tool | None = None,
    places: re.Pattern[str] = INPUT,
    allow_code: bool = False,
) -> tuple[str, ...]:
    """The argv.

    Args:
        tool: metadata of the program; decides which options take values.
        allow_code: accept values that the program runs as code; only after a policy decision.

    Raises:
        FormatError: `call.invalid`, with every problem.
    """
    return _Filler(list(template), values, tool, places, allow_code).fill()


class _Filler:
    """Fills one template."""

    def __init__(
        self,
        template: list[str],
        values: Mapping[str, object],
        tool: Tool | None,
        places: re.Pattern[str],
        allow_code: bool,
    ) -> None:
        self.template, self.values, self.tool = template, values, tool
        self.places, self.allow_code = places, allow_code
        self.program = template[0].rpartition("/")[2] if template else ""
        self.problems: list[Problem] = []
        self.argv: list[str] = []
        self.inert: list[str] = []
        self.ended = False

    def fill(self) -> tuple[str, ...]:
        if not self.template or self.places.search(self.template[0]):
            self._say("", "call.no-program", "a template must begin with a fixed program")
        for index, word in enumerate(self.template):
            self._word(index, word)
        if not self.problems:
            too_long = why_too_long(self.argv)
            if too_long:
                self._say("", "call.too-long", too_long)
        if not self.problems and self.tool is not None:
            self._compare(self.tool)
        if self.problems:
            first = self.problems[0]
            raise FormatError(
                "call.invalid",
                f"`{self.program}`: {first.path} {first.message}",
                problems=self.problems,
                hint=first.hint,
            )
        return tuple(self.argv)

    def _word(self, index: int, word: str) -> None:
        matches = list(self.places.finditer(word))
        if not matches:
            self.ended = self.ended or (word == "--" and index > 0)
            self.argv.append(word)
            self.inert.append(word)
            return
        if len(matches) == 1 and matches[0].group(0) == word:
            self._fill_word(index, matches[0].group(1))
            return
        # SECURITY: one pass over the template's own placeholders; values are never expanded.
        filled = self.places.sub(lambda place: self._inside(place.group(1)), word)
        if matches[0].start() == 0:
            # SECURITY: `{name}.txt` begins with what the value begins with, so it is judged like a whole word.
            self._check_place(index, matches[0].group(1), filled)
        elif matches[0].start() == word.find("=") + 1:
            self._check_joined(matches[0].group(1), filled[matches[0].start() :])
        self.argv.append(filled)
        self.inert.append(self.places.sub(_INERT, word))

    def _fill_word(self, index: int, name: str) -> None:
        """A place that is a whole word: one word per item of a list."""
        value = self.values.get(name)
        if value is None:
            self._say(name, "call.missing-argument", "is required")
            return
        if isinstance(value, (list, tuple)):
            if len(value) > MAX_ITEMS:
                message = f"has {len(value)} items, the limit is {MAX_ITEMS}"
                self._say(name, "call.too-many-items", message)
                return
            parts: Sequence[object] = value
        else:
            parts = (value,)
        for part in parts:
            text = self._text(name, part)
            if text is not None:
                self._check_place(index, name, text)
                self.argv.append(text)
                self.inert.append(_INERT)

    def _inside(self, name: str) -> str:
        value = self.values.get(name)
        if value is None or isinstance(value, (list, tuple)):
            self._say(name, "call.wrong-type", "must be a single value here")
            return ""
        text = self._text(name, value)
        return text or ""

    def _text(self, name: str, value: object) -> str | None:
        if not isinstance(value, (str, int, float)):
            self._say(name, "call.wrong-type", "must be a string, a number or a boolean")
            return None
        text = value_text(value)
        reason = why_unusable(text)
        if reason:
            self._say(name, "call.unusable-value", reason)
            return None
        return text

    def _check_place(self, index: int, name: str, text: str) -> None:
        after_flag = self._follows_value_flag(index)
        reason = why_injection(self.program, text, in_template=True)
        if reason:
            self._say(name, "call.injection", reason)
        elif (
            text[:1] == "-"
            and len(text) > 1
            and not (self.ended or _NUMBER.match(text))
            and not (after_flag and not _OPTION_LIKE.match(text))
        ):
            # SECURITY: a word with a dash is an option unless something before it takes it as a value.
            message = "begins with a dash and would be read as an option"
            self._say(name, "call.leading-dash", message, "put `--` before it in the template")

    def _check_joined(self, name: str, text: str) -> None:
        """The value of `--data={body}`."""
        reason = why_injection(self.program, text, in_template=True, is_joined=True)
        if reason:
            self._say(name, "call.injection", reason)

    def _follows_value_flag(self, index: int) -> bool:
        """Whether the word before is an option that takes the next word, by the tool's tables."""
        before = self.template[index - 1] if index else ""
        if self.tool is None or self.ended or not before.startswith("-") or "=" in before:
            return False
        marked = parse(self.tool, [*self.inert, _INERT])
        return bool(marked.options) and marked.options[-1].value == _INERT

    def _compare(self, tool: Tool) -> None:
        """Read the argv with and without the values: options, command and inner commands must not change."""
        real, inert = parse(tool, self.argv), parse(tool, self.inert)
        numbers = tuple(flag for flag in real.unknown if not _NUMBER.match(flag))
        if _outline(real) != _outline(inert) and (numbers or not real.unknown):
            self._say("", "call.ambiguous", "a value would be read as a command or an option")
        elif not self.allow_code and (_code(real, inert) or _rises(tool, real, inert)):
            self._say("", "call.code", "a value would be run as code by the program")

    def _say(self, name: str, code: str, message: str, hint: str = "") -> None:
        path = render_path((name,) if name else ())
        self.problems.append(Problem(path=path, code=code, message=message, hint=hint))


def _outline(call: Invocation) -> tuple[object, ...]:
    return (
        call.path,
        tuple(used.name for used in call.options),
        len(call.arguments),
        call.unknown_command != "",
        call.help,
    )


def _code(real: Invocation, inert: Invocation) -> bool:
    """Whether an inner command has text, or a program, that the template alone does not have."""
    return [_run(inner) for inner in real.inner] != [_run(inner) for inner in inert.inner]


def _run(inner: Inner) -> tuple[str, str]:
    return inner.kind, inner.argv[0] if inner.kind == "argv" and inner.argv else inner.text


def _rises(tool: Tool, real: Invocation, inert: Invocation) -> bool:
    """Whether the values alone make the program run others (`system()` in an awk program, `e` in sed)."""
    return (
        effects_of(tool, real).effects.subprocess is not False
        and effects_of(tool, inert).effects.subprocess is False
    )
