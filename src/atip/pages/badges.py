"""Badges: effects in a few words, from the base and the ceiling of a command. Pure.

`does`: it does so when called plainly. `may`: some option, argument or inner command makes it do so. `unknown`: no
source excludes it, and unknown is never safe. A page is never calmer than the judge.
"""

from __future__ import annotations

from atip.calls.facts import facts_of
from atip.model.facts import fact_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.effects import Effects
    from atip.model.tool import Option

    Badge = dict[str, str]

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
"""What must be known before anything is called read-only or fully known."""
READ_ONLY = "read-only"


def badges_of(base: Effects, ceiling: Effects) -> list[Badge]:
    """What to show, the most alarming first; never empty."""
    found: list[Badge] = []
    unknown: list[str] = []
    for fact, label in DANGERS.items():
        if danger_of(base, fact):
            found.append({"fact": fact, "state": "does", "label": label})
        elif danger_of(ceiling, fact):
            found.append({"fact": fact, "state": "may", "label": f"may {verb_of(label)}"})
        elif fact in WEIGHTY and danger_of(ceiling, fact) is None:
            unknown.append(label)
    if unknown:
        label = "effects unknown" if len(unknown) == len(WEIGHTY) else "partly unknown"
        detail = f"not known whether it {_listed(unknown)}"
        found.append({"fact": "unknown", "state": "unknown", "label": label, "detail": detail})
    elif ceiling.is_read_only:
        found.insert(0, {"fact": READ_ONLY, "state": "safe", "label": READ_ONLY})
    if base.reversible is False:
        found.append({"fact": "reversible", "state": "does", "label": "cannot be undone"})
    return found


def option_facts(option: Option) -> Effects:
    """What one option adds to its command."""
    return facts_of(option.own.get("effects"))


def added_by(facts: Effects) -> list[Badge]:
    """What an option adds."""
    return [
        {"fact": fact, "state": "may", "label": label}
        for fact, label in DANGERS.items()
        if danger_of(facts, fact)
    ]


def danger_of(effects: Effects, fact: str) -> bool | None:
    """Whether a danger of the table above is there; None: not known."""
    if fact == "changes":
        lists = (effects.creates, effects.modifies, effects.deletes)
        return True if any(lists) else None if None in lists else False
    return fact_of(effects, fact)


def verb_of(label: str) -> str:
    """A label without its person: `destroy data`."""
    first, _, rest = label.partition(" ")
    return f"{_MAY[first]} {rest}"


def _listed(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"
