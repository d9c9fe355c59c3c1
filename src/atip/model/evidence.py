"""Origin of facts: the `evidence` that inference leaves in the vendor blocks `x-atip`. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.tool import Tool


def evidence_of(tool: Tool) -> Iterator[tuple[str, str]]:
    """(place, source) for every part of a tool with a recorded origin."""
    yield from _own(tool.name, tool.own)
    for option in (*(tool.options or ()), *(tool.global_options or ())):
        yield from _own(
            f"{tool.name} {option.flags[0] if option.flags else option.name}", option.own
        )
    for path, command in tool.walk():
        place = " ".join([tool.name, *path])
        yield from _own(place, command.own)
        for option in command.options or ():
            yield from _own(
                f"{place} {option.flags[0] if option.flags else option.name}", option.own
            )


def _own(place: str, own: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    evidence = own.get("evidence")
    entries = evidence if isinstance(evidence, list) else [evidence]
    for entry in entries:
        if isinstance(entry, str):
            yield place, entry
        elif isinstance(entry, dict):
            lines = entry.get("lines")
            where = f" lines {lines[0]}–{lines[-1]}" if isinstance(lines, list) and lines else ""
            yield place, f"{entry.get('source', 'unknown')}{where}"
