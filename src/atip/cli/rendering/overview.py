"""`atip --help`: the verbs by group, on one screen; the verbs of one group, or of all, on request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEAD = """\
usage: atip VERB [OPTIONS]

Know what a command line will do, prove it, enforce it."""
TAIL = """\
Every verb takes --json (one JSON document, errors included) and --help.

`atip help GROUP` lists the verbs of a group, `atip help --all` all of them.

`atip` alone shows the state of this machine; `atip --agent` is for agents.
"""


def run(words: Sequence[str]) -> int:
    """Print the overview, the verbs of a group, or the help of one verb for `atip help VERB`."""
    from atip.cli.verbs import NOUNS

    if words and words[0] in NOUNS and len(words) == 1:
        sys.stdout.write(render_group(words[0]) + "\n")
    elif words and not words[0].startswith("-"):
        from atip.cli.parsing import load, parser_for, resolve

        path, _ = resolve(words)
        parser_for(path, load(path)).print_help()
    else:
        sys.stdout.write((render_all() if "--all" in words else render()) + "\n")
    return 0


def render() -> str:
    """The overview: every verb, and one line for each group of verbs."""
    from atip.cli.verbs import GROUPS, NOUNS

    width = max(len(name) for rows in _sections().values() for name, _ in rows)
    nouns = [(noun, GROUPS[noun]) for noun in NOUNS]
    lines = [_wrap(HEAD), "", *_format({**_sections(), "groups of verbs": nouns}, width)]
    return "\n".join([*lines, _tail()])


def _tail() -> str:
    return _wrap(TAIL).replace("\n\n", "\n")


def _wrap(text: str) -> str:
    from atip.cli.wrapping import columns, wrap_text

    return wrap_text(text.rstrip(), columns())


def render_all() -> str:
    """Every verb with the verbs of every group."""
    from atip.cli.verbs import NOUNS

    sections = _sections()
    for noun in NOUNS:
        sections[noun] = _rows(noun)
    width = max(len(name) for rows in sections.values() for name, _ in rows)
    return "\n".join([_wrap(HEAD), "", *_format(sections, width), _tail()])


def render_group(noun: str) -> str:
    """The verbs of one group."""
    from atip.cli.verbs import GROUPS

    rows = _rows(noun)
    width = max(len(name) for name, _ in rows)
    from atip.cli.wrapping import columns, wrap_rows, wrap_text

    body = wrap_rows(rows, width, columns())
    head = f"usage: atip {noun} VERB [OPTIONS]\n\n{wrap_text(GROUPS[noun], columns())}\n"
    tail = wrap_text(f"`atip {noun} VERB --help` explains one verb.", columns())
    return "\n".join([head, *body, "", tail])


def _sections() -> dict[str, list[tuple[str, str]]]:
    from atip.cli.verbs import VERBS

    sections: dict[str, list[tuple[str, str]]] = {}
    for verb, (section, line) in VERBS.items():
        if section:  # a verb without a section is for programs, not for people
            sections.setdefault(section, []).append((verb, line))
    return sections


def _rows(noun: str) -> list[tuple[str, str]]:
    from atip.cli.verbs import NOUNS

    return [(f"{noun} {verb}", line) for verb, line in NOUNS[noun].items()]


def _format(sections: dict[str, list[tuple[str, str]]], width: int) -> Iterable[str]:
    from atip.cli.wrapping import columns, wrap_rows

    for section, rows in sections.items():
        yield f"{section}:"
        yield from wrap_rows(rows, width, columns())
        yield ""
