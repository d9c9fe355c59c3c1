"""Change: one difference between two versions of a tool, and how much it matters.

Kinds are stable slugs (docs/formats/diff.md lists them); the text may change. Paths name options
and arguments instead of counting them, because positions differ between versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from atip.model.problems import render_path
from atip.model.reading.encode import encode_record
from atip.model.tool import MISSING
from atip.model.value import Value

if TYPE_CHECKING:
    Category = Literal["breaking", "compatible", "effects"]
    Direction = Literal["more-dangerous", "less-dangerous", "changed"]
    Bump = Literal["none", "patch", "minor", "major"]
    Parts = tuple[str, ...]

BUMPS = ("none", "patch", "minor", "major")


class Change(Value):
    """A change, its place, and whether it affects callers or policies."""

    kind: str
    path: Parts
    category: Category
    message: str
    old: object = MISSING
    new: object = MISSING
    bump: Bump = "patch"
    """The smallest version step that announces this change."""
    direction: Direction | None = None
    """For effects and trust: which way the claim moved."""
    severity: Literal["high", "medium", "low"] | None = None

    @property
    def is_weaker_claim(self) -> bool:
        """The new document warns of less than the old one did: true progress or a mistake, but
        never something to take over unread."""
        return self.direction == "less-dangerous"

    @property
    def at(self) -> str:
        """The path as text."""
        return render_path(self.path)

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {
            "kind": self.kind,
            "category": self.category,
            "path": list(self.path),
            "message": self.message,
        }
        if self.direction is not None:
            document["direction"] = self.direction
            document["weakerClaim"] = self.is_weaker_claim
        if self.severity is not None:
            document["severity"] = self.severity
        for key, value in (("old", self.old), ("new", self.new)):
            if value is not MISSING and value is not None:
                document[key] = plain(value)
        return document


def breaking(
    kind: str, path: Parts, message: str, old: Any = MISSING, new: Any = MISSING
) -> Change:
    """A change that stops a working call from working."""
    return Change(
        kind=kind, path=path, category="breaking", message=message, old=old, new=new, bump="major"
    )


def compatible(
    kind: str,
    path: Parts,
    message: str,
    old: Any = MISSING,
    new: Any = MISSING,
    *,
    bump: Bump = "minor",
) -> Change:
    """A change that every working call survives. `patch` for words, `minor` for abilities."""
    return Change(
        kind=kind, path=path, category="compatible", message=message, old=old, new=new, bump=bump
    )


def plain(value: object) -> object:
    """JSON-ready form of anything that a change can hold."""
    if isinstance(value, Value):
        return encode_record(value)
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def value_text(value: object) -> str:
    """A short word for a value in a message."""
    if value is None or value is MISSING:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ", ".join(value_text(item) for item in value[:8]) or "none"
    text = str(value)
    return f"`{text[:60]}`"
