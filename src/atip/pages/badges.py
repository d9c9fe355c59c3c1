"""Badges: effects in a few words, from the base and the ceiling of a command. Pure.

`does`: it does so when called plainly. `may`: some option, argument or inner command makes it do so. `unknown`: no
source excludes it, and unknown is never safe. A page is never calmer than the judge.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from atip.calls.effects.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.effects import Effects
    from atip.model.tool import Option

    Badge = dict[str, str]
    Dangers = tuple[bool | None, ...]

DANGERS = {
    # fact: label, the alarming ones first
    "destructive": "destroys data",
    "filesystem.delete": "deletes files",
    "cost.billable": "costs money",
    "filesystem.write": "writes files",
    "changes": "changes system or remote state",
    "network": "uses the network",
    "subprocess": "runs programs",
    "interactive.prompts": "asks questions",
    "interactive.tty": "needs a terminal",
}
_MAY = {
    "destroys": "destroy",
    "deletes": "delete",
    "costs": "cost",
    "writes": "write",
    "changes": "change",
    "uses": "use",
    "runs": "run",
    "asks": "ask",
    "needs": "need",
}
WEIGHTY = ("destructive", "filesystem.delete", "filesystem.write", "network", "cost.billable")
"""Facts that must be known before a command is called read-only or fully known."""
READ_ONLY = "read-only"
_FEW = 4
_NONE_KNOWN: Dangers = (None,) * len(DANGERS)


def badges_of_any(parts: Sequence[tuple[Dangers, bool]]) -> list[Badge]:
    """Badges for any of several commands; a danger is excluded only if each of them excludes it.

    Args:
        parts: the dangers of each ceiling, and whether it is read-only.
    """
    dangers = tuple(map(_any_of, zip(*(dangers for dangers, _ in parts), strict=True)))
    return badges_of_dangers(_NONE_KNOWN, dangers, all(safe for _, safe in parts), False)


def _any_of(facts: tuple[bool | None, ...]) -> bool | None:
    return True if True in facts else None if None in facts else False


@functools.lru_cache(maxsize=4096)
def badges_of_dangers(
    base: Dangers, ceiling: Dangers, is_read_only: bool, is_final: bool
) -> list[Badge]:
    """Badges to show, the most alarming first. The list is shared and must not be changed.

    Args:
        base: dangers of the bare command, as `dangers_of` lists them.
        ceiling: of the command with anything that may be added to it.
        is_final: what the bare command does cannot be undone.
    """
    found: list[Badge] = []
    unknown: list[str] = []
    for (fact, label), does, may in zip(DANGERS.items(), base, ceiling, strict=True):
        if does:
            found.append({"fact": fact, "state": "does", "label": label})
        elif may:
            found.append({"fact": fact, "state": "may", "label": f"may {verb_of(label)}"})
        elif fact in WEIGHTY and may is None:
            unknown.append(label)
    if unknown:
        label = "effects unknown" if len(unknown) == len(WEIGHTY) else "partly unknown"
        detail = f"not known whether it {_listed(unknown)}"
        found.append({"fact": "unknown", "state": "unknown", "label": label, "detail": detail})
    elif is_read_only:
        found.insert(0, {"fact": READ_ONLY, "state": "safe", "label": READ_ONLY})
    if is_final:
        found.append({"fact": "reversible", "state": "does", "label": "cannot be undone"})
    return found


def few_badges(badges: list[Badge]) -> list[Badge]:
    """Badges for a list of tools: the first of many and the number of the others; unknown effects are always shown."""
    if len(badges) <= _FEW + 1:
        return badges
    unknown = [badge for badge in badges[_FEW:] if badge["state"] == "unknown"]
    more = len(badges) - _FEW - len(unknown)
    return [*badges[:_FEW], *unknown, {"fact": "more", "state": "more", "label": f"{more} more"}]


def option_facts(option: Option) -> Effects:
    """Effects that one option adds to its command."""
    return facts_of(option.own.get("effects"))


def added_by(facts: Effects) -> list[Badge]:
    """Badges for the effects that an option adds; may be empty."""
    return [
        {"fact": fact, "state": "may", "label": label}
        for (fact, label), adds in zip(DANGERS.items(), dangers_of(facts), strict=True)
        if adds
    ]


def dangers_of(effects: Effects) -> Dangers:
    """Every danger of the table above, in its order."""
    files, asking = effects.filesystem, effects.interactive
    lists = (effects.creates, effects.modifies, effects.deletes)
    return (
        effects.destructive,
        files.delete,
        effects.cost.billable,
        files.write,
        True if any(lists) else None if None in lists else False,
        effects.network,
        effects.subprocess,
        asking.prompts,
        asking.tty,
    )


def verb_of(label: str) -> str:
    """A label without its person: `destroy data`."""
    first, _, rest = label.partition(" ")
    return f"{_MAY[first]} {rest}"


def _listed(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"
