"""The three words of a usage spec for what a command does (`read`, `write`, `destructive`) ⇄ effects. Pure.

A word is written only if it does not understate the facts: where a fact is missing, no word is written, and the
readers of such a spec ask (jdx/usage: a missing effect is unknown).
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, Effects, Filesystem

_DENIES = Filesystem(write=False, delete=False)
_WORDS: dict[object, Effects] = {
    "read": Effects(filesystem=_DENIES, destructive=False),
    "write": Effects(filesystem=Filesystem(write=True), destructive=False),
    "destructive": Effects(filesystem=Filesystem(write=True), destructive=True),
}
_ALARMS: dict[object, Effects] = {
    "write": Effects(filesystem=Filesystem(write=True)),
    "destructive": _WORDS["destructive"],
}


def effects_of(word: object) -> Effects:
    """Effects of a word; unknown for an unknown word."""
    return _WORDS.get(word, UNKNOWN) if isinstance(word, str) else UNKNOWN


def alarms_of(word: object) -> Effects:
    """Effects of a word from an unverified source: dangers only."""
    return _ALARMS.get(word, UNKNOWN) if isinstance(word, str) else UNKNOWN


def word_of(effects: Effects) -> str:
    """The word for effects; empty if no word fits."""
    files = effects.filesystem
    if effects.destructive or effects.reversible is False or files.delete or effects.deletes:
        return "destructive"
    changes = files.write or effects.creates or effects.modifies or effects.cost.billable
    if changes or effects.idempotent is False:
        return "write"
    denied = files.write is False and files.delete is False and effects.destructive is False
    # A request over the network may change what is at the other end, unless repeating it changes nothing.
    is_quiet = not effects.network or effects.idempotent is True
    return "read" if denied and is_quiet else ""
