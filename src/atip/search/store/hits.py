"""Hits: one command that a search returns, and its JSON."""

from __future__ import annotations

from atip.model.value import Value
from atip.search.entries import BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.search.flags import MatchingOption
    from atip.search.store.text_rows import Row


class SearchHit(Value):
    """One command that was found. `score` compares only within one answer."""

    tool: str
    path: tuple[str, ...]
    summary: str
    score: float
    is_true: int = 0
    is_known: int = 0
    option: MatchingOption | None = None
    """The option that answers what the command's summary does not."""

    @property
    def line(self) -> str:
        return " ".join((self.tool, *self.path))

    def to_json(self) -> dict[str, Any]:
        facts = {
            name: bool(self.is_true & bit) for name, bit in BITS.items() if self.is_known & bit
        }
        return {
            "tool": self.tool,
            "command": list(self.path),
            "summary": self.summary,
            "score": round(self.score, 4),
            "effects": facts,
            **({"option": self.option.to_json()} if self.option else {}),
        }


def to_hit(row: Row, score: float) -> SearchHit:
    tool, path, summary, is_true, is_known = row
    return SearchHit(
        tool=tool,
        path=tuple(path.split("\t")) if path else (),
        summary=summary,
        score=score,
        is_true=is_true,
        is_known=is_known,
    )
