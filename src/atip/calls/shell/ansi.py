"""`$'…'`: bash's escapes, decoded exactly or refused."""

from __future__ import annotations

from atip.calls.shell.cursor import refuse

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


def decode_ansi(text: str, at: int) -> tuple[str, int]:
    """The text from behind `$'` and the position behind the closing quote."""
    out: list[str] = []
    size = len(text)
    while True:
        if at >= size:
            refuse("a quote `$'` is never closed", at)
        char = text[at]
        if char == "'":
            return "".join(out), at + 1
        if char != "\\":
            out.append(char)
            at += 1
            continue
        if at + 1 >= size:
            refuse("a quote `$'` is never closed", at)
        decoded, at = _escape(text, at + 1)
        out.append(decoded)


def _escape(text: str, at: int) -> tuple[str, int]:
    letter = text[at]
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 1
    if letter in _HEX:
        return _number(text, at + 1, _HEX[letter], 16, wide=letter != "x")
    if letter in "01234567":
        return _number(text, at, 3, 8, wide=False)
    if letter == "c":
        refuse("a control character in `$'…'`", at)
    return "\\" + letter, at + 1


def _number(text: str, at: int, most: int, radix: int, *, wide: bool) -> tuple[str, int]:
    digits = "0123456789abcdefABCDEF" if radix == 16 else "01234567"
    stop = at
    while stop < len(text) and stop - at < most and text[stop] in digits:
        stop += 1
    if stop == at:
        refuse("an escape without digits in `$'…'`", at)
    code = int(text[at:stop], radix)
    # SECURITY: a NUL ends the word in bash, bytes above ASCII depend on the locale: neither is guessed.
    if code == 0 or (code > 127 and not wide) or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        refuse("a character in `$'…'` that cannot be known", at)
    return chr(code), stop
