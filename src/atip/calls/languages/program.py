"""Program: what a program in a small language does, as far as its reader understood it."""

from __future__ import annotations

from atip.model.value import Value


class ScriptEffects(Value):
    """Beyond reading operands and printing."""

    understood: bool = True
    runs: bool = False
    """It runs commands, or code that is loaded."""
    reads: tuple[str, ...] = ()
    """Files that it opens by itself."""
    reads_any: bool = False
    """It opens files whose names are only known when it runs."""
    writes: tuple[str, ...] = ()
    writes_any: bool = False
    environment: bool = False
    """It looks at variables of the environment."""


GAVE_UP = ScriptEffects(understood=False)


class GiveUp(Exception):
    """The text is not what the grammar knows."""
