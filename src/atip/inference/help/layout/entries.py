"""Entries: definition lists – a term on the left, its explanation right of it or below.

The two columns are found from indentation and from where most rows of a section start their
explanation, so that ragged rows (one blank where the term is too long) still split. A line inside
an explanation that happens to start with a dash is not a new entry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.flags import FlagSpec, parse_flags
from atip.inference.help.layout.columns import in_columns, popular_columns, split_columns
from atip.inference.help.layout.sections import ASIDE, EXAMPLES

if TYPE_CHECKING:
    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section

_GAP = re.compile(r" {2,}")
MAX_TEXT = 6_000
"""Characters of one explanation that are kept."""
MAX_TERM = 2_000


class Definition:
    """One definition. `spec` is set when the term is a flag spec."""

    __slots__ = (
        "column", "first", "indent", "last", "left", "parts", "section", "size", "spec", "strict",
    )  # fmt: skip

    def __init__(self, line: Line, left: str, right: str, column: int, section: Section) -> None:
        self.left = left
        self.first = self.last = line.number
        self.indent = line.indent
        self.column = column
        """Column of the explanation; 0 while none was seen."""
        self.section = section
        self.spec: FlagSpec | None = None
        self.parts: list[str] = [right] if right else []
        self.size = len(right)
        self.strict = True
        """The term was set apart from its explanation, so all of it is a spec."""

    @property
    def text(self) -> str:
        """The explanation as one line."""
        return " ".join(" ".join(self.parts).split())

    @property
    def paragraphs(self) -> str:
        """The explanation with its line breaks."""
        return "\n".join(self.parts)

    def extend(self, line: Line) -> None:
        if self.size < MAX_TEXT:
            self.parts.append(line.text)
            self.size += len(line.text) + 1
            self.last = line.number
        if not self.column:
            self.column = line.indent


def find_entries(section: Section, room: int) -> tuple[list[Definition], list[Line]]:
    """Up to `room` flag definitions of a section, and the lines that belong to none."""
    lines = split_columns(section.lines)
    columns = popular_columns(lines)
    definitions: list[Definition] = []
    loose: list[Line] = []
    current: Definition | None = None
    above: Line | None = None
    for line, below in zip(lines, [*lines[1:], None], strict=False):
        entry = None
        if len(definitions) < room and (
            _may_start(line, above, current, columns) or _is_nested(line, below)
        ):
            entry = _read(line, columns, section, current)
        if entry is not None:
            current = entry
            definitions.append(entry)
        elif current is not None and _belongs(line, current, above):
            current.extend(line)
        else:
            current = None
            loose.append(line)
        above = line
    return _merge_spellings([one for one in definitions if not _is_call(one)]), loose


def _is_call(entry: Definition) -> bool:
    """`--format=gnu -f- -b20 --quoting-style=escape`: what follows are flags and nothing else, so it is a call, not a definition."""
    words = entry.text.split()
    return len(words) > 1 and all(word[0] == "-" and word[1:2] != " " for word in words)


def _belongs(line: Line, current: Definition, above: Line | None) -> bool:
    """Deeper text, or text at the entry's own indent (paragraph style of some manual pages)."""
    if line.cells is not None or line.indent < current.indent:
        return False
    if line.indent > current.indent:
        return True
    return not (line.after_blank or above is None or current.strict) and line.indent > 0


def _is_nested(line: Line, below: Line | None) -> bool:
    """A definition inside of an explanation: a spec on its own line, its text deeper below."""
    if not line.after_blank or line.text[0] != "-" or below is None or below.after_blank:
        return False
    if below.indent <= line.indent or below.text[0] == "-" or line.cells is not None:
        return False
    spec = parse_flags(line.text[:MAX_TERM])
    return spec is not None and not spec.rest


def _may_start(
    line: Line, above: Line | None, current: Definition | None, columns: frozenset[int]
) -> bool:
    text = line.text
    if text[0] not in "-[*'(\u2212" and line.cells is None:
        return False
    if line.cells is not None:
        return True
    if len(text) < 2 or (text.startswith(("- ", "* ")) and not text.startswith("* -")):
        return False
    if current is not None:
        if current.column and line.indent >= current.column and line.indent > current.indent:
            return False
        if line.indent > current.indent and not line.after_blank and above is not None:
            # An explanation below its term goes on; a list of terms alternates its indents.
            return not (
                current.parts and above.indent == line.indent and line.indent - current.indent > 6
            )
        return True
    if above is None or line.after_blank or above.indent != line.indent or not _is_prose(above):
        return True
    return in_columns(line, columns) or in_columns(above, columns)


