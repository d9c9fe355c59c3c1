"""Spellings of usage lines that frameworks and languages have of their own, in the plain form that the parser reads."""

from __future__ import annotations

import re

_TYPED = re.compile(r"\b([A-Za-z][\w-]{0,60}):\{[^{}]{1,2000}\}")
"""`ITEM_TYPE:{model|dataset}` (click): a name and its values, which may be wrapped anywhere."""
_MODULE = re.compile(r"^(?:\S{0,60}/)?python[\d.]{0,5} -m ([\w.]{1,60})(?= |$)")
"""`python -m idna [-h]`: the module is the program."""
_CLASS = re.compile(r"^java (?:-jar \S{1,80}|[\w$]{1,40}(?:\.[\w$]{1,40}){1,9})(?= |$)")
"""`java net.sf.saxon.Query [options] query`: the class is the program."""
_ATTACHED = re.compile(r"\((-\w)\|(--[\w-]{1,60})=?\)[\w.-]{1,60}(?:\|[\w.-]{1,60}){1,60}")
"""`(-o|--output=)json|yaml|wide` (kubectl): an option in two spellings, and its values."""
_BRACED = re.compile(r"(--[\w-]{0,60}-)\{([\w-]{1,40}(?:[,|][\w-]{1,40}){1,9})\}(=[^\s\]|]{1,60})?")
_BOILERPLATE = re.compile(r"(\[command options\]|\bcommand \[options\]) \[arguments(?:\.\.\.)?\]")
"""urfave/cli and Symfony print it for commands that take no argument too."""


def plain_form(text: str, tool: str) -> str:
    """A usage line without what only one framework or language writes.

    Args:
        tool: the program; that of Java itself has no class in its place.
    """
    text = _MODULE.sub(r"\1", text)
    if tool != "java":
        text = _CLASS.sub(tool.replace("\\", ""), text)
    text = _ATTACHED.sub(r"\1|\2 <value>", _TYPED.sub(r"\1", text))
    return _BOILERPLATE.sub(r"\1", _BRACED.sub(_spell_out, text))


def _spell_out(match: re.Match[str]) -> str:
    """`--term-{new,bad}=<term>` → `--term-new=<term> --term-bad=<term>`."""
    return " ".join(f"{match[1]}{word}{match[3] or ''}" for word in re.split(r"[,|]", match[2]))
