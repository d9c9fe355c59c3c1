"""Poisoned text: what a reader cannot see, and sentences that talk to a model instead of describing.

Two detectors. `invisible` is exact: characters that hide, reorder or overwrite have no place in
metadata. `instructions` is a hint by wording: it adds up weak signals and is wrong both ways; a
well-written lie passes it. Nothing may rely on it: text from tools is shown as untrusted data, and
decisions never read it. Linear time: patterns have bounded gaps and texts a bounded length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.model.lint.signals import LANGUAGES, SIGNALS, TRIGGER
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TEXT = 20_000
"""Characters of one text that are searched for wording; invisible ones are searched everywhere."""
THRESHOLD = 4
"""Weight at which wording becomes a finding; a single weak signal is normal in honest help."""

_PLAIN = re.compile(r"[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*\Z")
_KINDS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0x0008, "control character"),
    (0x000B, 0x001A, "control character"),
    (0x001B, 0x001B, "terminal escape"),
    (0x001C, 0x001F, "control character"),
    (0x007F, 0x009A, "control character"),
    (0x009B, 0x009B, "terminal escape"),
    (0x009C, 0x009F, "control character"),
    (0x00AD, 0x00AD, "soft hyphen"),
    (0x034F, 0x034F, "invisible joiner"),
    (0x061C, 0x061C, "bidirectional control"),
    (0x115F, 0x1160, "invisible filler"),
    (0x17B4, 0x17B5, "invisible vowel"),
    (0x180B, 0x180F, "invisible separator"),
    (0x200B, 0x200D, "zero-width character"),
    (0x200E, 0x200F, "bidirectional control"),
    (0x2028, 0x2029, "line separator"),
    (0x202A, 0x202E, "bidirectional override"),
    (0x2060, 0x2064, "zero-width character"),
    (0x2065, 0x2065, "unassigned character"),
    (0x2066, 0x2069, "bidirectional override"),
    (0x206A, 0x206F, "deprecated control"),
    (0x3164, 0x3164, "invisible filler"),
    (0xD800, 0xDFFF, "lone surrogate"),
    (0xE000, 0xF8FF, "private-use character"),
    (0xFE00, 0xFE0F, "variation selector"),
    (0xFEFF, 0xFEFF, "zero-width character"),
    (0xFFA0, 0xFFA0, "invisible filler"),
    (0xFFF0, 0xFFFB, "annotation control"),
    (0xFFFE, 0xFFFF, "noncharacter"),
    (0x1BCA0, 0x1BCA3, "invisible control"),
    (0x1D173, 0x1D17A, "invisible control"),
    (0xE0000, 0xE007F, "tag character"),
    (0xE0080, 0xE00FF, "unassigned character"),
    (0xE0100, 0xE01EF, "variation selector"),
    (0xE01F0, 0xE0FFF, "unassigned character"),
    (0xF0000, 0x10FFFF, "private-use character"),
)
_JOINER_SCRIPTS = ((0x0600, 0x08FF), (0x0900, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x18AF))
"""Arabic, Indic, Tibetan, Burmese, Khmer, Mongolian: joiners are part of their spelling."""
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LOOKALIKES = re.compile(
    r"[A-Za-z]{2,64}[\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]{2}"
)
_UNIT = re.compile("[\u00b5\u03bc\u03a9\u2126\u03c0\u03c3\u03b1\u03b2\u0394\u00b0]")


class Mark(Value):
    """Something in a text that a person would not see as it is."""

    kind: str
    index: int
    character: str


class Wording(Value):
    """Signals found in a text and their weight together."""

    signals: tuple[str, ...] = ()
    weight: int = 0

    @property
    def is_suspect(self) -> bool:
        return self.weight >= THRESHOLD


def invisible(text: str) -> Iterator[Mark]:
    """Every character that hides, reorders or overwrites; honest emoji and ligatures are not."""
    if _PLAIN.match(text):
        return
    is_mixed = bool(_RIGHT_TO_LEFT.search(text))
    for index, character in enumerate(text):
        code = ord(character)
        if 0x20 <= code < 0x7F or character in "\t\n":
            continue
        kind = _kind(code)
        if kind and not _is_spelling(text, index, code, is_mixed):
            yield Mark(kind=kind, index=index, character=f"U+{code:04X}")


def visible(text: str) -> str:
    """The text without such characters: what `--fix` may write."""
    marks = {mark.index for mark in invisible(text)}
    return "".join(character for index, character in enumerate(text) if index not in marks)


def has_lookalikes(text: str) -> bool:
    """Greek or Cyrillic letters inside a Latin word: `pаypal` with a Cyrillic а."""
    return not text.isascii() and bool(_LOOKALIKES.search(_UNIT.sub("", text[:MAX_TEXT])))


def instructions(text: str) -> Wording:
    """Signals that a text gives orders to a model, and their weight."""
    text = text[:MAX_TEXT]
    if not text.isascii():
        # Hidden characters split words to evade a search; tag characters spell invisible words.
        text = _unhidden(text)
    lowered = text.lower()
    signals: list[str] = []
    weight = 0
    if TRIGGER.search(lowered):
        spaced = lowered.replace("_", " ").replace("\u00a0", " ")
        for name, worth, pattern in SIGNALS:
            if pattern.search(spaced):
                signals.append(name)
                weight += worth
    if not text.isascii():
        for name, worth, pattern in LANGUAGES:
            if pattern.search(lowered):
                signals.append(name)
                weight += worth
    return Wording(signals=tuple(signals), weight=weight)


def _kind(code: int) -> str:
    low, high = 0, len(_KINDS)
    while low < high:
        middle = (low + high) // 2
        first, last, kind = _KINDS[middle]
        if code < first:
            high = middle
        elif code > last:
            low = middle + 1
        else:
            return kind
    return ""


def _is_spelling(text: str, index: int, code: int, is_mixed: bool) -> bool:
    """Whether the character is part of how an emoji or a word of another script is written."""
    before = ord(text[index - 1]) if index else 0
    after = ord(text[index + 1]) if index + 1 < len(text) else 0
    if code in (0x200C, 0x200D):
        joins_emoji = code == 0x200D and _is_emoji(before) and _is_emoji(after)
        return joins_emoji or (_joins(before) and _joins(after))
    if 0xFE00 <= code <= 0xFE0F:
        return code >= 0xFE0E and (_is_emoji(before) or chr(before) in "0123456789#*")
    if 0xE0020 <= code <= 0xE007F:
        # Flags of regions: a black flag, a few tag letters, the cancel tag.
        start = text.rfind("\U0001f3f4", max(0, index - 8), index)
        end = text.find("\U000e007f", index, index + 8)
        return start >= 0 and end >= 0
    # Marks (not overrides) order punctuation between scripts; without right-to-left text they hide.
    return is_mixed and code in (0x061C, 0x200E, 0x200F)


def _is_emoji(code: int) -> bool:
    return (
        0x1F000 <= code <= 0x1FAFF
        or 0x2190 <= code <= 0x2BFF
        or code in (0xFE0F, 0x00A9, 0x00AE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D)
    )


def _joins(code: int) -> bool:
    return any(first <= code <= last for first, last in _JOINER_SCRIPTS)


def _unhidden(text: str) -> str:
    characters = []
    for character in text:
        code = ord(character)
        if 0xE0020 <= code <= 0xE007E:
            characters.append(chr(code - 0xE0000))
        elif not _kind(code):
            characters.append(character)
    return "".join(characters)
