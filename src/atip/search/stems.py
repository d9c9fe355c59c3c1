"""Stems: `copies`, `copied` and `copying` → one form. Porter's algorithm, shortened for command words.

Stems are keys, never shown. Words with digits and very short ones stay as they are. Pure.
"""

from __future__ import annotations

import re

_VOWELS = frozenset("aeiouy")
_MEASURE = re.compile(r"[aeiouy]+[^aeiouy]+")
_DOUBLE = (
    ("ational", "ate"), ("tional", "tion"), ("ization", "ize"), ("isation", "ize"), ("fulness", "ful"),
    ("ousness", "ous"), ("iveness", "ive"), ("biliti", "ble"), ("ation", "ate"), ("ator", "ate"),
    ("aliti", "al"), ("iviti", "ive"), ("alism", "al"), ("enci", "ence"), ("anci", "ance"),
    ("izer", "ize"), ("iser", "ize"), ("ousli", "ous"), ("entli", "ent"), ("abli", "able"),
    ("alli", "al"), ("eli", "e"), ("logi", "log"),
)  # fmt: skip
_SINGLE = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_LAST = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "ise", "er", "al", "ic",
)  # fmt: skip
_KEPT = {
    "container": "container",
    "containers": "container",
    "created": "creat",
    "creation": "creat",
    "news": "news",
    "policies": "polici",
    "policy": "polici",
    "police": "police",
}
"""Words that the rules would throw together with others, or keep apart from their own family."""

MAX_KNOWN = 50_000
_known: dict[str, str] = dict(_KEPT)


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    known = _known.get(word)
    if known is None:
        known = _stem(word)
        if len(_known) < MAX_KNOWN:  # hostile text must not fill the memory
            _known[word] = known
    return known


def _stem(word: str) -> str:
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _inflection(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _DOUBLE), _SINGLE)
    return _tidy(_suffix(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2] not in "su" else word


def _inflection(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word[: -len(suffix)]
        if word.endswith(suffix) and len(rest) >= 2 and _has_vowel(rest):
            return _repaired(rest)
    return word


def _repaired(word: str) -> str:
    """Give back the `e` of `creat(ed)`, take the doubled letter of `stopp(ed)`."""
    if word.endswith(("at", "bl", "iz", "is")) and len(word) > 3:
        return word + "e"
    if len(word) > 2 and word[-1] == word[-2]:
        return word if word[-1] in "lsz" else word[:-1]
    short = len(word) >= 3 and word[-1] not in "aeiouwxy" and word[-2] in _VOWELS
    return word + "e" if short and word[-3] not in _VOWELS and _measure(word) == 1 else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, instead in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + instead if _measure(rest) > 0 else word
    return word


def _suffix(word: str) -> str:
    if word.endswith("ion") and len(word) > 4 and word[-4] in "st" and _measure(word[:-3]) > 1:
        return word[:-3]
    for suffix in _LAST:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest if _measure(rest) > 1 else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and len(word) > 4):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _measure(word: str) -> int:
    return len(_MEASURE.findall(word))


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word)