def _is_prose(line: Line) -> bool:
    text = line.text
    if text[0] == "-" or text[-1] == ":" or (text[0] == "[" and text[-1] == "]"):
        return False
    return len(text.split()) >= 4


def _read(
    line: Line, columns: frozenset[int], section: Section, above: Definition | None
) -> Definition | None:
    if line.cells is not None:
        return _read_row(line, section)
    if line.text[0] in "[(":
        return _read_bracketed(line, section)
    left, right, column, strict = split_flag_line(line, columns)
    left = left.removeprefix("* ")  # marks required ones (jcommander)
    spec = parse_flags(left[:MAX_TERM])
    if spec is None:
        return None
    wordy = bool(spec.rest) and _is_wordy(spec.rest)
    if spec.rest and not _is_note(spec.rest) and (not column or wordy):
        left, head, spec = _cut_prose(left, spec)
        right = f"{head} {right}".strip()
        strict = False
        column = 0
        if not _is_plausible(line, spec, right, above, section):
            return None
    elif spec.rest and not _is_note(spec.rest):
        spec = _widen(spec)
    entry = Definition(line, left, right, column, section)
    entry.spec = spec
    entry.strict = strict
    return entry


def _is_plausible(
    line: Line, spec: FlagSpec, right: str, above: Definition | None, section: Section
) -> bool:
    """A term and its explanation in one breath: believed where entries look like that."""
    if right[:1] in ",;)" or right.startswith(("and ", "or ", "is ", "are ", "option", "flag")):
        return False
    first = bool(section.lines) and section.lines[0] is line
    return line.after_blank or above is not None or bool(spec.value) or line.indent < 4 or first


def _is_wordy(rest: str) -> bool:
    words = rest.split()
    return len(words) > 3 and sum(word.isalpha() and word.islower() for word in words) > 2


def _is_note(rest: str) -> bool:
    return (
        rest[0] in "([*#"
        or rest.startswith((", <", ", [", "| <"))
        or rest in (":", ";")
        or not any(char.isalnum() for char in rest)
    )


def _cut_prose(left: str, spec: FlagSpec) -> tuple[str, str, FlagSpec]:
    """`--name Container name.` → the flag and its explanation; `-o FILE write …` keeps FILE."""
    rest = spec.rest
    value = spec.raw_value
    bare = value and value[0] not in "<[{=" and not value.isupper() and f"={value}" not in left
    if bare and not spec.glued:
        start = left.rfind(value, 0, len(left) - len(rest))
        rest = left[start:].strip()
        spec = spec.replace(value=None, raw_value="", optional_value=False, rest="")
    else:
        spec = spec.replace(rest="")
    return left[: len(left) - len(rest)].strip(), rest, spec


def _widen(spec: FlagSpec) -> FlagSpec:
    """Left column of a table: all of it is the term, several words of placeholder included."""
    value = f"{spec.raw_value} {spec.rest}".strip() if spec.raw_value else spec.rest
    words = value.split()
    if len(words) > 6 or not spec.raw_value:
        return spec
    return spec.replace(value=value, raw_value=value, rest="")


def _read_row(line: Line, section: Section) -> Definition | None:
    cells = line.cells or ()
    filled = [cell for cell in cells if cell]
    lead = next((i for i, cell in enumerate(cells) if cell and cell != "*"), 0)
    first = cells[lead].strip("['\"](") if cells else ""
    if not first.startswith("-"):
        return None
    right = cells[-1] if len(cells) - 1 > lead and len(filled) > 1 else ""
    terms = [cell for cell in cells[lead : len(cells) - 1 if right else None] if cell]
    left = "  ".join(
        [cells[lead].replace("['", "").replace("']", "").replace("', '", ", "), *terms[1:]]
    )
    left = left.replace(",-\u2026", "").replace(",--\u2026", "").replace(",\u2026", "")
    spec = parse_flags(left[:MAX_TERM])
    if spec is None:
        return None
    entry = Definition(line, left, right, line.indent + len(left) + 2, section)
    entry.spec = _widen(spec) if spec.rest and not _is_note(spec.rest) else spec
    return entry


