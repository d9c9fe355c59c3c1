"""Patterns: where the usage lines of a page are, one text per pattern.

Joins what was wrapped and drops the explanations some programs print next to a pattern. Reading
the patterns is done in `usage.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.page import Line

_LABEL = re.compile(
    r"(?:usage|synopsis|syntax|use|uso|gebrauch|verwendung|aufruf|utilisation)\s{0,4}(:|$)", re.I
)
_OR = re.compile(r"(?:or|oder|ou)\s{0,4}:\s{0,8}", re.I)
MAX_PATTERNS = 400
MAX_PATTERN = 40_000


class UsagePattern:
    """One usage pattern and the lines it was read from."""

    __slots__ = ("explanation", "first", "last", "parts", "size")

    def __init__(self, text: str, number: int) -> None:
        self.parts = [text]
        self.size = len(text)
        self.first = self.last = number
        self.explanation = ""
        """The line below a form without a label; empty for the others."""

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())

    def extend(self, text: str, number: int) -> None:
        if self.size < MAX_PATTERN:
            self.parts.append(text)
            self.size += len(text)
        self.last = number


def find_usage(lines: Sequence[Line], tool: str) -> tuple[list[UsagePattern], list[Line]]:
    """The patterns, and all lines that are not part of them."""
    for index, line in enumerate(lines):
        match = _LABEL.match(line.text) if len(line.text) < 20_000 else None
        if match is None or line.cells is not None or line.text.startswith(("Use the", "use the")):
            continue
        rest = line.text[match.end() :].strip()
        patterns, end = _block(lines, index, rest, tool)
        if patterns:
            rest_of_page = [*lines[:index], *lines[end:]]
            if len(patterns) == 1 and _ONLY_OPTIONS.fullmatch(patterns[0].text):
                # argp prints this form; the author's own stands below: `USAGE: biopattern [-T] [interval] [count]`.
                patterns += _own_forms(lines[end:], _program(patterns[0].text))
            return [*patterns, *_forms_below(lines, end, patterns)], rest_of_page
    forms, others = _unlabeled_forms(lines, tool)
    if forms:
        return forms, others
    for index, line in enumerate(lines[:12]):
        if _is_bare_usage(line, tool):
            pattern = UsagePattern(line.text.removeprefix("$ "), line.number)
            return [pattern], [*lines[:index], *lines[index + 1 :]]
    return [], list(lines)


_COMMAND = re.compile(r"[a-z][a-z0-9-]{1,30}")
_ALIASES = re.compile(r" \(alias(?:es)? [^()]{1,80}\)")


def _unlabeled_forms(lines: Sequence[Line], tool: str) -> tuple[list[UsagePattern], list[Line]]:
    """`jfr print [--xml] <file>`, `jfr summary <file>` and so on, one below the other without a label; and the other lines."""
    forms: list[UsagePattern] = []
    others: list[Line] = []
    names: set[str] = set()
    indent, is_inside = -1, False
    for line in lines:
        words = line.text.split(" ", 2)
        is_form = len(words) > 1 and words[0] == tool and _COMMAND.fullmatch(words[1]) is not None
        if is_form and line.indent == (indent if forms else line.indent) and "  " not in line.text:
            forms.append(UsagePattern(_ALIASES.sub("", line.text), line.number))
            names.add(words[1])
            indent, is_inside = line.indent, True
        elif is_inside and line.indent > indent and line.text[0] in "[<{(" and not line.after_blank:
            forms[-1].extend(line.text, line.number)
        else:
            if is_inside and line.indent > indent and not line.after_blank:
                forms[-1].explanation = line.text
            others.append(line)
            is_inside = False
    return (forms, others) if len(names) >= _FEW and _are_forms(forms) else ([], [])


_ONLY_OPTIONS = re.compile(r"\S+ \[OPTIONS?(?:\.\.\.|\u2026)?\]")


def _own_forms(lines: Sequence[Line], program: str) -> list[UsagePattern]:
    for index, line in enumerate(lines[:40]):
        match = _LABEL.match(line.text) if len(line.text) < 2_000 else None
        rest = line.text[match.end() :].strip() if match is not None else ""
        if rest and _program(rest) == program:
            return _block(lines, index, rest, program)[0]
    return []


def _is_bare_usage(line: Line, tool: str) -> bool:
    """`systemctl [OPTIONS...] COMMAND ...` without a label."""
    text = line.text.removeprefix("$ ")
    words = text.split()[:6]
    if not tool or not words or line.cells is not None:
        return False
    names = (words[0], "-".join(words[:2]), " ".join(words[:2]))
    if tool not in names or "  " in text or text.endswith((".", ":")):
        return False
    rest = text[len(words[0]) :].strip()
    if rest.startswith("- "):
        return False  # `name - purpose`
    if rest.isupper() and len(rest.split()) < 5:
        return True
    return rest[:1] in ("[", "<", "{", "-") or " [" in rest or " <" in rest or rest.endswith("...")


def _block(
    lines: Sequence[Line], index: int, rest: str, tool: str
) -> tuple[list[UsagePattern], int]:
    head = lines[index]
    column = head.raw.find(rest) if rest else -1
    patterns = [UsagePattern(_strip_comment(rest), head.number)] if rest else []
    at = index + 1
    base = column if rest else -1
    if not rest and at < len(lines) and set(lines[at].text) <= {"=", "-"}:
        at += 1
    program = _program(rest)
    while at < len(lines) and len(patterns) < MAX_PATTERNS:
        line = lines[at]
        if line.cells is not None or line.title:
            break
        text = line.text
        either = _OR.match(text)
        if either is not None and patterns:
            patterns.append(UsagePattern(_strip_comment(text[either.end() :]), line.number))
        elif not patterns:
            if line.indent < head.indent or text[0] == "-" or text.endswith(":"):
                break
            following = lines[at + 1].text if at + 1 < len(lines) else ""
            if tool and _program(text) != tool and _program(following) == tool:
                at += 1  # a heading within the synopsis
                continue
            program, base = _program(text), line.indent
            patterns.append(UsagePattern(_strip_comment(text), line.number))
        elif patterns and text.startswith("or ") and _program(text[3:].lstrip()) == program:
            patterns.append(UsagePattern(_strip_comment(text[3:].lstrip()), line.number))
        elif _program(text) == program and _may_start(line, head, base, bool(rest)):
            patterns.append(UsagePattern(_strip_comment(text), line.number))
        elif _continues(line, head, base, bool(rest)):
            patterns[-1].extend(_strip_comment(text), line.number)
        elif _DEFINES.match(text) and (after := _behind_definitions(lines, at, program)):
            at = after
            continue
        else:
            break
        at += 1
    return patterns, at


_FEW = 3
"""Forms that make a list; fewer may be examples in a text."""


def _forms_below(
    lines: Sequence[Line], at: int, patterns: list[UsagePattern]
) -> list[UsagePattern]:
    """`git bisect start [<bad> [<good>...]]` and its like, one below the other, where the usage names only `<subcommand>`."""
    words = patterns[0].text.split()
    start = next((n for n, word in enumerate(words) if not word.replace("-", "").isalnum()), 0)
    if len(patterns) > 1 or start < 2 or len(words) > start + 2:
        return []
    prefix = " ".join(words[:start]) + " "
    forms: list[UsagePattern] = []
    indent = -1
    for line in lines[at:]:
        if line.text.startswith(prefix) and line.indent == (indent if forms else line.indent):
            forms.append(UsagePattern(_strip_comment(line.text), line.number))
            indent = line.indent
        elif forms and line.indent > indent and not line.after_blank:
            if line.text[0] in "[<{(":
                forms[-1].extend(line.text, line.number)
        elif len(forms) >= _FEW:
            break
        else:
            forms = []
    return forms if len(forms) >= _FEW and _are_forms(forms) else []


def _are_forms(forms: Sequence[UsagePattern]) -> bool:
    """Whether lines are forms of a call: examples have values where forms have placeholders."""
    return 2 * sum(any(char in "[<(" for char in form.text) for form in forms) >= len(forms)


_DEFINES = re.compile(r"[A-Z][A-Z_-]{1,30} ?:= ")
MAX_DEFINITIONS = 60


def _behind_definitions(lines: Sequence[Line], at: int, program: str) -> int:
    """Index of the line that continues the patterns behind `NETNSID := auto | POSITIVE-INT`; 0 if none does."""
    indent = lines[at].indent
    for place in range(at + 1, min(len(lines), at + MAX_DEFINITIONS)):
        line = lines[place]
        if line.title or line.cells is not None or line.indent < indent:
            return 0
        if _program(line.text) == program:
            return place
        if line.after_blank and not _DEFINES.match(line.text):
            return 0
    return 0


def _program(text: str) -> str:
    words = text.lstrip("$% ").split(" ", 1)
    return words[0].rstrip(":") if words else ""


def _may_start(line: Line, head: Line, base: int, inline: bool) -> bool:
    """Another pattern of the same program: at the first one's column, or nearly."""
    if line.after_blank and inline:
        return line.indent >= base
    return line.indent >= (head.indent if not inline else min(base, head.indent + 2)) or (
        not line.after_blank
    )


