"""Trace: what a confined program really touches, reported by the kernel call by call.

Seccomp user notification: the traced program waits in each call of `filters.CALLS` until our thread has read its
arguments and lets it go on. No debugger, no extra package, works as root or not, and the sandbox stays
as it is. Each such call costs a fraction of a millisecond (benchmarks/README.md); computing costs nothing. What is noted are *tries*: whether
a write got through is decided by the sandbox and its grants.

Never used for decisions, since a program could change an argument after we have read it – but for two that need no argument in
memory: what is refused by its number or family (`calls.is_refused`), and connections, which a recorder makes itself.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import socket
import struct
import threading
from typing import TYPE_CHECKING

from atip.sandbox.tracing.calls import TracedThread, TraceEvent, is_refused, read_call
from atip.sandbox.tracing.filters import assemble_trace, numbers

if TYPE_CHECKING:
    from atip.sandbox.network.recorder import Recorder

_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_SYNC_WAKE_UP = 1
_NOTIFICATION = struct.Struct("<QIIiIQ6Q")
_RESPONSE = struct.Struct("<QqiI")
_CONTINUE = 1
MAX_EVENTS = 100_000
_LATE_S = 60.0


class Tracer:
    """Collects the events of one run; `begin` is called by the backend, `end` by the caller that waited."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        """
        Args:
            recorder: takes every connection; None: connections go where the sandbox lets them.
        """
        machine = os.uname().machine
        self.filter, self.number = assemble_trace(machine)
        self.recorder = recorder
        self._names = numbers(machine)
        self._events: dict[TraceEvent, None] = {}
        self._variables: dict[str, str] = {}
        self._thread: threading.Thread | None = None
        self._begun = False
        self.complete = True
        """False: there were more events than are kept."""
        self.calls = 0
        """Number of reported calls."""
        self._processes: dict[int, int] = {}
        """Threads with reported calls → their process, by its number inside."""

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """Each different try once, in the order in which it was first made."""
        return tuple(self._events)

    @property
    def different(self) -> int:
        """Number of different events so far."""
        return len(self._events)

    @property
    def callers(self) -> tuple[int, ...]:
        """Threads with reported calls, by their numbers here; some have ended."""
        return tuple(self._processes)

    @property
    def thread(self) -> int:
        """The thread that answers calls, by its number here; 0: not begun."""
        return (self._thread.native_id or 0) if self._thread is not None else 0

    def begin(self, channel: socket.socket) -> None:
        """Take the kernel's end from the launcher inside, and listen.

        Raises:
            OSError: it was not handed over.
        """
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
        if not descriptors:
            raise OSError(errno.EPIPE, "the launcher ended before the trace began")
        # kernel 6.6: hand the processor over instead of waking up
        with contextlib.suppress(OSError):
            fcntl.ioctl(descriptors[0], _SET_FLAGS, _SYNC_WAKE_UP)
        self._thread = threading.Thread(target=self._listen, args=(descriptors[0],), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until all reported calls are recorded; the program has ended by now, so the kernel hangs up."""
        if self._thread is not None:
            self._thread.join(_LATE_S)
            self.complete = self.complete and not self._thread.is_alive()
        if self.recorder is not None:
            self.recorder.close()

    def _listen(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while True:
                (_, what), *_rest = poll.poll()
                if what & select.POLLIN:
                    self._one(listener)
                elif what & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                    return  # no process is left inside
        finally:
            os.close(listener)

    def _one(self, listener: int) -> None:
        buffer = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, buffer)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                return  # it was killed while it waited
            raise
        identity, pid, _flags, number, _arch, _at, *arguments = _NOTIFICATION.unpack(buffer)
        self.calls += 1
        name = self._names.get(number, "")
        # it may have ended, or have handed in nonsense: the kernel will report the error
        with contextlib.suppress(OSError, ValueError, struct.error):
            self._note(name, TracedThread(pid), arguments)
        answer = self._answer(name, pid, arguments)
        with contextlib.suppress(FileNotFoundError):
            fcntl.ioctl(listener, _SEND, _RESPONSE.pack(identity, 0, *answer))

    def _answer(self, name: str, pid: int, arguments: list[int]) -> tuple[int, int]:
        """Error (negative) and flags of the answer: let it go on, unless it is refused or made by the recorder."""
        if is_refused(name, arguments):
            return -(errno.EAFNOSUPPORT if name == "socket" else errno.EPERM), 0
        if name == "connect" and self.recorder is not None:
            error = self.recorder.connect(TracedThread(pid), arguments)
            if error is not None:
                return -error, 0
        return 0, _CONTINUE

    def _note(self, name: str, caller: TracedThread, arguments: list[int]) -> None:
        starts = name in ("execve", "execveat")
        if not self._begun:  # up to its first exec it is our own launcher
            self._begun = starts
            if starts:
                self._variables = caller.variables(arguments[2 if name == "execve" else 3])
            return
        if caller.pid not in self._processes:
            self._processes[caller.pid] = caller.process()
        events = [self._own(event) for event in read_call(name, caller, arguments)]
        if starts and any(event.exists for event in events):
            events += self._changed_variables(name, caller, arguments)
        for event in events:
            if len(self._events) >= MAX_EVENTS:
                self.complete = False
                return
            self._events[event] = None

    def _own(self, event: TraceEvent) -> TraceEvent:
        """A signal to a process of this run, also to one that has just ended, is the run's own business."""
        if event.kind != "signal" or event.exists:
            return event
        target = abs(int(event.target.rpartition(" ")[2]))
        return event.replace(exists=target > 1 and target in self._processes.values())

    def _changed_variables(
        self, name: str, caller: TracedThread, arguments: list[int]
    ) -> list[TraceEvent]:
        """Names of variables that another program gets and we did not give. SECURITY: never their values."""
        variables = caller.variables(arguments[2 if name == "execve" else 3])
        if not self._variables:  # our launcher cannot be read by a caller who is not root
            self._variables = variables
        return [
            TraceEvent(kind="environment", target=variable, call=name)
            for variable, value in variables.items()
            if variable not in ("_", "PWD", "OLDPWD", "SHLVL")
            and self._variables.get(variable) != value
        ]