def _read_bracketed(line: Line, section: Section) -> Definition | None:
    """`[ -f|--force ]` on a line of its own (lvm)."""
    text = line.text
    if text[-1] not in "])" or not text[1:].lstrip().startswith("-"):
        return None
    inner = text[1:-1].strip()
    if "[" in inner.replace("[k|", "") and "] [" in inner:
        return None
    spec = parse_flags(inner[:MAX_TERM])
    if spec is None or (spec.rest and not _is_note(spec.rest)):
        return None
    if sum(flag.startswith("--") for flag in spec.flags) > 1:
        return None  # alternatives, not spellings: read as usage
    entry = Definition(line, inner, "", 0, section)
    entry.spec = spec
    return entry


def split_flag_line(line: Line, columns: frozenset[int]) -> tuple[str, str, int, bool]:
    """Term, explanation, its column (0: none on this line), and whether a gap set them apart."""
    raw, start = line.raw, line.indent
    for gap in _GAP.finditer(raw, start, min(len(raw), MAX_TERM)):
        column = gap.end()
        follow = raw[column : column + 2]
        if _goes_on(raw, column, follow) and (column not in columns or follow[:1] in "-o"):
            continue
        right = raw[column:]
        return (
            raw[start : gap.start()],
            right[2:] if right[:2] in ("= ", ": ") else right,
            column,
            True,
        )
    whole = parse_flags(raw[start : start + MAX_TERM])
    if whole is not None and not whole.rest and _is_marked(whole, raw[start:]):
        return raw[start:], "", 0, True
    for column in sorted(columns):
        if start < column < len(raw) and raw[column - 1] == " " and raw[column] not in " -":
            spec = parse_flags(raw[start : column - 1])
            if spec is not None and (not spec.rest or _is_note(spec.rest)):
                return raw[start : column - 1].rstrip(), raw[column:], column, True
    for mark in (" : ", " - ", " -- ", " – ", " — ", " # "):
        at = raw.find(mark, start, start + 200)
        if at > 0 and "  " not in raw[start:at]:
            column = at + len(mark)
            return raw[start:at].rstrip(), raw[column:].strip(), column, True
    return raw[start:], "", 0, True


def _is_marked(spec: FlagSpec, text: str) -> bool:
    """The placeholder cannot be the first word of an explanation."""
    value = spec.raw_value
    return (
        not value
        or value[0] in "<[{("
        or value.isupper()
        or f"={value}" in text
        or (len(spec.flags) > 1 and text.count(value) > 1)
    )


def _goes_on(raw: str, column: int, follow: str) -> bool:
    """Whether the text after a gap is still part of the term."""
    if raw.startswith(("or ", "and "), column):
        return raw[column:].split(" ", 1)[1].lstrip().startswith("-")
    if follow[:1] == "-" and follow[1:] not in (" ", "", "-"):
        return True
    if follow == "--":
        return raw[column + 2 : column + 3].isalnum()
    if follow[:1] in ("<", "["):
        close = raw.find(">" if follow[0] == "<" else "]", column, column + 80)
        tail = raw[close + 1 : close + 3] if close > 0 else "x"
        return tail in ("", "  ") and not raw.startswith(("[default", "[env", "[possible"), column)
    return False


def _merge_spellings(entries: list[Definition]) -> list[Definition]:
    """`--verbose:` over `-v:` with one explanation below: one option on two lines."""
    merged: list[Definition] = []
    for entry in entries:
        last = merged[-1] if merged else None
        if last is not None and _same_option(last, entry):
            assert last.spec is not None and entry.spec is not None
            spec = last.spec
            flags = tuple(dict.fromkeys(spec.flags + entry.spec.flags))
            valued = spec if spec.value is not None else entry.spec
            last.spec = valued.replace(flags=flags)
            last.parts, last.size, last.last = entry.parts, entry.size, entry.last
            last.column = entry.column
        else:
            merged.append(entry)
    return merged


def _same_option(upper: Definition, lower: Definition) -> bool:
    if upper.parts or not lower.parts or upper.indent != lower.indent:
        return False
    if upper.spec is None or lower.spec is None or upper.section is not lower.section:
        return False
    if lower.first != upper.last + 1 or lower.column > lower.indent + 10:
        return False
    one, two = upper.spec.flags, lower.spec.flags
    if len(one) != 1 or len(two) != 1:
        return False
    return one[0].startswith("--") != two[0].startswith("--")


def wants_flags(section: Section, *, manual: bool) -> bool:
    """Examples show flags in use, and asides of manual pages speak of other programs."""
    return section.kind != EXAMPLES and not (manual and section.kind == ASIDE)
