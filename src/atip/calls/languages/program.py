"""Program: effects of a program in a small language, as far as its reader understands it."""

from __future__ import annotations

from atip.model.value import Value


class ScriptEffects(Value):
    """Effects beyond reading operands and printing."""

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


UNSUPPORTED = ScriptEffects(understood=False)


class UnsupportedProgram(Exception):
    """The text is outside the supported grammar."""
