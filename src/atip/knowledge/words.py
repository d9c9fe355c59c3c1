"""Words: the one-line language for effects in knowledge files, and its two readings.

`profile("reads network")` is a closed world: every danger that is not named is false.
`raises("destructive")` is what a flag adds: facts not named are not touched. `word?` is unknown in
a profile and "may become" in a raise. Results are JSON-ready facts in the shape of ATIP 0.6 §3.6.
Does not decide anything; `atip.calls.effects.engine` does. The words are explained in
docs/formats/knowledge.md.
"""

from __future__ import annotations

from atip.model.effects import NO_EXTRA, Cost, Effects, Filesystem, Interactive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FACTS: dict[str, tuple[tuple[str, ...], object]] = {
    "reads": (("filesystem", "read"), True),
    "writes": (("filesystem", "write"), True),
    "deletes": (("filesystem", "delete"), True),
    "network": (("network",), True),
    "runs": (("subprocess",), True),
    "destructive": (("destructive",), True),
    "reversible": (("reversible",), True),
    "irreversible": (("reversible",), False),
    "idempotent": (("idempotent",), True),
    "repeats": (("idempotent",), False),
    "billable": (("cost", "billable"), True),
    "prompts": (("interactive", "prompts"), True),
    "tty": (("interactive", "tty"), True),
    "stdin": (("interactive", "stdin"), "optional"),
    "input": (("interactive", "stdin"), "required"),
    "password": (("interactive", "stdin"), "password"),
    "secrets": (("x-atip-secrets",), True),
    "sends": (("x-atip-sends",), True),
    "root": (("x-atip-root",), True),
}
"""Word → where the fact lives and its value."""

IMPLIED = {
    "destructive": "irreversible",
    "sends": "network",
    "password": "prompts tty?",
    "code": "runs reads? writes? deletes? network? destructive? repeats? billable? prompts?",
}
"""Word → words that come with it unless the line says otherwise about the same fact."""

OBJECTS = {"creates": "creates", "changes": "modifies", "deletes": "deletes"}
"""`changes:service` → the list field of §3.6 that takes the resource type."""

NOTHING = "nothing"


class WordError(ValueError):
    """A word that is not in the language."""


def split_line(line: str) -> tuple[str, str]:
    """`"network -- List things"` → words and description; either may be empty."""
    words, _, description = line.partition("--") if line.startswith("--") else _cut(line)
    return words.strip(), description.strip()


def _cut(line: str) -> tuple[str, str, str]:
    return line.partition(" -- ")


def profile(words: str) -> dict[str, Any]:
    """Closed world: the named facts, and every other danger false. Unknown facts are left out."""
    facts: dict[str, Any] = {
        "filesystem": {"read": False, "write": False, "delete": False},
        "network": False,
        "subprocess": False,
        "destructive": False,
        "idempotent": True,
        "cost": {"billable": False},
        "interactive": {"stdin": "none", "prompts": False, "tty": False},
        "creates": [],
        "modifies": [],
        "deletes": [],
    }
    for where, value, unknown in _facts(words):
        if unknown:
            _drop(facts, where)
        else:
            _put(facts, where, value)
    return facts


def raises(words: str) -> tuple[dict[str, Any], list[str]]:
    """Open world: facts that become true, and dotted names of facts that may become true."""
    facts: dict[str, Any] = {}
    maybe: list[str] = []
    for where, value, unknown in _facts(words):
        if unknown:
            maybe.append(".".join(where))
        else:
            _put(facts, where, value)
    return facts, maybe


def as_effects(facts: Mapping[str, Any]) -> Effects:
    """Facts of `profile` or `raises` as a value. Cheaper than the decoder, which the fast path
    would have to import; only for facts made here, never for a foreign document."""
    return Effects(
        filesystem=Filesystem(**facts.get("filesystem", {})),
        network=facts.get("network"),
        subprocess=facts.get("subprocess"),
        idempotent=facts.get("idempotent"),
        reversible=facts.get("reversible"),
        destructive=facts.get("destructive"),
        creates=_tuple(facts.get("creates")),
        modifies=_tuple(facts.get("modifies")),
        deletes=_tuple(facts.get("deletes")),
        interactive=Interactive(**facts.get("interactive", {})),
        cost=Cost(**facts.get("cost", {})),
        extra={k: v for k, v in facts.items() if k.startswith("x-")} or NO_EXTRA,
    )


def _tuple(items: list[str] | None) -> tuple[str, ...] | None:
    return None if items is None else tuple(items)


def _facts(line: str) -> list[tuple[tuple[str, ...], object, bool]]:
    """Every fact a line states; what a word implies comes only where the line itself is silent."""
    facts: dict[tuple[str, ...], tuple[object, bool]] = {}
    objects: list[tuple[tuple[str, ...], object, bool]] = []
    implied: list[str] = []
    for word in line.split():
        if word == NOTHING:
            continue
        unknown = word.endswith("?")
        name = word.rstrip("?")
        verb, _, resource = name.partition(":")
        if resource and verb in OBJECTS:
            objects.append(((OBJECTS[verb],), resource, unknown))
            continue
        if name in IMPLIED:
            parts = IMPLIED[name].split()
            implied += [f"{part.rstrip('?')}?" for part in parts] if unknown else parts
        if name == "code":
            continue
        if name not in FACTS:
            raise WordError(f"unknown effect word {word!r}")
        where, value = FACTS[name]
        facts[where] = (value, unknown)
    for word in implied:
        where, value = FACTS[word.rstrip("?")]
        facts.setdefault(where, (value, word.endswith("?")))
    return objects + [(where, value, unknown) for where, (value, unknown) in facts.items()]


def _put(facts: dict[str, Any], where: tuple[str, ...], value: object) -> None:
    for key in where[:-1]:
        facts = facts.setdefault(key, {})
    last = where[-1]
    if last in ("creates", "modifies", "deletes") and isinstance(value, str):
        facts.setdefault(last, []).append(value)
    else:
        facts[last] = value


def _drop(facts: dict[str, Any], where: tuple[str, ...]) -> None:
    for key in where[:-1]:
        facts = facts.get(key, {})
    facts.pop(where[-1], None)
