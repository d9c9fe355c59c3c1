"""Interface of a surface for setup and login: ask, show, open an address. Implements AIP-29 "Surface adapters"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from atip.errors import AtipError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    class Surface(Protocol):
        """A way to reach the user."""

        name: str
        can_ask: bool
        """False: no user is present; steps that need one are refused."""

        def ask(self, question: PromptQuestion) -> str:
            """The answer. Raises AtipError `setup.cancelled`."""
            ...

        def show(self, text: str) -> None:
            """A line for the person."""
            ...

        def open(self, url: str) -> None:
            """Open an address for the user."""
            ...

        def close(self) -> None:
            """No more questions."""
            ...


class PromptQuestion(Value):
    """One `prompt` step as a surface shows it."""

    id: str
    text: str
    type: str = "text"
    """`text`, `select`, `boolean` or `secret`."""
    description: str = ""
    default: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    """Value and label."""


TRUE = ("y", "yes", "true", "1", "on")
FALSE = ("n", "no", "false", "0", "off")
MAX_ANSWER = 16 * 1024


def settle(question: PromptQuestion, answer: str | None) -> str | None:
    """Convert an answer to a value; None: not valid, ask again."""
    text = (answer or "").strip() if question.type != "secret" else (answer or "").rstrip("\r\n")
    if not text and question.default is not None:
        text = question.default
    if len(text) > MAX_ANSWER or "\0" in text:
        return None
    if question.type == "boolean":
        return "true" if text.lower() in TRUE else "false" if text.lower() in FALSE else None
    if question.type == "select":
        values = [value for value, _ in question.options]
        if text in values:
            return text
        return values[int(text) - 1] if text.isdigit() and 0 < int(text) <= len(values) else None
    return text or None


def parse_options(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`value` or `value<TAB>label` per line."""
    options = []
    for line in lines:
        value, _, label = line.partition("\t")
        if value.strip():
            options.append((value.strip(), (label or value).strip()))
    return tuple(options)


def cancellation(question: PromptQuestion) -> AtipError:
    return AtipError(
        "setup.cancelled", f"`{question.id}` was not answered", hint="run `atip bundle setup` again"
    )
