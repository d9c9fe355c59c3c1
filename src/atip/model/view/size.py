"""Making a tool fit a byte budget (§3.1.1, `size-limited`).

Deepest commands go first, within a level the largest; then patterns and examples, then the details
of the top level (its descriptions and effects stay), and last whole top-level commands. Whatever
goes is counted and said. Linear in the size of the tool but for one sort.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from atip.model.reading.encode import encode, encode_record
from atip.model.tool import Command, Tool
from atip.model.view.parts import OmittedCommands, stub

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.model.tool import Path

DETAILS_OMITTED = "detailsOmitted"
"""In `x-atip`: arguments, options, examples or patterns were left out here."""

_NOTE_BYTES = 64
"""More than the notes in `x-atip` of one command can take."""
_FRAME_BYTES = 2
"""Colon and comma around one entry of `commands`."""


def size_of(tool: Tool) -> int:
    """Bytes of the compact JSON document."""
    return len(_compact(encode(tool)))


def shrink(
    tool: Tool, part: Tool, max_bytes: int, cut: OmittedCommands, describe: Callable[[Tool], Tool]
) -> Tool:
    """`part` within `max_bytes`, as far as that goes: name, version and what was left out remain."""
    cut.reasons.add("size-limited")
    excess = size_of(describe(part)) + _NOTE_BYTES - max_bytes
    dropped, excess = _choose(part, excess, deeper_than=1)
    bare: frozenset[Path] = frozenset()
    if excess > 0 and (part.patterns or part.examples):
        slim = part.replace(patterns=None, examples=None)
        excess -= size_of(part) - size_of(slim)
        part = _mark(slim)
    if excess > 0:
        bare, excess = _bare(part, excess)
    if excess > 0:
        more, excess = _choose(part, excess, deeper_than=0, bare=bare, skip=dropped)
        dropped |= more
    remaining, _omitted_count = _without(part.commands or {}, (), dropped, bare, cut)
    return describe(part.replace(commands=remaining if part.commands is not None else None))


def _choose(
    tool: Tool,
    excess: int,
    *,
    deeper_than: int,
    bare: frozenset[Path] = frozenset(),
    skip: frozenset[Path] = frozenset(),
) -> tuple[frozenset[Path], int]:
    """Commands to leave out, deepest and largest first, and the bytes that are still too many."""
    sized = [
        (len(path), _own_bytes(_strip(command) if path in bare else command, path[-1]), path)
        for path, command in tool.walk()
        if len(path) > deeper_than and path not in skip
    ]
    sized.sort(key=lambda entry: (-entry[0], -entry[1]))
    dropped: set[Path] = set()
    noted: set[Path] = set()
    for _depth, size, path in sized:
        if excess <= 0:
            break
        dropped.add(path)
        excess -= size
        if path[:-1] and path[:-1] not in noted:
            noted.add(path[:-1])
            excess += _NOTE_BYTES
    return frozenset(dropped), excess


def _bare(tool: Tool, excess: int) -> tuple[frozenset[Path], int]:
    """Top-level commands that lose their details, largest first."""
    savings = []
    for name, command in (tool.commands or {}).items():
        saved = _own_bytes(command, name) - _own_bytes(_strip(command), name)
        if saved > 0:
            savings.append((saved, (name,)))
    savings.sort(key=lambda entry: -entry[0])
    bare: set[Path] = set()
    for saved, path in savings:
        if excess <= 0:
            break
        bare.add(path)
        excess -= saved
    return frozenset(bare), excess


def _without(
    commands: Mapping[str, Command],
    path: Path,
    dropped: frozenset[Path],
    bare: frozenset[Path],
    cut: OmittedCommands,
) -> tuple[dict[str, Command], int]:
    remaining: dict[str, Command] = {}
    omitted_count = 0
    for name, command in commands.items():
        below = (*path, name)
        if below in dropped:
            omitted_count += cut.leave_out(below, command, "size-limited")
            continue
        if command.commands:
            inner, missing = _without(command.commands, below, dropped, bare, cut)
            if missing:
                command = stub(command.replace(commands=inner or None), missing)
            else:
                command = command.replace(commands=inner)
        remaining[name] = _strip(command) if below in bare else command
    return remaining, omitted_count


def _strip(command: Command) -> Command:
    """Description, effects and subcommands; that the rest is missing is said."""
    slim = command.replace(
        arguments=None, options=None, examples=None, usage=None, authentication=None
    )
    if slim == command:
        return command
    own = {**command.own, DETAILS_OMITTED: True}
    return slim.replace(extra={**slim.extra, "x-atip": own})


def _mark(tool: Tool) -> Tool:
    return tool.replace(extra={**tool.extra, "x-atip": {**tool.own, DETAILS_OMITTED: True}})


def _own_bytes(command: Command, name: str) -> int:
    alone = command.replace(commands=None) if command.commands else command
    return len(_compact(encode_record(alone))) + len(_compact(name)) + _FRAME_BYTES


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
