"""Sections: which lines belong under which heading, and what the heading promises.

A heading is found by how it stands (title of a box, underlined, capitals, a colon, or a line that
is indented less than the definitions under it), never by its exact words; the words only decide
the kind. Lines before the first heading form a section without title.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.page import Line

OPTIONS, COMMANDS, ARGUMENTS, USAGE = "options", "commands", "arguments", "usage"
EXAMPLES, ASIDE, OTHER = "examples", "aside", "other"

_LISTS = (OPTIONS, COMMANDS, ARGUMENTS)
_RULE_CHARS = frozenset("=-~^*_#\u2500\u2501\u2550 ")
_USAGE = re.compile(
    r"(?:usage|synopsis|syntax|use|uso|gebrauch|verwendung|aufruf|utilisation)\b", re.I
)
_ASIDE = frozenset(
    (
        "see also", "author", "authors", "copyright", "bugs", "known bugs", "reporting bugs",
        "files", "exit status", "exit codes", "exit code", "return value", "return codes",
        "environment", "environment variables", "license", "history", "learn more", "standards",
        "conforming to", "version", "diagnostics", "caveats", "resources", "colophon", "topics",
        "acknowledgments", "acknowledgements", "availability", "signals", "thanks",
    )
)  # fmt: skip
_COMMANDS = re.compile(
    r"\b(?:sub-?)?commands?\b(?![ -]lines?\b)|\bactions?\b|\bverbs?\b|\bsubcommand|\bapplets\b|\bbefehle\b"
    r"|\bcommandes\b|\bcomandos\b|\bcomandi\b|命令|コマンド|команды",
    re.I,
)
_OPTIONS = re.compile(
    r"\boptions?\b|\bflags?\b|\bswitches\b|\boptional arguments\b|\boptionen\b|\bopciones\b"
    r"|\bopzioni\b|\bopções\b|选项|オプション|опции|параметры",
    re.I,
)
_ARGUMENTS = re.compile(
    r"\barguments?\b|\bpositionals?\b|\boperands?\b|\bparameters?\b|\bargumente\b", re.I
)


_NAMES_LIST = re.compile(
    r"(?:(?:available|global|general|other|common|main|all) )?(?:(?:sub-?)?commands|options|flags|arguments|positionals)",
    re.I,
)
"""A heading that says only what is listed needs no colon: `Commands`, `Available Commands`."""


_ANGLES = re.compile(r"<(?:Commands|Options|Switches|Arguments)>")
"""A heading of 7-Zip."""
_REMARK = re.compile(r" [\u2013\u2014] ")
"""Between a heading and a remark on it: `COMMANDS \u2014 Type 'boat help <command>' for more`."""


class Section:
    """A heading and the lines up to the next one."""

    __slots__ = ("boxed", "heading", "kind", "level", "lines", "title")

    def __init__(self, title: str, kind: str, heading: Line | None, *, level: int) -> None:
        self.title = title
        self.kind = kind
        self.heading = heading
        self.level = level
        self.boxed = heading is not None and heading.title
        self.lines: list[Line] = []


def split_sections(
    lines: Sequence[Line], own: frozenset[str] = frozenset(), *, manual: bool = False
) -> list[Section]:
    """Every line in exactly one section, in order; underlines of headings are dropped.

    `own` are the words of the program itself: `git lfs fetch:` in a list of commands is a row.
    """
    current = Section("", OTHER, None, level=-1)
    sections = [current]
    skip = False
    floor = 10_000  # indent of the definitions of the current section
    for index, line in enumerate(lines):
        if skip:
            skip = False
            continue
        below = lines[index + 1] if index + 1 < len(lines) else None
        above = lines[index - 1] if index else None
        underlined = below is not None and is_rule(below) and not is_rule(line)
        leaves = current.lines and current.lines[-1].cells is not None
        if current.boxed and leaves and line.cells is None and not line.title:
            current = Section("", OTHER, None, level=-1)
            sections.append(current)
        # Manual pages set their text at column 5 or 7 and subsections at 2 or 3.
        part = manual and 0 < line.indent < 4 and line.after_blank and line.text[0].isalpha()
        stands_out = part or underlined or _is_heading(line, above, below, current, floor)
        if stands_out and not _is_content(line, current, own, manual=manual):
            title = line.text.strip("<>=-#*\u2500\u2501\u2550 ").rstrip(": ")
            current = Section(title, _kind(title, line, current), line, level=line.indent)
            sections.append(current)
            skip, floor = underlined, 10_000
        elif not is_rule(line):
            current.lines.append(line)
            if line.text[0] == "-" and line.indent < floor:
                floor = line.indent
    if any(section.title == "COMMANDS" for section in sections):
        for section in sections:
            if section.title == "TOPICS":  # oclif: commands that have commands
                section.kind = COMMANDS
    return sections


def _is_content(line: Line, current: Section, own: frozenset[str], *, manual: bool) -> bool:
    """Whether a line that looks like a heading is a row of a list of commands, or text of a manual page."""
    is_row = current.kind == COMMANDS and line.text.split(" ", 1)[0].lower() in own
    if is_row and _kind_of_words(line.text) == OTHER:
        return True
    return manual and line.indent > 3 and _kind_of_words(line.text) not in _LISTS


def is_rule(line: Line) -> bool:
    """A line drawn of `=` or `-`."""
    text = line.text
    return len(text) >= 3 and text[0] in _RULE_CHARS and len(set(text)) == 1


def _is_heading(
    line: Line, above: Line | None, below: Line | None, current: Section, floor: int
) -> bool:
    text = line.text
    if line.title:
        return True
    if line.cells is not None or len(text) > 120:
        return False
    if text.startswith(("==", "##", "---")) or (text.startswith("-- ") and text.endswith(" --")):
        return any(char.isalpha() for char in text)
    if _ANGLES.fullmatch(text):
        return below is not None and below.indent > line.indent
    if text[0] in "-[<{(|+$%>`'\"*" or line.indent > floor or "   " in text.rstrip(":"):
        return False
    if _starts_usage(text):
        return False
    if text.endswith(":"):
        return _is_colon_heading(line, above, below, current)
    if _is_capitals(line, below, current):
        return True
    return _is_plain_heading(line, above, below, current)


def _is_colon_heading(line: Line, above: Line | None, below: Line | None, current: Section) -> bool:
    text = line.text
    if below is None or len(text.split()) > 14:
        return False
    is_joined = above is not None and not line.after_blank and above.indent == line.indent
    if (
        is_joined
        and current.lines
        and current.lines[-1] is above
        and not _is_row(current.lines[-1])
    ):
        # The last line of a paragraph that happens to end in a colon, unless it stands out.
        is_list_title = _kind_of_words(text) in (OPTIONS, COMMANDS, ARGUMENTS, EXAMPLES)
        return is_list_title and _is_row(below) and below.indent >= line.indent
    if _NAMES_LIST.fullmatch(text[:-1]) and line.after_blank:
        return True  # kingpin: names at the margin, explanations below them
    return below.indent > line.indent or below.text[0] == "-" or below.after_blank


def _is_capitals(line: Line, below: Line | None, current: Section) -> bool:
    text = _REMARK.split(line.text, maxsplit=1)[0]
    if not text.isupper() or len(text.split()) > 8 or text[-1] in ".,;":
        return False
    if sum(char.isalpha() for char in text) < 3:
        return False
    if current.kind == ARGUMENTS and line.indent > current.level:
        return False
    if below is None or "_" in text or text.endswith("..."):
        return False
    return line.after_blank and (below.indent > line.indent or below.after_blank)


def _is_plain_heading(line: Line, above: Line | None, below: Line | None, current: Section) -> bool:
    text = line.text
    if below is None or below.after_blank or below.indent < line.indent:
        return False
    if below.indent == line.indent:  # `Standard commands` right above a table
        bare = text.split(" (", 1)[0].lower()
        return line.after_blank and _is_row(below) and bare.endswith((" commands", " options"))
    if not (line.after_blank or (above is not None and above is current.heading)):
        return False
    if _kind_of_words(text) in (EXAMPLES, ASIDE) and len(text.split()) <= 2:
        # `Examples`, `Learn more` after a list, not indented as its rows are.
        return current.kind in _LISTS and line.indent <= current.level
    if _NAMES_LIST.fullmatch(text) and (_is_row(below) or len(below.text) < 60):
        return True
    if text[-1] in ".,;" or len(text.split()) > 12 or "  " in text or not text[0].isalpha():
        return False
    if current.kind == ARGUMENTS and line.indent > current.level:
        return False
    if below.text.startswith(("-", "[-")):
        is_peer = current.heading is not None and line.indent == current.level
        return not _starts_usage(text) and (" " in text or is_peer)
    return (
        current.kind == COMMANDS
        and _is_row(below)
        and line.indent <= (current.lines[0].indent if current.lines else 10_000)
        and " " in text
    )


def _is_row(line: Line) -> bool:
    return line.text[0] == "-" or "  " in line.text or line.cells is not None


def _starts_usage(text: str) -> bool:
    return bool(_USAGE.match(text)) and ":" in text[:14]


def _kind(title: str, line: Line, before: Section) -> str:
    kind = _kind_of_words(title)
    if kind != OTHER:
        return kind
    if before.kind in (COMMANDS, OPTIONS):
        is_marked = line.text.endswith(":") or line.text.isupper()
        # `Builtin Commands:` / ` Manage applications`: groups within a list of commands.
        if not is_marked or not before.lines or line.indent > before.level:
            return before.kind
    return OTHER


def _kind_of_words(title: str) -> str:
    low = title.lower().rstrip(":").strip()
    if _USAGE.match(low) and len(low.split()) <= 2:
        return USAGE
    if "example" in low:
        return EXAMPLES
    if low in _ASIDE or "help topics" in low or low.endswith(" topics"):
        return ASIDE
    if _OPTIONS.search(low) and not low.endswith(("commands", "subcommands")):
        return OPTIONS
    if _COMMANDS.search(low):
        return COMMANDS
    if _ARGUMENTS.search(low):
        return ARGUMENTS
    return OTHER
