"""Effects declared beside the code that has them: `@effects(destructive=True)`.

Goes on the function that does the work, or on a click command; the describers find it through the
parser. A misspelt fact is refused when the program is loaded: silently lost, it would leave a
destructive command looking harmless. Implements ATIP 0.6 §3.6.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    T = TypeVar("T")

ATTRIBUTE = "__atip_effects__"
FLAGS = "flags"
"""Key beside the facts: effects that single flags add, `{"--force": {"destructive": True}}`."""

FACTS: dict[str, tuple[str, ...]] = {
    # fact: its inner fields; none for a plain value
    "filesystem": ("read", "write", "delete", "paths"),
    "network": (),
    "subprocess": (),
    "idempotent": (),
    "reversible": (),
    "destructive": (),
    "creates": (),
    "modifies": (),
    "deletes": (),
    "interactive": ("stdin", "prompts", "tty"),
    "cost": ("estimate", "billable"),
    "duration": ("typical", "timeout"),
}

READ_ONLY: Mapping[str, Any] = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "idempotent": True,
    "reversible": True,
    "destructive": False,
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
    "cost": {"billable": False},
}
"""A command that only looks: `@effects(READ_ONLY)`, or `@effects(READ_ONLY, network=True)`."""


def effects(
    *presets: Mapping[str, Any], flags: Mapping[str, Mapping[str, Any]] | None = None, **facts: Any
) -> Callable[[T], T]:
    """Declare what a command does. Later words win: presets in order, then the keywords.

    `flags` are effects that giving a flag adds; a flag can only make a call more dangerous.

    Raises:
        TypeError: for a fact that ATIP does not have.
    """
    declared: dict[str, Any] = {}
    for part in (*presets, facts):
        declared = merged(declared, checked(part))
    if flags:
        declared[FLAGS] = {flag: checked(each) for flag, each in flags.items()}

    def declare(decorated: T) -> T:
        before = getattr(decorated, ATTRIBUTE, {})
        setattr(decorated, ATTRIBUTE, merged(before, declared))
        return decorated

    return declare


def declared_on(*places: Any) -> dict[str, Any]:
    """Facts declared on a command or on the functions behind it; the first place wins."""
    facts: dict[str, Any] = {}
    for place in reversed(places):
        facts = merged(facts, getattr(place, ATTRIBUTE, {}) if place is not None else {})
    return facts


def checked(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The same facts, if ATIP has them all.

    Raises:
        TypeError: naming the fact and those that exist.
    """
    for fact, value in facts.items():
        if fact == FLAGS:
            for each in value.values():
                checked(each)
        elif fact.startswith("x-"):
            continue
        elif fact not in FACTS:
            raise TypeError(f"unknown effect {fact!r}; effects: {', '.join(FACTS)}")
        elif isinstance(value, dict):
            for inner in value:
                if inner not in FACTS[fact] and not inner.startswith("x-"):
                    choices = ", ".join(FACTS[fact]) or "a plain value, not an object"
                    raise TypeError(f"unknown effect {fact}.{inner}; expected: {choices}")
    return dict(facts)


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` on top of `under`, objects merged field by field."""
    result = dict(under)
    for key, value in over.items():
        before = result.get(key)
        both = isinstance(before, dict) and isinstance(value, dict)
        result[key] = merged(before, value) if both else value  # type: ignore[arg-type]
    return result
