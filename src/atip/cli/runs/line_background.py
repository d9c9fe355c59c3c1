"""A confined line with background jobs: its caller continues when the line ends, the jobs stay in the same sandbox until the client ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.system.programs.detached import is_alive, split

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.system.programs.callers import CallerProgram


class BackgroundLine:
    """Forks when created: the current process is then the one that stays."""

    def __init__(self, caller: CallerProgram, write: Callable[[str, bytes], None]) -> None:
        """
        Args:
            caller: the client; the jobs end with it.
            write: passes output to the client while it waits.
        """
        self.mark = f"atip-line-{os.urandom(12).hex()}"
        self._caller = caller
        self._write = write
        self._detached = split()

    @property
    def is_over(self) -> bool:
        """Whether the line itself has ended, so that output is dropped."""
        return self._detached.has_told

    def watch(self, end: Callable[[], object]) -> None:
        caller = self._caller
        self._detached.watch(lambda: is_alive(caller.pid, caller.program), end)

    def pass_on(self, name: str, data: bytes) -> None:
        """Pass output of the line on; drops everything after its end mark."""
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
