"""Small languages inside of arguments: what a program in one of them opens, writes and runs.

Each reader knows part of a grammar; a program outside of it counts as unknown code.
"""

from __future__ import annotations

from atip.calls.languages.program import UNSUPPORTED, ScriptEffects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_PROGRAM = 20_000
__all__ = ["UNSUPPORTED", "ScriptEffects", "read_program"]


def read_program(language: str, text: str) -> ScriptEffects:
    """Effects of a program beyond reading its operands and printing.

    Args:
        language: `sed`, `awk`, or `literals`: of a language that is not read only the quoted texts matter, each of
            which may name a file.
    """
    if "\0" in text or len(text) > MAX_PROGRAM:
        return UNSUPPORTED
    reader: Callable[[str], ScriptEffects]
    if language == "sed":
        from atip.calls.languages.sed import read_sed as reader
    elif language == "awk":
        from atip.calls.languages.awk import read_awk as reader
    else:
        from atip.calls.languages.literals import read_literals as reader
    return reader(text)
