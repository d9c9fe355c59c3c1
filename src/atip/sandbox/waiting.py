"""Waiting: notices that a traced program only waits – for input that never comes, a server, a timer – and ends it.

Judged by what its processes do, never by how long they take: on a busy machine a program that wants to compute is ready to run
and does not sleep. A run waits when nearly all of the last looks found every thread asleep, with no call told in between, and nothing
new was seen. The looks are counted, so that a machine that keeps *us* waiting changes nothing either; and a look at which one of our own
threads is ready to run does not count, since a program sleeps until the tracer has answered its call, or until its end is noticed.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.sandbox.tracing.trace import Tracer

LOOK_S = 0.05
LOOKS = 32
"""1.6 seconds: longer than the pauses of a second that programs make, shorter than those of two."""
AWAKE = 3
"""So many of them may find it awake: `watch` runs something every second and waits all the same."""
_ASLEEP = (b"S", b"T", b"t", b"Z", b"X", b"I")


class WaitWatch:
    """Watches one run from its start to `close`; `waits`: it was stopped here."""

    def __init__(self, tracer: Tracer, cancel: Callable[[], None]) -> None:
        self.waits = False
        self._tracer = tracer
        self._cancel = cancel
        self._over = threading.Event()
        self._processes = -1
        self._waiter = threading.get_native_id()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The program has ended."""
        self._over.set()
        self._thread.join()
        if self._processes >= 0:
            os.close(self._processes)

    def _look(self) -> None:
        calls = events = -1
        looks = awake = 0
        while not self._over.wait(LOOK_S):
            tracer = self._tracer
            is_asleep = tracer.calls == calls and self._is_asleep()
            if tracer.different != events or awake + (not is_asleep) > AWAKE:
                looks = awake = 0  # it goes on
            else:
                looks, awake = looks + 1, awake + (not is_asleep)
            calls, events = tracer.calls, tracer.different
            if looks >= LOOKS:
                self.waits = True
                self._cancel()
                return

    def _is_asleep(self) -> bool:
        """Whether no thread of the run computes or waits for a disk, and none of ours keeps it waiting."""
        if self._processes < 0 and not self._find_processes():
            return False
        try:
            states = [
                state
                for process in os.listdir(self._processes)
                if process.isdigit()
                for state in self._states(process)
            ]
        except OSError:
            return False  # it ends just now
        # no process is left: it has ended, and we have not yet noticed
        return bool(states) and all(state in _ASLEEP for state in (*states, *self._own_states()))

    def _own_states(self) -> list[bytes]:
        """The thread that answers the calls of the run, and the one that waits for its end."""
        own = os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return [_state(own, str(one)) for one in (self._waiter, self._tracer.thread) if one]
        finally:
            os.close(own)

    def _find_processes(self) -> bool:
        """The list of processes that the program itself sees: exactly those of its run."""
        for caller in self._tracer.callers:
            with contextlib.suppress(OSError):
                place = f"/proc/{caller}/root/proc"
                self._processes = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                return True
        return False

    def _states(self, process: str) -> list[bytes]:
        states = []
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            tasks = os.open(f"{process}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._processes)
            try:
                states = [_state(tasks, thread) for thread in os.listdir(tasks)]
            finally:
                os.close(tasks)
        return states


def _state(tasks: int, thread: str) -> bytes:
    """The letter behind the name, which may hold anything."""
    try:
        handle = os.open(f"{thread}/stat", os.O_RDONLY, dir_fd=tasks)
    except (FileNotFoundError, ProcessLookupError):
        return b"X"
    try:
        return os.read(handle, 512).rpartition(b") ")[2][:1]
    except ProcessLookupError:
        return b"X"
    finally:
        os.close(handle)
