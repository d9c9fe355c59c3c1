"""A Diff as text for people and as Markdown for a changelog. No decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.cli.output import clean, count, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.cli.context import Context
    from atip.model.diff.change import Change
    from atip.model.diff.compare import Diff

HEADINGS = (
    ("breaking", "Breaking"),
    ("effects", "Effects and trust"),
    ("compatible", "Compatible"),
)
MARKS = {"more-dangerous": "more dangerous", "less-dangerous": "weaker claim"}
_COLORS = {"breaking": "red", "effects": "yellow", "compatible": "green"}


def render_text(diff: Diff, ctx: Context) -> Iterator[str]:
    """Lines, worst first."""
    for category, heading in HEADINGS:
        changes = diff.of(category)  # type: ignore[arg-type]
        if changes:
            yield paint(ctx, f"{heading.lower()} ({len(changes)})", _COLORS[category])
            for change in changes:
                mark = f" ({MARKS[change.direction]})" if change.direction in MARKS else ""
                yield f"  {clean(change.at)}: {clean(change.message)}{mark} [{change.kind}]"
    if diff.weaker_claims:
        number = count(len(diff.weaker_claims), "weaker claim")
        yield paint(
            ctx,
            f"{number}: the new document declares fewer dangers; review it before you trust it",
            "yellow",
        )
    yield f"{count(len(diff.changes), 'change')}; advised version step: {diff.semver}"


def render_markdown(diff: Diff, title: str) -> str:
    """A section for a changelog."""
    lines = [f"## {_escape(title)}", "", f"Advised version step: **{diff.semver}**"]
    for category, heading in HEADINGS:
        changes = diff.of(category)  # type: ignore[arg-type]
        if changes:
            lines += ["", f"### {heading}", ""]
            lines += [_item(change) for change in changes]
    if not diff.changes:
        lines += ["", "No changes."]
    return "\n".join(lines) + "\n"


def _item(change: Change) -> str:
    mark = f"**{MARKS[change.direction]}:** " if change.direction in MARKS else ""
    return f"- {mark}`{_code(change.at)}`: {_escape(change.message)}"


def _code(text: str) -> str:
    return clean(text).replace("`", "'")


def _escape(text: str) -> str:
    """Text from a document cannot become a heading, a link, an image or HTML."""
    cleaned = clean(text)
    for character in ("\\", "*", "_", "[", "]", "<", ">", "!", "#", "|"):
        cleaned = cleaned.replace(character, "\\" + character)
    return cleaned