def _continues(line: Line, head: Line, base: int, inline: bool) -> bool:
    text = line.text
    if line.after_blank:
        return False
    if text[0] == "-" and ("  " in text or line.indent < base) and text[:3] != "-- ":
        return False
    if text.endswith(":") and " " in text and text[0] not in "[<{(":
        return False
    if inline:
        if line.indent <= head.indent:
            return text[0] in "[<{" and text[-1] in "]>}."
        return line.indent >= base - 1 or text[0] in "[<{(|" or text.startswith("...")
    is_glued = any(
        one in text for one in ("[ ", "{ ", " ]", " }")
    )  # `type TYPE [ ARGS ]` below `ip link add …`
    return line.indent > base or (line.indent == base and (text[0] in "[<{(|" or is_glued))


def _strip_comment(text: str) -> str:
    """Explanations right of a pattern (`prog -d <x>      delete entry`) are not part of it."""
    at = text.find("   ")
    while at > 0:
        rest = text[at:].lstrip()
        if rest and rest[0] not in "[<{(-|." and not rest.isupper():
            words = rest.split()
            if (len(words) > 2 and not any(char in rest for char in "[{|")) or rest[0] in "#<;":
                return text[:at]
        at = text.find("   ", at + 3 + (len(text[at + 3 :]) - len(text[at + 3 :].lstrip())))
    gap = text.rfind("  ")
    if gap > 0 and len(text[gap:].split()) > 3 and text[gap:].replace(" ", "").isalpha():
        text = text[:gap].rstrip()  # `-q [errorfile]  edit file with first error`
    cut = text.find("  <-")
    if cut > 0:
        text = text[:cut]
    dash = text.find("] - ")
    return text[: dash + 1] if dash > 0 and text[dash + 4 : dash + 5].islower() else text


