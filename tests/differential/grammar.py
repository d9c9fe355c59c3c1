"""Lines from bash's grammar, with a marker command in every place that bash evaluates.

A marker is `mark N`, harmless, with a number of its own. Productions are methods whose name begins with `p_` and
the nonterminal: `p_command_for` is one way to write a command. `Grammar.used` remembers which ones were taken, so
that a test can hold that all were. Nothing here knows our reader.
"""

from __future__ import annotations

import random
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("x", "y", "z", "count", "list")
PLACES = 64
"""Marker numbers of one line."""


class Base:
    """Choosing, counting, depth."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.used: set[str] = set()
        self.number, self.depth = 0, 0

    def line(self, number: int) -> str:
        """One line; its markers are `number * PLACES` and the following ones."""
        self.number, self.depth = number * PLACES, 0
        return self.pick("line")

    def mark(self) -> str:
        self.number += 1
        return f"mark {self.number}"

    def pick(self, nonterminal: str) -> str:
        """Any production of a nonterminal; deep inside only the short ones."""
        prefix = f"p_{nonterminal}_"
        names = productions(type(self), prefix)
        if self.depth > 3 or self.number % PLACES > PLACES - 16:
            names = [name for name in names if name.startswith(f"{prefix}plain")] or names[:1]
        name = self.random.choice(names)
        self.used.add(name)
        self.depth += 1
        made: Callable[[], str] = getattr(self, name)
        text = made()
        self.depth -= 1
        return text

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)

    def name(self) -> str:
        return self.random.choice(NAMES)


_listed: dict[tuple[type, str], list[str]] = {}


def productions(grammar: type, prefix: str = "p_") -> list[str]:
    """Names of all productions, in the order in which they are written."""
    key = grammar, prefix
    if key not in _listed:
        ordered = [name for kind in reversed(grammar.__mro__) for name in vars(kind)]
        _listed[key] = [name for name in dict.fromkeys(ordered) if name.startswith(prefix)]
    return _listed[key]
