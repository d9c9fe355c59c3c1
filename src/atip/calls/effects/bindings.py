"""Bindings of `fzf --bind`: which shell lines the actions of a value run.

    KEY:ACTION[+ACTION…][,KEY:ACTION…]     ACTION: `name`, `name(argument)` with any pair of brackets, or `name:argument` to the end

Actions that only move, select or print are a closed list; what is not on one of the lists here is unknown code. Pure.
"""

from __future__ import annotations

from atip.calls.invocation import Inner
from atip.model.text.regex import LazyRegex

_RUN = frozenset(
    """execute execute-silent become reload reload-sync preview change-preview transform-header transform-footer transform-label transform-query
    transform-prompt transform-border-label transform-preview-label transform-input-label transform-list-label transform-header-label
    transform-ghost transform-pointer transform-nth transform-search""".split()  # noqa: SIM905
)
"""Actions that run their argument and take its output, if at all, as text. `transform` alone takes it for further actions: unknown."""
_MOVES = LazyRegex(
    r"(?:abort|accept|accept-non-empty|accept-or-print-query|backward-char|backward-delete-char|backward-kill-word|backward-word|beginning-of-line|bell|"
    r"cancel|clear-screen|clear-multi|clear-query|clear-selection|close|delete-char|deselect|deselect-all|down|down-match|up-match|enable-search|disable-search|"
    r"end-of-line|exclude|first|last|best|forward-char|forward-word|half-page-(?:up|down)|hide-[a-z]+|show-[a-z]+|ignore|jump|jump-accept|kill-line|kill-word|"
    r"next-history|previous-history|next-selected|prev-selected|page-(?:up|down)|preview-(?:up|down|top|bottom|page-up|page-down|half-page-up|half-page-down)|"
    r"refresh-preview|replace-query|select|select-all|offset-(?:up|down|middle)|toggle(?:-[a-z-]+)?|track-current|untrack-current|unix-line-discard|"
    r"unix-word-rubout|up|yank|print-query)"
)
_TEXT = LazyRegex(
    r"(?:put|pos|print|search|change-(?:prompt|query|header|footer|border-label|preview-label|preview-window|pointer|ghost|nth|multi|input-label|list-label|header-label)|"
    r"rebind|unbind|toggle-bind|toggle-preview)"
)
_NAME = LazyRegex(r"[a-z][a-z-]*")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SAME = "~!@#$%^&*;/|"
_PLAIN = LazyRegex(r"[A-Za-z0-9 ._=-]*")
"""SECURITY: text in which no further action can hide."""
_KEY = LazyRegex(r"[A-Za-z0-9-]+[^A-Za-z0-9\s]?|.")


def inner_of_bindings(value: str, flag: str) -> list[Inner]:
    """The lines that a value runs; one of kind `code` where it cannot be determined."""
    lines: list[Inner] = []
    rest = value
    while rest:
        key, colon, rest = rest.partition(":")
        if not colon or not _KEY.fullmatch(key):
            return [Inner(kind="code", text=value, via=flag)]
        more = "+"
        while more == "+":
            name = _NAME.match(rest)
            if name is None:
                return [Inner(kind="code", text=value, via=flag)]
            argument, after = _argument(rest[name.end() :])
            if argument is None:
                if not _MOVES.fullmatch(name[0]):
                    return [Inner(kind="code", text=value, via=flag)]
            elif name[0] in _RUN:
                lines.append(Inner(kind="shell", text=argument, via=flag))
            elif not _TEXT.fullmatch(name[0]) or not _PLAIN.fullmatch(argument):
                return [Inner(kind="code", text=value, via=flag)]
            more, rest = after[:1], after[1:]
        if more not in ("", ","):
            return [Inner(kind="code", text=value, via=flag)]
    return lines


def _argument(rest: str) -> tuple[str | None, str]:
    """(the argument of an action, what follows); None: it has none."""
    first = rest[:1]
    if first == ":":
        return rest[1:], ""
    closing = _PAIRS.get(first, first if first and first in _SAME else "")
    if not closing:
        return None, rest
    # SECURITY: to the last bracket that may end it; a line that is read too long is judged as a whole
    end = max(rest.rfind(closing + "+"), rest.rfind(closing + ","))
    if rest.endswith(closing):
        end = max(end, len(rest) - 1)
    return (rest[1:], "") if end < 1 else (rest[1:end], rest[end + 1 :])