_OBJECT = re.compile(r"\b([A-Z][A-Z_-]{2,20})\s*:=\s*\{([^{}]{3,2000})\}")


def find_objects(text: str, patterns: Sequence[UsagePattern]) -> tuple[str, tuple[str, ...]]:
    """`ip OBJECT { COMMAND | help }`, `OBJECT := { address | link … }`: (the name, what may stand for it)."""
    for name, values in _OBJECT.findall(text[:20_000]):
        words = [value.strip() for value in values.split("|")]
        stands = any(f" {name} {{ COMMAND" in pattern.text for pattern in patterns)
        if (
            stands
            and len(words) > 2
            and all(re.fullmatch(r"[a-z][a-z0-9-]*", one) for one in words)
        ):
            return name, tuple(word for word in words if word != "help")
    return "", ()


def split_forms(text: str) -> list[str]:
    """`apt-mark {hold | unhold} pkg... | {showhold | showinstall} [pkg...]`: two forms of a call in one pattern."""
    program, _, rest = text.partition(" ")
    if not rest.startswith("{") or "| {" not in rest:
        return [text]
    forms, depth, start = [], 0, 0
    for place, char in enumerate(rest):
        depth += (char in "{[(") - (char in "}])")
        if char == "|" and depth == 0 and rest.startswith("| {", place):
            forms.append(f"{program} {rest[start:place].strip()}")
            start = place + 2
    return [*forms, f"{program} {rest[start:].strip()}"]


def own_patterns(patterns: list[UsagePattern], words: tuple[str, ...]) -> list[UsagePattern]:
    """Without the usage of other commands that a text shows beside its own (`git log`: `or: git show`)."""
    start = f"{' '.join(words)} "
    own = [pattern for pattern in patterns if f"{pattern.text} ".startswith(start)]
    if len(words) < 2 or not own:
        return patterns
    beside = re.compile(
        rf"{re.escape(' '.join(words[:-1]))} (?!{re.escape(words[-1])}\b)[a-z][a-z-]+(?: |$)"
    )
    return [pattern for pattern in patterns if not beside.match(pattern.text)]
