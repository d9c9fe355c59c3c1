"""`atip --help`: the verbs by group, on one screen."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = """\
usage: atip VERB [OPTIONS]

Know what a command line will do, prove it, enforce it.
"""
TAIL = """\
Every verb takes --json (one JSON document, errors included) and --help.
`atip --agent` describes all of this to an agent; bare `atip` tells the state of this machine.
"""


def run(words: Sequence[str]) -> int:
    """Print the overview, or the help of one verb for `atip help VERB`."""
    if words and not words[0].startswith("-"):
        from atip.cli.main import load, parser_for, resolve

        path, _ = resolve(words)
        parser_for(path, load(path)).print_help()
        return 0
    sys.stdout.write(render() + "\n")
    return 0


def render() -> str:
    """The overview as text."""
    from atip.cli.verbs import NOUNS, VERBS

    groups: dict[str, list[tuple[str, str]]] = {}
    for verb, (group, line) in VERBS.items():
        if group:  # a verb without a group is for programs, not for people
            groups.setdefault(group, []).append((verb, line))
    for noun, verbs in NOUNS.items():
        groups.setdefault(noun, []).extend((f"{noun} {verb}", line) for verb, line in verbs.items())
    width = max(len(verb) for rows in groups.values() for verb, _ in rows)
    lines = [HEAD]
    for group, rows in groups.items():
        lines.append(f"{group}:")
        lines.extend(f"  {verb.ljust(width)}  {line}" for verb, line in rows)
        lines.append("")
    return "\n".join([*lines, TAIL.rstrip()])
