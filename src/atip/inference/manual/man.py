"""Manual pages → `Command`: help of last resort, and a source of descriptions.

The page's source is rendered to plain lines by `roff.py` and read by the help parser; evidence is
set back to lines of the source. Decompressing and finding pages is the caller's business.
Implements the `man` source of inference for ATIP 0.6 §3.3–3.7.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.inference.command_names import may_be_command
from atip.inference.help.infer import infer_help
from atip.inference.manual.roff import render
from atip.inference.summary import find_summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.tool import Command

MAX_CHARS = 4_000_000
_SOURCE = re.compile(r"^[.'](?:TH|SH|Dd|Dt|Sh|so|\\\")", re.M)
_SECTION = re.compile(r"[1-9][a-z]{0,4}")
_TITLE = re.compile(r"^\.(?:TH|Dt)\s+\"?([\w.+:@\[-]{1,80})\"?", re.M)

_NAME_SECTION = re.compile(
    r"^\.S[hH]\s+\"?NAME\"?[ \t]*\n(.{1,4000}?)(?=^\.S[hH]\b|\Z)", re.M | re.S | re.I
)
_ROFF_DASH = re.compile(r" (?:\\-|-|\\\(em|–|—) ")
_MDOC_PURPOSE = re.compile(r"^\.Nd\s+(.+?)(?=^\.(?!Nm|Xr|Em|Sy|Ar)|\Z)", re.M | re.S)
_MDOC_MACRO = re.compile(r"^\.(?:Nm|Xr|Em|Sy|Ar)\b", re.M)


def infer_man(text: bytes | str, *, tool: str = "", path: tuple[str, ...] = ()) -> Command:
    """Read a manual page as the description of its program, or of the command that `path` names.

    Takes man(7) or mdoc(7) source, or a page that was formatted already. A page that only points
    to another (`.so man1/x.1`) gives an empty Command.
    """
    if isinstance(text, bytes):
        text = text[:MAX_CHARS].decode("utf-8", "replace")
    text = text[:MAX_CHARS].replace("\r\n", "\n")
    if _SOURCE.search(text[:20_000]) is None:
        return _mark_source(infer_help(text, tool=tool, path=path), {})
    title = _TITLE.search(text[:20_000])
    name = tool or (title.group(1).lower() if title is not None else "")
    head = f"{name.upper()}(1) {name.upper()}(1)"
    lines = [(head, 1), ("", 1), *render(text)]
    numbers = {index: number for index, (_, number) in enumerate(lines, 1)}
    command = infer_help("\n".join(line for line, _ in lines), tool=name, path=path)
    pages = _own_pages(command.commands or {}, name)
    names = {_command_name(page, name): one for page, one in pages.items()}
    commands = {name: one for name, one in names.items() if may_be_command(name)}
    purpose = find_summary(
        read_purpose(text, "-".join((name, *path))), "-".join((name, *path))
    ) or _purpose(command.description)
    command = command.replace(description=purpose, commands=commands or None)
    return _mark_source(command, numbers)


_DASH = re.compile(r" (?:-|–|—|--) ")
"""Between the names of a page and what they are for."""


def read_purpose(text: str, name: str) -> str:
    """Purpose of one name in the NAME section of a page; empty when the page is for other names.

    A page of several programs (`gzip, gunzip, zcat - …`) has one line for all, or one line each.
    """
    section = _NAME_SECTION.search(text[:MAX_CHARS])
    if section is None:
        return ""
    purpose = _MDOC_PURPOSE.search(section[1])
    if purpose is not None:
        return " ".join(_MDOC_MACRO.sub("", purpose[1]).split())
    first, _, rest = section[1].partition("\n.sp\n")
    # AsciiDoc pages without a SYNOPSIS have their usage lines behind the purpose.
    body = first if rest and _ROFF_DASH.search(first) else section[1]
    source = f".SH NAME\n{body}"
    rows = [line.strip() for line, _ in render(source) if line.strip()]
    rows = rows[1:] if rows and rows[0].upper() == "NAME" else rows
    own = [row for row in rows if name in re.split(r"[\s,]+", _DASH.split(row)[0])]
    has_row_each = len(rows) > 1 and all(_DASH.search(row) for row in rows[:2])
    return _purpose((own or rows)[0] if has_row_each else _own_part(" ".join(rows), name))


def names_program(text: str, name: str) -> bool:
    """Whether the NAME section of a page has a name; False for a page that only a link leads to, which is about other programs."""
    section = _NAME_SECTION.search(text[:MAX_CHARS])
    return section is None or name.lower() in section[1].replace("\\", "").lower()


def names_several(text: str) -> bool:
    """Whether the NAME section of a page has several names before its purpose."""
    section = _NAME_SECTION.search(text[:MAX_CHARS])
    if section is None:
        return False
    if _MDOC_PURPOSE.search(section[1]):
        return section[1].count(".Nm") > 1
    return "," in _ROFF_DASH.split(" ".join(section[1].split()), maxsplit=1)[0]


_PART = re.compile(r"(?:^| )([\w.+-]{2,40}(?:, ?[\w.+-]{2,40}){0,9}) (?:-|\u2013|\u2014) ")


def _own_part(text: str, name: str) -> str:
    """`a2b - convert a to b b2a - convert b to a`: the part of one name; other lines go on as they are."""
    heads = [
        one for one in _PART.finditer(text[:4_000]) if not one.start() or _is_sibling(one[1], name)
    ]
    if len(heads) < 2:
        return text
    ends = [*(one.start() for one in heads[1:]), len(text)]
    parts = [text[one.start() : end].strip() for one, end in zip(heads, ends, strict=True)]
    own = [part for one, part in zip(heads, parts, strict=True) if name in re.split(r", ?", one[1])]
    return (own or parts)[0]


def _is_sibling(names: str, name: str) -> bool:
    """Whether words before a dash can be names of programs of the page: one of them is its own, or they are not words."""
    words = re.split(r", ?", names)
    return name in words or any(
        any(char.isdigit() or char in "_." for char in one) for one in words
    )


def _own_pages(pages: Mapping[str, Command], tool: str) -> Mapping[str, Command]:
    """Drop entries that are not pages of the tool (`gitignore(5)`, `HEAD`) where most entries are (`git-add(1)`)."""
    own = {page: one for page, one in pages.items() if page.startswith(f"{tool}-")}
    return own if 2 * len(own) > len(pages) else pages


def _command_name(page: str, tool: str) -> str:
    """Lists of commands name their pages: `git-add(1)` tells of `git add`."""
    return page.removeprefix(f"{tool}-") or page


def _without_sections(command: Command) -> Command:
    """The section of a page is no other name of the command."""
    aliases = tuple(alias for alias in command.aliases or () if not _SECTION.fullmatch(alias))
    return command.replace(aliases=aliases or None)


def _purpose(description: str) -> str:
    """`cp - copy files` → `copy files`."""
    dash = _DASH.search(description[:200])
    return description[dash.end() :].strip() if dash else description


def _mark_source(command: Command, numbers: Mapping[int, int]) -> Command:
    """The same command with `man` as the source of its evidence."""
    return command.replace(
        options=tuple(one.replace(extra=_own(one.extra, numbers)) for one in command.options or ()),
        arguments=tuple(
            one.replace(extra=_own(one.extra, numbers)) for one in command.arguments or ()
        ),
        commands={
            name: _without_sections(one.replace(extra=_own(one.extra, numbers)))
            for name, one in (command.commands or {}).items()
        }
        or None,
        extra=_own(command.extra, numbers),
    )


def _own(extra: Mapping[str, object], numbers: Mapping[int, int]) -> dict[str, object]:
    own = extra.get("x-atip")
    own = dict(own) if isinstance(own, dict) else {}
    evidence = own.get("evidence")
    evidence = dict(evidence) if isinstance(evidence, dict) else {}
    lines = evidence.get("lines")
    evidence["source"] = "man"
    if isinstance(lines, list):
        evidence["lines"] = [numbers.get(line, line) for line in lines]
    own["evidence"] = evidence
    return {**extra, "x-atip": own}
