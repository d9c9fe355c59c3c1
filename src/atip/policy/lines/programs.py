"""Programs in small languages (`calls.languages`) among the words of a call, and the files that they open by themselves."""

from __future__ import annotations

from atip.calls.effects.given_programs import programs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.calls.invocation import Invocation
    from atip.model.tool import Tool


def programs_read(tool: Tool, call: Invocation) -> Iterator[str]:
    """Names of files; empty text: one that is only known when the program runs."""
    for program in programs_of(tool, call):
        yield from program.reads
        if program.reads_any:
            yield ""
