"""Rules: `when` conditions of curated knowledge, decided for one invocation.

Three-valued: a condition on a word whose text the shell only makes later (`UNKNOWN_TEXT`) is
undecided. Regular expressions come from the pack only, were checked for linear time when it was
compiled, and run on the ordinary engine for short words (RE2 costs the guard an import).
"""

from __future__ import annotations

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT
from atip.model.text.regex import LazyRegex, compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from atip.calls.invocation import Invocation

_SHORT = 2_000
_compiled: dict[str, LazyRegex] = {}


_SPECIAL = frozenset(".^$*+?{}[]\\|()")


def text_matches(pattern: str, text: str) -> bool:
    """Whether a pattern of the pack occurs in a word."""
    if is_ruled_out(pattern, text):
        return False
    if len(text) > _SHORT:
        return compile_regex(pattern).matches(text)
    compiled = _compiled.get(pattern)
    if compiled is None:
        compiled = _compiled[pattern] = LazyRegex(pattern)
    return compiled.search(text) is not None


def is_ruled_out(pattern: str, text: str) -> bool:
    """Whether the text lacks what every match begins with, so that the guard starts without `re`."""
    bare = pattern.removeprefix("(?i)")
    if bare != pattern:
        if not text.isascii():
            return False  # other letters fold to ASCII too
        text = text.lower()
    lead = _lead(bare.removeprefix("^"))
    lead = lead.lower() if bare != pattern else lead
    return not text.startswith(lead) if bare[:1] == "^" else lead not in text


def _lead(pattern: str) -> str:
    """The text that every match of a pattern begins with; empty if that is not obvious."""
    lead, at = "", 0
    while at < len(pattern):
        escaped = pattern[at] == "\\" and not pattern[at + 1 : at + 2].isalnum()
        if pattern[at] in _SPECIAL and not escaped:
            break
        lead += pattern[at + escaped : at + escaped + 1]
        at += 1 + escaped
    if pattern[at : at + 1] in ("*", "?", "{"):
        lead = lead[:-1]
    return lead if _is_one(pattern[at:]) else ""


def _is_one(rest: str) -> bool:
    """Whether a pattern has no choice outside of groups; anything unusual counts as one."""
    depth = at = 0
    while at < len(rest):
        char = rest[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = rest.find("]", at + 2)
            if at < 0:
                return False
        depth += (char == "(") - (char == ")")
        if char == "|" and depth <= 0:
            return False
        at += 1
    return True


def holds(rule: Mapping[str, Any], call: Invocation) -> bool | None:
    """True, False, or None where it depends on text that is not known yet."""
    if not _flags_hold(rule, call):
        return False
    answers = [_number_holds(rule, call)]
    words = call.arguments
    if "argument" in rule:
        answers.append(_any(rule["argument"], words))
    if "first" in rule:
        answers.append(_any(rule["first"], words[:1]))
    if "last" in rule:
        answers.append(_any(rule["last"], words[-1:]))
    if "every" in rule:
        answers.append(_every(rule["every"], words))
    if "option" in rule:
        values = _both_readings(call.values_of(rule["option"]))
        answers.append(_any(rule["value"], values) if "value" in rule else bool(values))
    if False in answers:
        return False
    return None if None in answers else True


def is_partial(rule: Mapping[str, Any], call: Invocation) -> bool:
    """Whether an option is repeated and only some of its values match the rule: `of=/dev/null of=x`."""
    if "option" not in rule or "value" not in rule:
        return False
    values = call.values_of(rule["option"])
    return len(values) > 1 and not all(
        _any(rule["value"], _both_readings((value,))) is True for value in values
    )


def _both_readings(values: tuple[str, ...]) -> tuple[str, ...]:
    """`-X=DELETE`: getopt takes the value `=DELETE`, cobra and clap take `DELETE`; either may be meant."""
    return values + tuple(value[1:] for value in values if value.startswith("="))


def _flags_hold(rule: Mapping[str, Any], call: Invocation) -> bool:
    if "with" in rule and not call.given(rule["with"]):
        return False
    if "all" in rule and not all(call.given([flag]) for flag in rule["all"]):
        return False
    return not ("without" in rule and call.given(rule["without"]))


def _number_holds(rule: Mapping[str, Any], call: Invocation) -> bool | None:
    if "arguments" not in rule:
        return True
    low, high = rule["arguments"]
    if ANY_WORDS in call.arguments:
        # it may become more, never fewer than those that are there already
        return False if len(call.arguments) - 1 > high else None
    return bool(low <= len(call.arguments) <= high)


def _any(pattern: str, words: Iterable[str]) -> bool | None:
    undecided: bool | None = False
    for word in words:
        if UNKNOWN_TEXT in word or word == "{}":
            # `{}` is where find, xargs and parallel put a name
            undecided = None
            word = word.replace(UNKNOWN_TEXT, "")
            if not word:
                continue
        if text_matches(pattern, word):
            return True
    return undecided


def _every(pattern: str, words: tuple[str, ...]) -> bool | None:
    if any(UNKNOWN_TEXT in word for word in words):
        return None
    return bool(words) and all(text_matches(pattern, word) for word in words)
