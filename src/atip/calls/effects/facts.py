"""Facts: the small operations on Effects that the effects engine needs beside join and raise.

Each takes and returns frozen `Effects`. `weakened` and `possibly` move facts towards unknown, `dry`
is the profile of a dry run, `named_facts` renders facts as text.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, Cost, Effects, Filesystem, Interactive, union_of_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_MAYBE = ("network", "subprocess", "destructive", "creates", "modifies", "deletes")


def facts_of(document: object) -> Effects:
    """Effects of a vendor block `x-atip.effects`; our own pack's facts have the same shape."""
    if not isinstance(document, dict) or not document:
        return UNKNOWN
    from atip.model.reading.decode import decode_effects

    return decode_effects(document)


def weakened(effects: Effects) -> Effects:
    """Every denied danger and every promised assurance becomes unknown; dangers stay."""
    files, asks = effects.filesystem, effects.interactive
    return effects.replace(
        filesystem=files.replace(
            read=files.read or None, write=files.write or None, delete=files.delete or None
        ),
        network=effects.network or None,
        subprocess=effects.subprocess or None,
        destructive=effects.destructive or None,
        idempotent=False if effects.idempotent is False else None,
        reversible=False if effects.reversible is False else None,
        creates=effects.creates or None,
        modifies=effects.modifies or None,
        deletes=effects.deletes or None,
        interactive=asks.replace(prompts=asks.prompts or None, tty=asks.tty or None),
        cost=effects.cost.replace(billable=effects.cost.billable or None),
    )


def possibly(effects: Effects, others: Iterable[Effects]) -> Effects:
    """One of several profiles applies and it is not known which: what they differ in is unknown."""
    for other in others:
        both = union_of_steps(effects, other)
        files, asks = both.filesystem, both.interactive
        left, right = effects, other
        effects = both.replace(
            filesystem=files.replace(
                read=_same(left.filesystem.read, right.filesystem.read),
                write=_same(left.filesystem.write, right.filesystem.write),
                delete=_same(left.filesystem.delete, right.filesystem.delete),
            ),
            network=_same(left.network, right.network),
            subprocess=_same(left.subprocess, right.subprocess),
            destructive=_same(left.destructive, right.destructive),
            idempotent=_same(left.idempotent, right.idempotent),
            reversible=_same(left.reversible, right.reversible),
            interactive=asks.replace(
                prompts=_same(left.interactive.prompts, right.interactive.prompts),
                tty=_same(left.interactive.tty, right.interactive.tty),
            ),
        )
    return effects


def _same(left: bool | None, right: bool | None) -> bool | None:
    return left if left == right else None


def dry(effects: Effects) -> Effects:
    """A dry run: it still reads, uses the network and runs programs, but changes nothing."""
    return Effects(
        filesystem=Filesystem(read=effects.filesystem.read, write=False, delete=False),
        network=effects.network,
        subprocess=effects.subprocess,
        destructive=False,
        idempotent=True,
        creates=(),
        modifies=(),
        deletes=(),
        interactive=Interactive(stdin=effects.interactive.stdin, prompts=False, tty=False),
        cost=Cost(billable=False),
        extra={k: v for k, v in effects.extra.items() if k != "x-atip-sends"},
    )


def rehearsed(added: Effects) -> Effects:
    """Effects that a flag adds even in a dry run: reading, network, programs."""
    return Effects(
        filesystem=Filesystem(read=added.filesystem.read),
        network=added.network,
        subprocess=added.subprocess,
        interactive=added.interactive,
        extra=added.extra,
    )


def answered(effects: Effects) -> Effects:
    """Effects with a flag such as `--yes`: no prompts. Curated tools only."""
    asks = effects.interactive
    stdin = "none" if asks.stdin in ("input", "required", "password") else asks.stdin
    return effects.replace(interactive=asks.replace(prompts=False, stdin=stdin))


def maybe_raised(effects: Effects, names: Iterable[str]) -> Effects:
    """Dangers that a flag may add: a denied one becomes unknown."""
    for name in names:
        head, _, tail = name.partition(".")
        if tail:
            part = getattr(effects, head, None)
            if part is not None and getattr(part, tail, None) is False:
                effects = effects.replace(**{head: part.replace(**{tail: None})})
        elif head in ("idempotent", "reversible"):
            if getattr(effects, head) is True:
                effects = effects.replace(**{head: None})
        elif head in _MAYBE and getattr(effects, head) in (False, ()):
            effects = effects.replace(**{head: None})
    return effects


def named_facts(effects: Effects, *, added: bool = False) -> str:
    """The dangerous facts as text, empty where all are denied; for reasons and reports.

    Args:
        added: what a flag adds; a fact that it does not name stays as it was and is not unknown.
    """
    files = effects.filesystem
    facts = (
        ("destructive", effects.destructive),
        ("deletes files", files.delete),
        ("writes files", files.write),
        ("reads files", files.read),
        ("network", effects.network),
        ("runs programs", effects.subprocess),
        ("irreversible", effects.reversible is False),
        ("costs money", effects.cost.billable),
        ("asks", effects.interactive.prompts),
        ("shows secrets", effects.extra.get("x-atip-secrets")),
    )
    words = [word for word, fact in facts if fact]
    for verb, items in (
        ("creates", effects.creates),
        ("changes", effects.modifies),
        ("deletes", effects.deletes),
    ):
        words += [f"{verb} {item}" for item in items or ()]
    unknown = [word for word, fact in facts[:6] if fact is None and not added]
    if unknown and len(unknown) < 5:
        words.append("perhaps " + ", ".join(unknown))
    return ", ".join(words)


def fact_names(facts: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Dotted names of the facts in a document, lists aside."""
    names: list[str] = []
    for key, value in facts.items():
        if isinstance(value, dict):
            names += fact_names(value, f"{prefix}{key}.")
        elif not isinstance(value, list):
            names.append(prefix + key)
    return names
