"""A process that goes on while the one that its caller waits for leaves: what a shell does with a job in the background."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_EVERY_S = 0.5
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class DetachedProcess:
    """This process, after `split`: the caller still waits for the one before it."""

    def __init__(self, front: int, writer: int) -> None:
        self._front = front
        self._writer = writer
        self.has_told = False

    def tell(self, code: int) -> None:
        """Let the process that the caller waits for leave with this exit code; nothing can be said to the caller any more."""
        self.has_told = True
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.write(self._writer, str(code).encode())
        os.close(self._writer)

    def watch(self, is_wanted: Callable[[], bool], end: Callable[[], object]) -> None:
        """End the work when no process waits for it any more.

        Args:
            is_wanted: polled once the exit code was reported.
        """
        threading.Thread(target=self._watch, args=(is_wanted, end), daemon=True).start()

    def _watch(self, is_wanted: Callable[[], bool], end: Callable[[], object]) -> None:
        pause = threading.Event()
        while is_wanted() if self.has_told else os.getppid() == self._front:
            pause.wait(LOOK_EVERY_S)
        end()


def split() -> DetachedProcess:
    """Fork. The first process waits for an exit code and leaves with it; returns in the second, which has a session of its own."""
    front = os.getpid()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.setsid()
        return DetachedProcess(front, writer)
    os.close(writer)
    for number in _SIGNALS:
        signal.signal(number, lambda number, _frame: os.kill(child, number))
    exit_text = os.read(reader, 16)
    if exit_text:
        os._exit(int(exit_text))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def is_alive(pid: int, program: str) -> bool:
    """Whether a process still is what it was."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/exe") == program
    return False
