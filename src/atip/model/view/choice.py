"""Choice: the few commands of large tools that one conversation needs, and a warning where none was made. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import NotFoundError
from atip.model.view.partial import leaves_of, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.tool import Tool


def choose_commands(tools: list[Tool], commands: Sequence[str]) -> list[Tool]:
    """The tools with only these commands; a tool that has none of them is left out."""
    if not commands:
        return tools
    selected: list[Tool] = []
    left = dict.fromkeys(commands)
    missing: NotFoundError | None = None
    for tool in tools:
        present = []
        for command in commands:
            try:
                view(tool, commands=[command])
            except NotFoundError as error:
                missing = error
            else:
                present.append(command)
                left.pop(command, None)
        if present:
            selected.append(view(tool, commands=present))
    if left and missing is not None:
        raise missing
    return selected


def warn_of_many(tools: Sequence[Tool], most: int) -> None:
    """Warn of more commands than a model can choose from; three frames above this one is who made the choice."""
    counts = {tool.name: sum(1 for _ in leaves_of(tool)) for tool in tools}
    total = sum(counts.values())
    if total <= most:
        return
    import warnings

    largest = max(tools, key=lambda tool: counts[tool.name])
    some = ", ".join(repr(name) for name in list(largest.commands or ())[:3])
    warnings.warn(
        f"{total} commands in one session, {counts[largest.name]} of `{largest.name}`: choose with commands=[{some}, …],"
        " or set max_tokens; `atip search` finds the few that a request needs",
        UserWarning,
        stacklevel=3,
    )
