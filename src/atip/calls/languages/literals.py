"""Quoted texts of a program in a language that is not read any further: any of them may name a file."""

from __future__ import annotations

import re

from atip.calls.languages.program import ScriptEffects

_LITERAL = re.compile(r"'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"")


def read_literals(text: str) -> ScriptEffects:
    """The texts between quotes, as files that may be read."""
    texts = (single or double for single, double in _LITERAL.findall(text))
    return ScriptEffects(reads=tuple(dict.fromkeys(texts)))
