"""Quoted texts of a program in a language that is not read any further: any of them may name a file."""

from __future__ import annotations

import re

from atip.calls.languages.program import Program

_LITERAL = re.compile(r"'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"")


def read_literals(text: str) -> Program:
    """The texts between quotes, as files that may be read."""
    found = (single or double for single, double in _LITERAL.findall(text))
    return Program(reads=tuple(dict.fromkeys(found)))
