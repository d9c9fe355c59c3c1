"""Complaints: what a program says when it does not know the flag or the word that it was asked with.

A complaint is no help text, but usage lines often follow it. They are read; the complaint never is.
"""

from __future__ import annotations

import re

MAX_HEAD = 6
"""Lines in which a complaint is looked for, at either end of a text."""
_SPEAKER = r"^\s*(?:(?:\S{1,80}: ){1,2}|(?:error|fatal|warning|ERROR)[: ]\s*|\[\w{1,8}\]:? )*"
_COMPLAINT = re.compile(
    _SPEAKER
    + r"(?:(?:the )?(?:invalid|unknown|unrecogni[sz]ed|illegal|unsupported|bad|ambiguous|unexpected|undefined|incorrect|wrong)\b"
    r".{0,60}\b(?:option|argument|arg|flag|switch|parameter|command|subcommand|action|operation|usage|keyword|verb|object)\b"
    r"|(?:option|argument|flag|switch|command|parameter)s?\b.{0,60}\b(?:not (?:recogni[sz]ed|defined|known|found|supported|allowed|valid)|unknown|invalid|unrecogni[sz]ed|is ambiguous|requires?)\b"
    r"|flag provided but not defined|(?:a |an )?(?:missing|too (?:few|many)|not enough|no|expected|extra) .{0,40}(?:arguments?|operands?|parameters?|command|files?)\b.{0,30}$"
    r"|.{0,60}\bis (?:not|no) (?:an? )?(?:\w{1,20} )?(?:recogni[sz]ed|valid|known|option|command|argument|\w{1,20} command)\b"
    r"|cannot (?:open|access|stat|find|read) ['\"`‘]?-{1,2}\w)",
    re.I,
)
_UNKNOWN_WORD = re.compile(
    r"(?:unknown|invalid|unrecogni[sz]ed|no such|undefined|unsupported) (?:sub-?)?(?:command|action|verb|operation|object)\b"
    r"|is (?:not|no) (?:an? )?(?:\w{1,20} )?(?:sub-?)?command\b|command .{0,60}(?:unknown|not found|not recogni[sz]ed)",
    re.I,
)
_ADVICE = re.compile(r"^\s*(?:try|type|run|use|see)\b.{0,80}(?:help|usage|\(\d\)).{0,60}$", re.I)


def split_complaint(text: str) -> tuple[str, str]:
    """(complaint, what else was said). The complaint is empty when the program did not complain."""
    lines = text.splitlines()
    complaint: list[str] = []
    rest: list[str] = []
    for place, line in enumerate(lines):
        is_edge = place < MAX_HEAD or place >= len(lines) - MAX_HEAD
        if is_edge and len(line) < 300 and _COMPLAINT.match(line):
            complaint.append(line.strip())
        elif not (complaint and _ADVICE.match(line)):
            rest.append(line)
    if not complaint:
        return "", text
    return "\n".join(complaint), "\n".join(rest)


def denies_command(complaint: str) -> bool:
    """Whether a complaint is about the word itself: there is no such command."""
    return bool(_UNKNOWN_WORD.search(complaint))
