"""A confined program while it runs: its output, its deadline, its end.

Reads both streams (or one terminal) in the waiting thread, hands each piece on and keeps none. The
end of the program is the end of its namespace: whatever it left behind is gone when `wait` returns.
"""

from __future__ import annotations

import contextlib
import os
import select
import time

from atip.model.value import Value
from atip.system.programs import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.model.permissions.confinement import Limits
    from atip.sandbox.outcome import OnOutput, Outcome

_CHUNK = 65536
_KEYS = 1024
_INTERRUPT = b"\x03"
MAX_INTERRUPTS = 3
_SIGNAL_BASE = 128
IDLE_MS = 1000.0
"""After this time without output a program at a private terminal gets the end of input."""


class RunControl(Value):
    """Control of a run by the backend that started it."""

    pid: int
    """Our child; its exit status is the program's."""
    kill: Callable[[], None]
    """Ends everything the run consists of."""
    settle: Callable[[], None]
    """Returns when nothing of the run is alive any more."""
    finish: Callable[[Outcome], Outcome]
    """Releases what the backend holds and completes the Outcome."""


class RunningProcess:
    """One run. `cancel` may be called from any thread; `wait` by one, once."""

    def __init__(
        self,
        control: RunControl,
        *,
        streams: dict[int, str],
        stdin: tuple[int, bytes],
        on_output: OnOutput,
        limits: Limits,
        terminal: int = -1,
        keyboard: int = -1,
    ) -> None:
        """
        Args:
            streams: descriptors to read, and their names.
            stdin: a descriptor to write to (-1: none), and what to write.
            limits: of these, `wall_s` and `output_bytes` are enforced here.
            terminal: our end of a private terminal; -1: there is none.
            keyboard: input of the user for it; -1: none.
        """
        self._pid = control.pid
        self._kill = control.kill
        self._settle = control.settle
        self._streams = streams
        self._input, self._unsent = stdin
        self._on_output = on_output
        self._left = dict.fromkeys(streams.values(), limits.output_bytes)
        self._ended: set[int] = set()
        self._truncated = False
        self._cancelled = False
        self._finish = control.finish
        self._terminal = terminal
        self._keyboard = keyboard if terminal >= 0 else -1
        self._interrupts = 0
        self._started = time.monotonic()
        self._deadline = None if limits.wall_s is None else self._started + limits.wall_s
        self._poll = select.poll()

    def cancel(self) -> None:
        """End the run now; `wait` returns soon after."""
        self._cancelled = True
        self._kill()

    def wait(self) -> Outcome:
        """Stream the output until the program has ended, in whatever way."""
        from atip.sandbox.outcome import Outcome

        try:
            timed_out = self._watch()
        except BaseException:
            # SECURITY: an interrupted run is over like any other: what it may not leave behind goes.
            self._kill()
            self._finish(Outcome(exit_code=self._reap(), cancelled=True))
            raise
        code = self._reap()
        signal = code - _SIGNAL_BASE if _SIGNAL_BASE < code <= _SIGNAL_BASE + 64 else None
        return self._finish(
            Outcome(
                exit_code=code,
                signal=signal,
                timed_out=timed_out,
                cancelled=self._cancelled,
                output_truncated=self._truncated,
                duration_s=time.monotonic() - self._started,
            )
        )

    def _watch(self) -> bool:
        """Until the child ends; True if its time was over."""
        handle = os.pidfd_open(self._pid)
        self._poll.register(handle, select.POLLIN)
        for descriptor in self._streams:
            self._poll.register(descriptor, select.POLLIN)
        if self._input >= 0:
            os.set_blocking(self._input, False)
            self._poll.register(self._input, select.POLLOUT)
        if self._keyboard >= 0:
            os.set_blocking(self._terminal, False)
            self._poll.register(self._keyboard, select.POLLIN)
        try:
            while True:
                ready = self._poll.poll(self._remaining_ms())
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    self._kill()
                    return True
                if not ready:
                    self._tell_end()
                for descriptor, _ in ready:
                    self._serve(descriptor)
                if any(descriptor == handle for descriptor, _ in ready):
                    return False
        finally:
            self._poll.unregister(handle)
            os.close(handle)

    def _remaining_ms(self) -> float | None:
        waits = self._terminal >= 0 and self._input < 0 and self._keyboard < 0
        if self._deadline is None:
            return IDLE_MS if waits else None
        left = max(0.0, self._deadline - time.monotonic()) * 1000
        return min(left, IDLE_MS) if waits else left

    def _tell_end(self) -> None:
        """There is no user at a private terminal: a program that waits there gets the end of input,
        again and again, since one that is about to ask throws away what was typed before."""
        is_idle = self._input < 0 and self._keyboard < 0
        if self._terminal >= 0 and is_idle and self._terminal not in self._ended:
            with contextlib.suppress(OSError):
                os.set_blocking(self._terminal, False)
                os.write(self._terminal, b"\x04")

    def _serve(self, descriptor: int) -> None:
        if descriptor == self._keyboard:
            self._type()
        elif descriptor == self._input and descriptor not in self._streams:
            self._feed()
        elif descriptor in self._streams:
            if descriptor == self._input:
                self._feed()
            self._pass_on(descriptor)

    def _type(self) -> None:
        """Keys of a person, as they come. What a full terminal does not take is lost, as at any terminal."""
        try:
            keys = os.read(self._keyboard, _KEYS)
        except OSError:
            keys = b""
        if not keys:
            self._poll.unregister(self._keyboard)
            self._keyboard = -1
            return
        # A program may ignore an interrupt; a person who insists is obeyed.
        self._interrupts = 0 if keys.strip(_INTERRUPT) else self._interrupts + len(keys)
        if self._interrupts >= MAX_INTERRUPTS:
            self.cancel()
        with contextlib.suppress(OSError):
            os.write(self._terminal, keys)

    def _feed(self) -> None:
        try:
            sent = os.write(self._input, self._unsent[:_CHUNK]) if self._unsent else 0
            self._unsent = self._unsent[sent:]
        except BlockingIOError:
            return
        except OSError:
            self._unsent = b""  # no reader is left
        if not self._unsent:
            self._end_input()

    def _end_input(self) -> None:
        if self._input in self._streams:  # a terminal: stays open for reading
            self._poll.modify(self._input, select.POLLIN)
        else:
            self._poll.unregister(self._input)
            os.close(self._input)
        self._input = -1

    def _pass_on(self, descriptor: int) -> bool:
        """One piece of output; False at the end of the stream."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:  # the other side of a terminal is gone
            data = b""
        if not data:
            with contextlib.suppress(KeyError):
                self._poll.unregister(descriptor)
            self._ended.add(descriptor)
            return False
        name = self._streams[descriptor]
        left = self._left[name]
        if left is not None:
            self._truncated = self._truncated or len(data) > left
            data = data[:left]
            self._left[name] = left - len(data)
        if data:
            self._on_output(name, data)
        return True

    def _reap(self) -> int:
        """The exit status, and what was still in the pipes."""
        code = processes.wait(self._pid)
        self._settle()
        for descriptor in self._streams:
            if descriptor not in self._ended:
                os.set_blocking(descriptor, False)
                while self._readable(descriptor) and self._pass_on(descriptor):
                    pass
            os.close(descriptor)
        if self._input >= 0 and self._input not in self._streams:
            os.close(self._input)
        code = 0 if code is None else code
        return _SIGNAL_BASE - code if code < 0 else code

    def _readable(self, descriptor: int) -> bool:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))
