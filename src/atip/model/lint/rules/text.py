"""Rules on poisoned text. Every string of the document is looked at, keys included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.lint.findings import Edit, RuleHit
from atip.model.lint.text import has_lookalikes, instructions, invisible, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.lint.findings import LintFacts
    from atip.model.lint.index import DocumentIndex


def invisible_text(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """Characters that the user does not see, but a model reads or a terminal interprets."""
    for parts, text, is_key in index.texts():
        marks = list(invisible(text))
        if not marks:
            continue
        kinds = ", ".join(dict.fromkeys(f"{mark.kind} {mark.character}" for mark in marks[:3]))
        where = f" at character {marks[0].index}"
        fixed = visible(text)
        yield RuleHit(
            parts=parts,
            message=f"{'key' if is_key else 'text'} has {len(marks)} hidden ({kinds}){where}",
            hint="remove the hidden characters, and check who added them",
            edit=Edit(action="replace", parts=parts, value=fixed) if fixed and not is_key else None,
        )


def lookalike_letters(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    for parts, text, _is_key in index.texts():
        if has_lookalikes(text):
            yield RuleHit(
                parts=parts,
                message="a word mixes letters of two alphabets and may not be what it looks like",
            )


def instruction_like_text(
    index: DocumentIndex, options: Mapping[str, Any], facts: LintFacts
) -> Iterator[RuleHit]:
    """A hint by wording, wrong both ways: see `lint.text`."""
    for parts, text, _is_key in index.texts():
        if len(text) < 12:
            continue
        wording = instructions(text)
        if wording.is_suspect:
            yield RuleHit(
                parts=parts,
                message=f"reads like instructions to a model: {', '.join(wording.signals[:4])}",
                hint="describe what the tool does; never address its reader",
            )
