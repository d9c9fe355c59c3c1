"""Claims: what our descriptions say that a command line does, by the same engine that policy uses. Starts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.shell.line import read_argv
from atip.errors import FormatError
from atip.knowledge.reading import load
from atip.model.effects import UNKNOWN, union_of_steps
from atip.model.value import Value
from atip.policy.lines.line import MachineView, judge_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.effects import Effects
    from atip.model.tool import Tool


class LineClaim(Value):
    """Claim about one command line."""

    effects: Effects = UNKNOWN
    path: tuple[str, ...] = ()
    """The command that it calls."""
    spawn: tuple[str, ...] = ()
    """Programs that its description names."""


def claim_of(
    argv: Sequence[str], cwd: str, lookup: Callable[[str], Tool | None] = load
) -> LineClaim:
    """The claim of our knowledge, or of whatever `lookup` finds, on one argv."""
    try:
        subjects = judge_line(read_argv(argv), MachineView(lookup=lookup, cwd=cwd))
    except FormatError:
        return LineClaim()
    if not subjects:
        return LineClaim()
    effects = subjects[0].effects
    for subject in subjects[1:]:
        effects = union_of_steps(effects, subject.effects)
    inner = [subject.argv[0].rpartition("/")[2] for subject in subjects[1:] if subject.argv]
    # a wrapper that starts the real program of its name
    spawn = (*spawn_of(lookup(argv[0])), *inner, argv[0].rpartition("/")[2])
    return LineClaim(effects=effects, path=subjects[0].path, spawn=spawn)


def spawn_of(tool: Tool | None) -> tuple[str, ...]:
    """Programs that a description names: those it starts to do its work, and those of its sandbox."""
    if tool is None:
        return ()
    sandbox, helpers = tool.own.get("sandbox"), tool.own.get("starts")
    started = sandbox.get("exec", {}) if isinstance(sandbox, dict) else {}
    programs = started.get("spawn", ()) if isinstance(started, dict) else ()
    return (*programs, *(helpers if isinstance(helpers, list | tuple) else ()))
