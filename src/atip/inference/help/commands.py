"""Commands: lists of sub-commands in help text → name, aliases and description of each.

Knows the shapes such lists take (two columns, `name:`, one name per line with the explanation
below, lists separated by commas, argparse's `{a,b}` block) and what merely looks like one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.help.layout.rows import find_rows
from atip.inference.help.layout.sections import ARGUMENTS, COMMANDS, OTHER
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.inference.help.layout.entries import Definition
    from atip.inference.help.layout.page import Line
    from atip.inference.help.layout.sections import Section
    from atip.inference.help.usage_lines.usage_facts import Usage

_NAME = re.compile(r"[A-Za-z0-9_][\w.:+-]{0,63}")
_ALIASES = re.compile(r"[\[(](?:aliases?|alias of|also):? ([^\])]{1,200})[\])]", re.I)
_BULLET = re.compile(r"[-*\u2022] (?=\w)")
_ADDRESS = re.compile(r"<?https?://\S+>?")
_HEADING = frozenset(["actions", "commands", "options", "subcommands"])
"""Behind a name, these make a heading of a row: `dpkg-query actions`."""
_PLACEHOLDER = re.compile(r"[<\[{(|]|\.\.\.|…")
MAX_COMMANDS = 3_000


class Sub(Value):
    """One sub-command as listed."""

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    synopsis: str = ""
    """Text behind the name in its row: `UNIT...`."""
    lines: tuple[int, int] = (0, 0)


def find_commands(
    section: Section, loose: Sequence[Line], usage: Usage, own: frozenset[str]
) -> list[Sub]:
    """Sub-commands that one section lists. `own` are the words of the program itself."""
    if section.kind == ARGUMENTS:
        return _below_argument(section, loose, usage)
    if section.kind != COMMANDS or not loose:
        return []
    if section.boxed:
        loose = [line for line in loose if line.cells is not None]
    plain_list = _comma_list(loose) or _grid(loose) or _below_titles(loose, own)
    if plain_list:
        return plain_list
    rows = find_rows(section, loose)
    nested = _below_braces(rows, section)
    if nested is not None:
        rows = nested
    subs = [sub for row in rows if (sub := read_command(row, own)) is not None]
    return _without_sentences(subs)[:MAX_COMMANDS]


def _without_sentences(subs: list[Sub]) -> list[Sub]:
    """`Note …` and `For …` among lower-case names are the starts of sentences."""
    lower = sum(sub.name[0].islower() for sub in subs)
    if lower * 3 < len(subs) * 2 and len(subs) > 2:
        return subs
    return [sub for sub in subs if not (sub.name[0].isupper() and sub.name[1:].islower())]


def read_command(row: Definition, own: frozenset[str]) -> Sub | None:
    """A row of a list of commands, or None if it is a sentence or a note."""
    left = _BULLET.sub("", row.left.strip(), count=1)
    words = left.split()
    if not words or len(left) > 200 or (words[0].lower() in own and not row.parts):
        return None  # too long for a name, or an invocation shown as an example
    while len(words) > 1 and words[0].lower() in own:
        words = words[1:]
    head = " ".join(words)
    names, rest = _names(head)
    if not names:
        return None
    description = row.text
    if not description and not _lonely(rest, row):
        return None
    if rest and (rest in _HEADING or not _is_synopsis(rest)):
        return None
    if _ADDRESS.fullmatch(description):
        return None
    aliases = names[1:]
    match = _ALIASES.search(description[:400])
    if match is not None:
        aliases += [
            name.strip(" ,`'\"") for name in re.split(r"[,| ]+", match.group(1)) if name.strip()
        ]
    return Sub(
        name=names[0],
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias and alias != names[0])),
        description=description,
        synopsis=rest if _PLACEHOLDER.search(rest) or rest.isupper() else "",
        lines=(row.first, row.last),
    )


def _names(head: str) -> tuple[list[str], str]:
    """`init|create [options]` → names and what follows; `commit (c)`, `a, b` and `auth:` too."""
    names: list[str] = []
    at = 0
    while True:
        match = _NAME.match(head, at)
        if match is None:
            break
        name = match.group()
        at = match.end()
        if name.endswith(":"):
            names.append(name.rstrip(":"))
            break
        names.append(name.rstrip("."))
        link = re.match(r" ?\| ?|, ?|/", head[at:])
        if link is None:
            break
        at += link.end()
    rest = head[at:].strip()
    if rest.endswith("*") and len(rest) == 1:
        rest = ""
    alias = re.match(r"\(([\w, |-]{1,60})\)", rest)
    if alias is not None and names:
        names += [name for name in re.split(r"[,| ]+", alias.group(1)) if name]
        rest = rest[alias.end() :].strip()
    return [name for name in names if name], rest.lstrip(":").strip()


def _is_synopsis(rest: str) -> bool:
    """Whether the text behind a name is placeholders, not the rest of a sentence."""
    words = rest.split()
    for word in words:
        if word[0] in "<[{(|-" or word.isupper() or word.endswith(("...", ">", "]", "}", ")")):
            continue
        if "=" in word or "|" in word or (word[:1].isupper() and "_" in word):
            continue
        if len(words) <= 2 and word.islower() and word.isalpha():
            continue
        if any(char in rest for char in "<[{") and word.islower():
            continue
        return False
    return True


def _lonely(rest: str, row: Definition) -> bool:
    """A name without explanation is one if nothing but placeholders follows it."""
    if row.left.rstrip().endswith((".", ",")) or not row.left.strip():
        return False
    return not rest or (_is_synopsis(rest) and len(rest.split()) <= 6)


def _comma_list(lines: Sequence[Line]) -> list[Sub]:
    """`access, adduser, audit, …` over several lines (npm, busybox)."""
    text = " ".join(line.text for line in lines[:400])[:20_000]
    if text.count(",") < 4:
        return []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    good = [part for part in parts if len(part) < 40 and " " not in part]
    if len(good) * 10 < len(parts) * 9 or any("  " in line.text for line in lines[:400]):
        return []
    span = (lines[0].number, lines[-1].number)
    return [Sub(name=part, lines=span) for part in good[:MAX_COMMANDS]]


def _below_titles(lines: Sequence[Line], own: frozenset[str]) -> list[Sub]:
    """Commands whose invocation is indented below their description: `Make bucket` / `s3cmd mb s3://BUCKET`."""
    base = lines[0].indent
    end = next((at for at, line in enumerate(lines) if line.indent < base), len(lines))
    lines = lines[:end]
    below = [line for line in lines if line.indent > base]
    if len(below) < 2 or any(line.text.split(" ", 1)[0].lower() not in own for line in below):
        return []
    subs: dict[str, Sub] = {}
    title = lines[0]
    for line in lines:
        words = line.text.split()
        if line.indent == base:
            title = line
        elif len(words) > 1 and _NAME.fullmatch(words[1]):
            rest = " ".join(words[2:])
            subs.setdefault(
                words[1],
                Sub(
                    name=words[1],
                    description=title.text,
                    synopsis=rest if _is_synopsis(rest) else "",
                    lines=(title.number, line.number),
                ),
            )
    return list(subs.values()) if len(subs) > 1 else []


_INLINE = re.compile(
    r"(?:(?:available|valid|supported|possible|known) )?(?:sub-?)?commands(?: are)?: "
    r"([a-z][\w-]{0,40}(?:, (?:and |or )?[a-z][\w-]{0,40}){2,80})\.?",
    re.I,
)


def inline_commands(lines: Sequence[Line]) -> list[Sub]:
    """`Available commands: ast, list, validate.` in one line."""
    for line in lines:
        if match := _INLINE.fullmatch(line.text):
            span = (line.number, line.number)
            return [Sub(name=name, lines=span) for name in re.split(r", (?:and |or )?", match[1])]
    return []


def _grid(lines: Sequence[Line]) -> list[Sub]:
    """Names in columns, without explanations (openssl)."""
    subs: list[Sub] = []
    wide = 0
    for line in lines[:400]:
        words = [word for word in line.text.split("  ") if word.strip()]
        words = [word.strip() for word in words]
        if not all(_NAME.fullmatch(word) for word in words):
            return []
        wide += len(words) > 2
        subs += [Sub(name=word, lines=(line.number, line.number)) for word in words]
    return subs if wide * 2 >= len(lines) and wide else []


def _below_braces(rows: list[Definition], section: Section) -> list[Definition] | None:
    """argparse: rows below `{a,b}` or `COMMAND`, which have the lesser indent."""
    if (
        len(rows) < 2
        or rows[1].indent <= rows[0].indent
        or rows[1].indent >= (rows[0].column or 99)
    ):
        return None
    if not rows[0].left.startswith("{") and not rows[0].left.isupper() and rows[0].parts:
        return None
    return [row for row in rows[1:] if row.indent > rows[0].indent]


def _below_argument(section: Section, loose: Sequence[Line], usage: Usage) -> list[Sub]:
    """argparse: commands are listed two columns deeper, below the argument that takes them."""
    base = min((line.indent for line in loose), default=0)
    subs: list[Sub] = []
    block: list[Line] = []
    parent: Line | None = None
    for line in [*loose, None]:
        if line is not None and line.indent > base:
            block.append(line)
            continue
        if parent is not None and block:
            subs += _read_block(parent, block, section)
        parent, block = line, []
    return subs


def _read_block(parent: Line, block: list[Line], section: Section) -> list[Sub]:
    inner = min(line.indent for line in block)
    if inner - parent.indent > 4 or inner - parent.indent < 1:
        return []
    if "  " in parent.text.strip() and not parent.text.startswith("{"):
        return []
    if any(line.indent == inner and " " in line.text and "  " not in line.text for line in block):
        return []  # sentences about the argument
    rows = [row for row in find_rows(section, block) if row.indent == inner]
    return [sub for row in rows if (sub := read_command(row, frozenset())) is not None]


def looks_like_commands(section: Section, loose: Sequence[Line]) -> bool:
    """A section of unknown kind whose rows are all names with explanations."""
    if section.kind != OTHER or not loose or section.heading is None:
        return False
    rows = find_rows(section, loose)
    if not rows:
        return False
    good = 0
    for row in rows:
        names, rest = _names(row.left)
        if names and not rest and row.parts and names[0][0].islower():
            good += 1
    return good == len(rows) and good >= 1
