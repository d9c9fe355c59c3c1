"""Marks: text of tools inside blocks that it cannot close, for a model to read as data.

The mark of each block is random, so that nothing that was written before can contain it; characters that hide,
move or reorder become visible. The text itself is not judged. Implements ATIP 0.6 §11.3, threat 5 of conformance/threats.toml.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from atip.execution.output.result import clean_output

if TYPE_CHECKING:
    from atip.errors import AtipError
    from atip.execution.output.result import Result

MAX_LINE = 160


def block(kind: str, text: str) -> str:
    """Text in a block: `<kind-1f3a9c>` … `</kind-1f3a9c>`."""
    # SECURITY: the tool that wrote the text cannot know the mark, so it cannot end the block.
    mark = f"{kind}-{secrets.token_hex(4)}"
    return f"<{mark}>\n{text}\n</{mark}>"


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """A text on one line, cleaned and cut."""
    line = " ".join(clean_output(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def rendered(result: Result) -> str:
    """The report of a run to a model: how it ended in our words, its output in blocks."""
    facts = [f"exit {result.exit_code}"]
    if result.timed_out:
        facts.append(f"stopped after {result.duration_s:.0f} s")
    if result.truncated:
        facts.append("output cut")
    if result.redactions:
        hidden = sum(number for _, number in result.redactions)
        facts.append(f"{hidden} secret{'' if hidden == 1 else 's'} hidden")
    facts += [one_line(note) for note in result.notes]
    parts = ["; ".join(facts)]
    for kind, text in (("output", result.stdout), ("stderr", result.stderr)):
        if text:
            parts.append(block(kind, clean_output(text).rstrip("\n")))
    return "\n".join(parts)


def refused(error: AtipError) -> str:
    """The report to a model when nothing ran, or nothing was found."""
    lines = [f"{error.code}: {one_line(error.message, 600)}"]
    lines += [
        f"{problem['path']}: {one_line(str(problem['message']), 300)}"
        + (f" ({one_line(str(problem['hint']), 200)})" if problem.get("hint") else "")
        for problem in _problems(error)[:12]
    ]
    if error.hint:
        lines.append(one_line(error.hint, 300))
    return "\n".join(dict.fromkeys(lines))


def _problems(error: AtipError) -> list[dict[str, object]]:
    problems = error.details.get("problems")
    return (
        [problem for problem in problems if isinstance(problem, dict)]
        if isinstance(problems, list)
        else []
    )
