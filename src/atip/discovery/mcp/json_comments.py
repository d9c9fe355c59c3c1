"""JSON with comments → JSON, for the few clients that write it. Linear, keeps line numbers.

Takes away `// …`, `/* … */` and a comma before a closing bracket, outside of strings. Judges nothing:
the strict reader follows.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"?'  # a string, closed or not
    r"|//[^\n]*"
    r"|/\*(?:[^*]|\*(?!/))*(?:\*/)?"
    r"|[^\"/]+|/",
    re.S,
)
_TRAILING = re.compile(r",(\s*[\]}])")


def without_comments(text: str) -> str:
    """The same document as plain JSON; every newline stays where it was."""
    parts: list[str] = []
    chunks: list[str] = []
    for token in _TOKEN.findall(text):
        if token.startswith('"'):
            parts += (_without_trailing_comma("".join(chunks)), token)
            chunks = []
        elif token.startswith(("//", "/*")):
            chunks.append("\n" * token.count("\n") or " ")
        else:
            chunks.append(token)
    return "".join([*parts, _without_trailing_comma("".join(chunks))])


def _without_trailing_comma(text: str) -> str:
    """Text between two strings, without the comma that ends an array or an object."""
    return _TRAILING.sub(r"\1", text)
