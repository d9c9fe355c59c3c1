"""Stems: `copies`, `copied` and `copying` → one form. Porter's algorithm, shortened for command words.

Stems are keys, never shown. Words with digits and very short ones stay as they are. Pure.
"""

from __future__ import annotations

import re

_VOWELS = frozenset("aeiouy")
_MEASURE = re.compile(r"[aeiouy]+[^aeiouy]+")


def _by_ending(*rules: tuple[str, str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Rules by the last two letters of their suffix."""
    by_ending: dict[str, tuple[tuple[str, str], ...]] = {}
    for rule in rules:
        by_ending[rule[0][-2:]] = (*by_ending.get(rule[0][-2:], ()), rule)
    return by_ending


_DOUBLE = _by_ending(
    ("ational", "ate"), ("tional", "tion"), ("ization", "ize"), ("isation", "ize"), ("fulness", "ful"),
    ("ousness", "ous"), ("iveness", "ive"), ("biliti", "ble"), ("ation", "ate"), ("ator", "ate"),
    ("aliti", "al"), ("iviti", "ive"), ("alism", "al"), ("enci", "ence"), ("anci", "ance"),
    ("izer", "ize"), ("iser", "ize"), ("ousli", "ous"), ("entli", "ent"), ("abli", "able"),
    ("alli", "al"), ("eli", "e"), ("logi", "log"),
)  # fmt: skip
_SINGLE = _by_ending(
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_LAST = _by_ending(
    ("ement", ""), ("ance", ""), ("ence", ""), ("able", ""), ("ible", ""), ("ment", ""), ("ant", ""), ("ent", ""),
    ("ism", ""), ("ate", ""), ("iti", ""), ("ous", ""), ("ive", ""), ("ize", ""), ("ise", ""), ("er", ""),
    ("al", ""), ("ic", ""), ("ion", ""),
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
_STEPS = ((_DOUBLE, 0), (_SINGLE, 0), (_LAST, 1))
"""Rules, and the measure that the rest of a word must exceed."""
_ENDINGS = _DOUBLE.keys() | _SINGLE.keys() | _LAST.keys()
"""Most words end in none of these and are done."""


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    if word in _KEPT:
        return _KEPT[word]
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return word
    if word[-1] == "s":
        word = _singular(word)
    if word.endswith(("ed", "ing")):
        word = _infinitive(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    if word[-2:] in _ENDINGS:
        for rules, measure in _STEPS:
            word = _replaced(word, rules.get(word[-2:], ()), measure)
    return _tidy(word) if word[-1] in "el" else word


def _singular(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word if word[-2] in "su" else word[:-1]


def _infinitive(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    rest = word[:-2] if word.endswith("ed") else word[:-3]
    return _repaired(rest) if len(rest) >= 2 and _has_vowel(rest) else word


def _repaired(word: str) -> str:
    """Give back the `e` of `creat(ed)`, take the doubled letter of `stopp(ed)`."""
    if word.endswith(("at", "bl", "iz", "is")) and len(word) > 3:
        return word + "e"
    if len(word) > 2 and word[-1] == word[-2]:
        return word if word[-1] in "lsz" else word[:-1]
    short = len(word) >= 3 and word[-1] not in "aeiouwxy" and word[-2] in _VOWELS
    return word + "e" if short and word[-3] not in _VOWELS and _measure(word) == 1 else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...], measure: int) -> str:
    """With the first suffix that fits replaced, if enough of a word is left."""
    for suffix, instead in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if suffix == "ion" and rest[-1:] not in ("s", "t"):  # `version`, but not `union`
                return word
            return rest + instead if _measure(rest) > measure else word
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
