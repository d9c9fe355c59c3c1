"""Guesses: whether an option takes a value where its term does not show one, from the words that explain it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.values.stated_values import announced_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.drafts import OptionDraft

_THINGS = (
    r"(?:path|location|directory|file|files|name|number|maximum|minimum|size|id|uuid|url|uri|port|host"
    r"|address|type|format|level|list|delay|timeout|interval|filename|password|user|group|value"
    r"|identification|seconds|prefix|suffix|pattern|encoding|arguments?|args?|opts|options|tag|plugins)"
)
_SUGGESTS = (
    re.compile(
        rf"(?:\S+ ){{0,3}}{_THINGS}(?= (?:of|to|for|in|where|used|that|which|containing|on|from)\b)",
        re.I,
    ),
    re.compile(rf"(?:[a-z]+ ){{0,2}}{_THINGS}[.;]?(?:$| \()", re.I),
    re.compile(r"sets? (?:the|a|an) |specif(?:y|ies) |select an? ", re.I),
)
_SPECIFIED = re.compile(
    r"\b(?:specified|given) (?:\w{1,20} )?(?:timeout|file|directory|size|name|path|value|number)\b",
    re.I,
)
_WITH_GIVEN = re.compile(r"\bwith (?:the |a )?(?:given|specified) (?!options?\b)\w", re.I)
_UNITS = re.compile(
    r"\bin (?:milli|micro)?(?:seconds|minutes|hours|days|ms|pixels|bytes|percent|kb|mb|kib|mib)\b[.)]{0,2}(?:$| \()",
    re.I,
)
_AMOUNT = re.compile(
    r"(?:the |an? )?(?:(?:number|amount|(?:maximum|minimum|max|min)(?: \w{1,20})?|size|width|height|length) of\b"
    r"|path to\b|(?:maximum|minimum) (?:\w{1,20} ){1,3}\w{1,20}[.;(]?|(?:milli)?seconds (?:between|before|to|until|after)\b)",
    re.I,
)
"""Phrases that only a value has: `Number of threads`, `the maximum age`, `Seconds between updates`."""

_ACTS = re.compile(
    r"(?:display(?! (?:to|of|name))|print|show|list(?! of)|give|output(?! (?:file|dir|format))|use|enable|disable|do|don't|write"
    r"|allow|ignore|keep|run|remove|add|create|force|skip|make|include|exclude|number(?! of)|sort|count(?! of)|report|omit)\b",
    re.I,
)
_FOR_USE = re.compile(
    r"(?:\w[\w-]* ){1,4}to (?:use|connect|listen|attach|load|open|read|store|bind|spawn)\b", re.I
)
_FOLLOWS_NAME = re.compile(r"(?:of|in|for|at|where|used|from|on)\b", re.I)


def suggests_value(text: str, flags: Sequence[str] = ()) -> bool:
    """An explanation that names a thing (`Path to …`, `specify …`) instead of an action.

    A thing is also what bears the name of the option itself: `--width  Width of the window`.
    """
    text = text[:160]
    if names_amount(text) or _WITH_GIVEN.search(text):
        return True
    if _ACTS.match(text):
        return False
    return (
        any(pattern.match(text) for pattern in (*_SUGGESTS, _FOR_USE))
        or bool(_SPECIFIED.search(text))
        or any(_is_own_name(text, flag.lstrip("-")) for flag in flags if flag.startswith("--"))
    )


def names_amount(text: str) -> bool:
    """An explanation that no switch has, whatever the rest of the page shows."""
    text = text[:160]
    return bool(_AMOUNT.match(text)) or (not _ACTS.match(text) and bool(_UNITS.search(text)))


def _is_own_name(text: str, name: str) -> bool:
    word = name.rsplit("-", 1)[-1]
    start = text[: len(word) + 1].lower()
    return len(word) > 2 and start == f"{word} " and bool(_FOLLOWS_NAME.match(text, len(word) + 1))


def guess_values(drafts: Sequence[OptionDraft]) -> None:
    """Mark options whose explanation suggests a value, for tools that hardly ever show placeholders.

    GOption and getopt programs often print `--name   Container name`. The guess is made only if
    at most a tenth of the options show a placeholder, and it is marked as one. GOption prints each option with or
    without, as its author wrote it: there an explanation that no switch has counts on every page.
    """
    placeholders = sum(bool(draft.raw) or draft.optional_value for draft in drafts)
    is_goption = any(draft.text == "Show help options" for draft in drafts)
    is_mixed = placeholders * 10 > len(drafts)
    if (len(drafts) < 4 or is_mixed) and not is_goption:
        return
    for draft in drafts:
        if draft.value is None and (
            names_amount(draft.text)
            if is_mixed
            else suggests_value(draft.text, draft.flags) or _states_value(draft.text)
        ):
            draft.value, draft.guessed = "", True


_NOTED_DEFAULT = re.compile(
    r"[\[(]defaults?(?: to| is)?[:=]? [\"']?([\w./:+-]{1,60})[\"']?[\])]", re.I
)
_SWITCH_STATES = frozenset(("true", "false", "yes", "no", "on", "off", "none", "not", "unset"))


def _states_value(text: str) -> bool:
    """Whether an explanation lists values, or names a default that no switch has: `(default: 85)`."""
    default = _NOTED_DEFAULT.search(text[-200:])
    return announced_values(text) is not None or (
        default is not None and default[1].lower() not in _SWITCH_STATES
    )
