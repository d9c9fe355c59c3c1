"""Differences in effects: each fact on its own, with the direction in which it moved.

Unknown is not safe: from `false` to silence is a step towards danger, from silence to `false` a
weaker claim. Reads what two documents declare at the same place; inheritance is not resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from atip.model.diff.change import Change, value_text
from atip.model.effects import COST_LEVELS, STDIN_LEVELS
from atip.model.text.durations import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.diff.change import Direction, Parts
    from atip.model.effects import Effects

    Severity = Literal["high", "medium", "low"]

_FACTS: tuple[tuple[tuple[str, ...], str, str, Severity], ...] = (
    # where, how it is compared, kind, severity
    (("destructive",), "danger", "destructive-changed", "high"),
    (("reversible",), "assurance", "reversible-changed", "medium"),
    (("idempotent",), "assurance", "idempotent-changed", "medium"),
    (("network",), "danger", "network-changed", "low"),
    (("subprocess",), "danger", "subprocess-changed", "medium"),
    (("filesystem", "read"), "danger", "filesystem-changed", "low"),
    (("filesystem", "write"), "danger", "filesystem-changed", "medium"),
    (("filesystem", "delete"), "danger", "filesystem-changed", "high"),
    (("filesystem", "paths"), "paths", "filesystem-changed", "medium"),
    (("creates",), "kinds", "creates-changed", "low"),
    (("modifies",), "kinds", "modifies-changed", "medium"),
    (("deletes",), "kinds", "deletes-changed", "high"),
    (("interactive", "stdin"), "stdin", "interactive-changed", "medium"),
    (("interactive", "prompts"), "neutral", "interactive-changed", "medium"),
    (("interactive", "tty"), "neutral", "interactive-changed", "medium"),
    (("cost", "billable"), "danger", "cost-changed", "high"),
    (("cost", "estimate"), "cost", "cost-changed", "low"),
    (("duration", "typical"), "duration", "duration-changed", "low"),
    (("duration", "timeout"), "duration", "duration-changed", "low"),
)


def diff_effects(old: Effects, new: Effects, path: Parts) -> Iterator[Change]:
    """Every fact that differs."""
    if old == new:
        return
    for where, how, kind, severity in _FACTS:
        before, after = _fact(old, where), _fact(new, where)
        if before == after or (how in ("kinds", "paths") and _same_set(before, after)):
            continue
        direction = _direction(how, before, after)
        if kind == "destructive-changed" and bool(before) != bool(after):
            kind = "destructive-added" if after else "destructive-removed"
        yield Change(
            kind=kind,
            path=(*path, *where),
            category="effects",
            message=f"effect {'.'.join(where)} changed from {value_text(before)} to {value_text(after)}",
            old=before,
            new=after,
            bump="minor" if severity == "high" or direction == "more-dangerous" else "patch",
            direction=direction,
            severity=severity,
        )


def _fact(effects: Effects, where: tuple[str, ...]) -> Any:
    value: Any = effects
    for name in where:
        value = getattr(value, name)
    return value


def _same_set(before: Any, after: Any) -> bool:
    return before is not None and after is not None and set(before) == set(after)


def _direction(how: str, before: Any, after: Any) -> Direction:
    if how == "danger":
        # Harmless only when said: false < unknown < true.
        return _compare({False: 0, None: 1, True: 2}, before, after)
    if how == "assurance":
        return _compare({True: 0, None: 1, False: 2}, before, after)
    if how == "stdin":
        return _compare({word: rank for rank, word in enumerate(STDIN_LEVELS)}, before, after)
    if how == "cost":
        levels = {word: rank for rank, word in enumerate(COST_LEVELS)}
        return _compare(levels | {"none": 0}, before, after)
    if how == "kinds":
        return _sets(before, after)
    if how == "paths":
        return _paths(before, after)
    if how == "duration":
        return _durations(before, after)
    return "changed"


def _compare(ranks: dict[Any, int], before: Any, after: Any) -> Direction:
    left, right = ranks.get(before), ranks.get(after)
    if left is None or right is None or left == right:
        # A level that was said and is no longer: what it may be now is unknown.
        return "more-dangerous" if after is None and before is not None else "changed"
    return "more-dangerous" if right > left else "less-dangerous"


def _sets(before: Any, after: Any) -> Direction:
    """Kinds of resources: naming more is warning of more."""
    left, right = set(before or ()), set(after or ())
    if left < right:
        return "more-dangerous"
    return "less-dangerous" if right < left else "changed"


def _paths(before: Any, after: Any) -> Direction:
    """Paths confine: without any, everything may be touched."""
    if not before or not after:
        return "more-dangerous" if before else "less-dangerous"
    return _sets(before, after)


def _durations(before: Any, after: Any) -> Direction:
    left = parse_duration(before) if before else None
    right = parse_duration(after) if after else None
    if left is None or right is None:
        return "changed"
    return "more-dangerous" if right[1] > left[1] else "less-dangerous"
