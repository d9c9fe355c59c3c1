"""Processes: start a program with exactly the descriptors it may have, and end it for sure.

Built on `posix_spawn`: no code of ours runs between fork and exec (safe in threaded programs) and
the parent's memory is not copied. Nothing here confines anything; that is the `sandbox` package.
"""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable, Mapping, Sequence
else:
    import _signal as signal  # the same numbers; `signal` itself brings `enum` along

_RESET = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Python ignores the first two, and a caller may have changed the rest."""


def spawn(
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    program: str | None = None,
    keep: Iterable[int] = (),
    stdin: int = -1,
    stdout: int = -1,
    stderr: int = -1,
    setsid: bool = False,
) -> int:
    """Start `argv[0]` (an absolute path) and return its process id.

    Args:
        program: the path to execute, where `argv[0]` is only a name.
        keep: descriptors handed down under the same number.
        stdin, stdout, stderr: our descriptor to use, or -1 for `/dev/null`.

    Raises:
        OSError: when the program cannot be started.
    """
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = []
    for target, ours in enumerate((stdin, stdout, stderr)):
        if ours >= 0:
            actions.append((os.POSIX_SPAWN_DUP2, ours, target))
        else:
            actions.append((os.POSIX_SPAWN_OPEN, target, os.devnull, os.O_RDWR, 0))
    # A dup2 onto itself clears close-on-exec in the child alone.
    actions.extend((os.POSIX_SPAWN_DUP2, descriptor, descriptor) for descriptor in keep)
    return os.posix_spawn(
        program or argv[0],
        list(argv),
        dict(env),
        file_actions=actions,
        setsid=setsid,
        setsigmask=(),
        setsigdef=_RESET,
    )


def wait(pid: int, timeout_s: float | None = None) -> int | None:
    """The exit status of a child as `subprocess` counts it (-N for signal N), None on time-out."""
    if timeout_s is not None and not _ended(pid, timeout_s):
        return None
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return -signal.SIGKILL
    return os.waitstatus_to_exitcode(status)


def _ended(pid: int, timeout_s: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return _ended_without_pidfd(pid, timeout_s)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(max(0, int(timeout_s * 1000))))
    finally:
        os.close(handle)


def _ended_without_pidfd(pid: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.005)


def end_with(pid: int) -> None:
    """End this process as soon as that one has ended, however it ended; for workers, which outlive a killed host."""
    import threading

    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        os._exit(1)
    except (AttributeError, OSError):
        return  # a system without pidfd: workers end when their queue does

    def watch() -> None:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll()
        os._exit(1)

    threading.Thread(target=watch, name="end-with-host", daemon=True).start()


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal; a process that is already gone is not an error."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def kill_handle(handle: int, number: int = signal.SIGKILL) -> None:
    """Send a signal through a pidfd; a process that is already gone is not an error."""
    try:
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return


def children_cpu_s() -> float:
    """Processor time of all our children that have ended, theirs included."""
    times = os.times()
    return times.children_user + times.children_system


def find_program(name: str, directories: Iterable[str]) -> str | None:
    """The first executable file `name` in `directories`, as an absolute path."""
    for directory in directories:
        candidate = os.path.join(directory, name)
        if os.path.isabs(candidate) and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None
