"""Text from outside, made visible: nothing in it can move a cursor, hide words or reorder them. Pure."""

from __future__ import annotations

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def clean(text: str, *, newlines: bool = False) -> str:
    """Text from outside without anything that could move the cursor, hide or reorder words.

    # SECURITY: escape, control, bidi, zero-width, tag and private-use characters become visible
    marks, so that a description cannot forge what the user reads.
    """
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    category = unicodedata.category
    return "".join(_clean_character(character, newlines, category(character)) for character in text)


def _clean_character(character: str, newlines: bool, category: str) -> str:
    if character == "\n":
        return "\n" if newlines else " "
    if character == "\t":
        return " "
    if category in _HIDDEN:
        return f"\\u{{{ord(character):x}}}"
    return character
