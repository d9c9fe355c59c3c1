"""Fields of a tool that function declarations cannot express: flags, most effects, trust, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.interface import Loss
from atip.codecs.vocabulary import Vocabulary, find_losses, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.tool import Tool

VOCABULARY = Vocabulary(
    tool=words("description"),
    command=words("description"),
    option=words("description required default enum variadic pattern schema"),
    argument=words("description required default enum variadic pattern schema"),
    types=words("string integer number boolean file directory url enum array"),
)
_EXPRESSED = (".destructive", ".reversible", ".idempotent", ".cost.billable", ".filesystem.delete")
"""Effects that appear as flags in the description, or as annotations."""


def provider_losses(tool: Tool, compile_losses: Iterable[tuple[str, str]]) -> tuple[Loss, ...]:
    """Losses of a compilation, and every field that a function declaration lacks."""
    fields = find_losses(tool, VOCABULARY, "a function declaration has no field for it")
    result = [Loss(path=name, message=message) for name, message in compile_losses]
    return (*result, *(loss for loss in fields if not loss.path.endswith(_EXPRESSED)))
