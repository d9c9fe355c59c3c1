"""A confined line that leaves jobs in the background: its caller goes on when the line is over, the jobs live in the same sandbox until the client ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.system.programs.detached import is_alive, split

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.system.programs.callers import CallerProgram


class Background:
    """Made before anything else: from then on this is the process that stays."""

    def __init__(self, caller: CallerProgram, write: Callable[[str, bytes], None]) -> None:
        """
        Args:
            caller: the client; its end is the end of the jobs.
            write: passes output on to it, as long as it waits.
        """
        self.mark = f"atip-line-{os.urandom(12).hex()}"
        self._caller = caller
        self._write = write
        self._detached = split()

    @property
    def is_over(self) -> bool:
        """Whether the line itself is over, so that nobody listens any more."""
        return self._detached.has_told

    def watch(self, end: Callable[[], object]) -> None:
        caller = self._caller
        self._detached.watch(lambda: is_alive(caller.pid, caller.program), end)

    def pass_on(self, name: str, data: bytes) -> None:
        """Output of the line; its end is marked. What comes later is dropped."""
        if self.is_over:
            return
        before, mark, rest = data.partition(self.mark.encode())
        if not mark:
            self._write(name, data)
            return
        if before:
            self._write(name, before)
        code = rest.split(b"\n", 1)[0].strip()
        self._detached.tell(int(code) if code.isdigit() else 1)
