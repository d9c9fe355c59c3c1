"""Tool declarations of a request, and everything needed to read the response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.calls.functions import Function
    from atip.codecs.providers.groups import FunctionGroup

    Count = Callable[[str], int]
    Undo = Mapping[str, tuple[str, str]]
    """Provider's key → (our key, how); keys that are the same and need nothing are absent."""


class OmittedCommand(Value):
    """A command that did not fit, and the command line that compiles it."""

    line: str
    how: str

    def to_json(self) -> dict[str, object]:
        return {"command": self.line, "how": self.how}


class CompiledTools(Value):
    """Tool declarations of a request, and everything needed to read the response."""

    provider: str
    declarations: list[dict[str, Any]]
    functions: Mapping[str, Function]
    """By name, for discrete functions."""
    groups: Mapping[str, FunctionGroup] = {}
    undo: Mapping[str, Undo] = {}
    strategy: str = "discrete"
    left_out: tuple[OmittedCommand, ...] = ()
    losses: tuple[tuple[str, str], ...] = ()
    """Name of a function and what its provider's dialect cannot express."""
    nullable: bool = False


def estimate(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its characters."""
    return (len(text) + 3) // 4


def tokens_of(declaration: Mapping[str, Any], count: Count) -> int:
    """Tokens of one declaration as it is sent."""
    import json

    return count(json.dumps(declaration, ensure_ascii=False, separators=(",", ":")))
