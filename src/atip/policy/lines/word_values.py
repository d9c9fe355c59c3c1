"""Values in one word of a line: what it may name besides itself."""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.calls.shell.line import ShellWord

_JOINED = LazyRegex(r"-[A-Za-z]+([/~.].+)")
_PREFIXED = LazyRegex(r"[A-Za-z][A-Za-z0-9+.-]*:([/~](?!/).*)")


def joined_values(text: str) -> list[str]:
    """Values that a word may hold besides itself: `--file=/x`, `-f/x`, `-rf../x`, `concat:/x`."""
    values = [text.rpartition("=")[2]] if "=" in text else []
    may_join = text[:1] == "-" and any(char in text for char in "/~.")
    may_prefix = ":/" in text.replace("://", "") or ":~" in text
    for pattern, is_likely in ((_JOINED, may_join), (_PREFIXED, may_prefix)):
        match = pattern.match(text) if is_likely else None
        if match is not None:
            values.append(match[1])
    return values


def filled_in(word: ShellWord) -> list[str]:
    """Texts that a word may expand to where the line itself holds them: `d=/proc/self; (cat $d/environ)`."""
    if word.text.count(UNKNOWN_TEXT) != 1 or word.text == UNKNOWN_TEXT:
        return []
    return [
        word.text.replace(UNKNOWN_TEXT, text)
        for origin in word.origins
        if origin.kind == "choice"
        for text in origin.texts
    ]
