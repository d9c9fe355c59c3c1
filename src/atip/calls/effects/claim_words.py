"""Claims as text: what a command does without options, and which options make it do more.

`reads files; with -delete: destroys, deletes files; with -exec, -execdir …: runs programs`. One place for every page,
description and export that shows both ends of a claim. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.effects.ceiling import Claim, EffectCause
    from atip.model.effects import Effects

MAX_FLAGS = 3
MAX_FLAG = 30
"""Characters of a flag: a document may contain flags of any length."""
MAX_GROUPS = 4


def more_words(claim: Claim, *, doubts: bool = False) -> list[str]:
    """`with -delete: destroys`, one text for the options that add the same. `doubts` adds what may do more."""
    groups: dict[str, list[str]] = {}
    for raiser in claim.raisers:
        gained = _describe_gain(claim.base, raiser, doubts)
        if gained:
            groups.setdefault(gained, []).append(_longest_flag(raiser.flags))
    lines = [f"with {_list_flags(flags)}: {gained}" for gained, flags in groups.items()]
    rest = len(lines) - MAX_GROUPS
    return lines if rest <= 0 else [*lines[:MAX_GROUPS], f"{rest} more in the options"]


def _describe_gain(base: Effects, raiser: EffectCause, doubts: bool) -> str:
    before, after = _facts(base), _facts(raiser.effects)
    sure = [word for word, fact in after.items() if fact and not before.get(word)]
    if sure:
        return ", ".join(sure)
    open_now = any(fact is None and before.get(word) is False for word, fact in after.items())
    return "may do more" if doubts and open_now else ""


def _facts(effects: Effects) -> dict[str, bool | None]:
    """Dangerous facts by their text, the worst first."""
    files = effects.filesystem
    facts: dict[str, bool | None] = {
        "destroys": effects.destructive,
        "cannot be undone": effects.reversible is False and not effects.destructive,
        "deletes files": files.delete,
        "writes files": files.write,
        "uses the network": effects.network,
        "runs programs": effects.subprocess,
        "costs money": effects.cost.billable,
    }
    changed = (
        ("creates", effects.creates),
        ("changes", effects.modifies),
        ("deletes", effects.deletes),
    )
    for verb, things in changed:
        facts.update({f"{verb} {thing}": True for thing in things or ()})
    return facts


def _longest_flag(flags: Sequence[str]) -> str:
    """One spelling of an option: the longest, which is the clearest."""
    return max(flags, key=len)[:MAX_FLAG]


def _list_flags(flags: Sequence[str]) -> str:
    unique = list(dict.fromkeys(flags))
    more = " …" if len(unique) > MAX_FLAGS else ""
    return ", ".join(unique[:MAX_FLAGS]) + more
