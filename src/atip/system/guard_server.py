"""`guard serve`: a server that has everything loaded, with two workers that judge one request after the other.

    (1) listen on a socket that only this user can reach, put in place in one step over one that is there
    (2) a worker looks at who calls, takes over its environment and folder, and judges as the hook itself would
    (3) files of the program changed, or a client of another version: start again as the new program, with the same socket

Nothing of a request is kept: policies, approvals and the store are read for each. A worker that fails or takes too long is ended, and a new one begins.
A client that gets no answer judges itself, so that stopping the server at any moment stops no hook.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import stat
import sys
from typing import TYPE_CHECKING

from atip.errors import TrustError, UsageError
from atip.system.clock import monotonic
from atip.system.guard_socket import FIELDS, MAX_BYTES, own_stamp, peer_of, receive, split_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Answer = Callable[[list[str], bytes], bytes]

INHERITED = "ATIP_GUARD_SOCKET"
"""Number of the listening socket, from the program before an upgrade to the one after it."""
WORKERS = 2
MAX_REQUESTS = 1000
"""After so many a worker makes way for a new one."""
LIMIT_S = 6.0
BACKLOG = 32
LOOK_EVERY_S = 1.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_CHANGED = 75
"""Exit code of a worker that found the program changed."""


class Server:
    """Listens until it is stopped or replaced, or the program changes."""

    def __init__(self, path: str, answer: Answer) -> None:
        """
        Args:
            answer: what the hook prints for its words and its input.
        """
        self.path = path
        self._answer = answer
        self._workers: dict[int, float] = {}
        """Process → when it is ended; 0: it waits."""
        self._stops = self._changed = False
        self._stamp = own_stamp()
        self._files = _module_files()
        self._socket = _inherited_socket() or _listen(path)  # (1)
        self._inode = os.lstat(path).st_ino
        self._pipe_reader, self._pipe_writer = os.pipe()
        self._parent = os.getpid()

    def serve(self) -> None:
        """Serve until a stop signal, or until another server replaces this one."""
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        gc.collect()
        gc.freeze()  # what is loaded stays shared with the workers
        poll = select.poll()
        poll.register(self._pipe_reader, select.POLLIN)
        while not self._stops and not self._changed and self._is_ours():
            while len(self._workers) < WORKERS:
                self._fork()
            if poll.poll(LOOK_EVERY_S * 1000):
                self._read_reports()
            self._reap()
        self._end()
        if self._changed:
            self._start_again()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stops = True

    def _is_ours(self) -> bool:
        try:
            return os.lstat(self.path).st_ino == self._inode
        except FileNotFoundError:
            return False

    def _fork(self) -> None:
        # a signal between the fork and the worker's own handlers would be lost
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        worker = os.fork()
        if worker == 0:
            os._exit(self._work())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        self._workers[worker] = 0.0

    def _report(self, busy: bool) -> None:
        os.write(self._pipe_writer, os.getpid().to_bytes(4, "big") + bytes((busy,)))

    def _read_reports(self) -> None:
        """Read the reports of workers that begin or end a request."""
        messages = os.read(self._pipe_reader, 5 * 1000)
        for at in range(0, len(messages), 5):
            worker = int.from_bytes(messages[at : at + 4], "big")
            if worker in self._workers:
                self._workers[worker] = monotonic() + LIMIT_S if messages[at + 4] else 0.0

    def _reap(self) -> None:
        for worker, end in list(self._workers.items()):
            done, status = os.waitpid(worker, os.WNOHANG)
            if done:
                del self._workers[worker]
                self._changed |= os.waitstatus_to_exitcode(status) == _CHANGED
            elif end and monotonic() > end:
                os.kill(worker, signal.SIGKILL)

    def _end(self) -> None:
        """Workers that wait go; those that judge come to their end."""
        if not self._changed and self._is_ours():
            os.unlink(self.path)
        for worker in self._workers:
            os.kill(worker, signal.SIGTERM)
        for worker in self._workers:
            os.waitpid(worker, 0)

    def _start_again(self) -> None:
        """(3)"""
        os.set_inheritable(self._socket.fileno(), True)
        os.environ[INHERITED] = str(self._socket.fileno())
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606

    def _work(self) -> int:
        """(2) One request after the other; whatever goes wrong ends this process, and the next one begins afresh."""
        ends: list[int] = []
        try:
            signal.signal(signal.SIGTERM, lambda number, _frame: ends.append(number))
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            for _ in range(MAX_REQUESTS):
                line = self._accept(ends)
                if line is None:
                    return 0
                with line:
                    self._report(True)
                    code = self._serve_one(line)
                self._report(False)
                if code:
                    return code
        except BaseException:  # SECURITY: a worker never returns into what its parent does
            return 1
        return 0

    def _accept(self, ends: list[int]) -> socket.socket | None:
        """The next connection; None: it is time to go."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        while not ends and os.getppid() == self._parent:  # without its parent a worker goes, too
            if poll.poll(LOOK_EVERY_S * 1000):
                with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
                    return self._socket.accept()[0]  # another worker may have been quicker
        return None

    def _serve_one(self, line: socket.socket) -> int:
        """SECURITY: nothing is answered where anything is wrong; the client judges itself then."""
        line.settimeout(LIMIT_S)
        caller, user = peer_of(line)
        if user != os.geteuid() or not _same_view(caller):
            return 0
        stamp, cwd, words, variables, request = split_fields(receive(line, MAX_BYTES), FIELDS)
        if stamp != self._stamp or _module_files(self._files) != self._files:
            return _CHANGED
        _become(caller, cwd, variables)
        answer = self._answer([os.fsdecode(word) for word in words.split(b"\0")], request)
        line.sendall(len(answer).to_bytes(4, "big") + answer)
        return 0


def _listen(path: str) -> socket.socket:
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise TrustError("guard.foreign-folder", f"`{folder}` belongs to another user")
    os.chmod(folder, 0o700)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    temporary = f"{path}.{os.getpid()}"
    before = os.umask(0o177)
    try:
        listener.bind(temporary)
    except OSError as error:
        raise UsageError("guard.socket", f"cannot listen at `{path}`: {error.strerror or error}", hint="set XDG_RUNTIME_DIR to a short path") from error  # fmt: skip
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
    listener.setblocking(False)
    os.rename(temporary, path)  # a client reaches the old server or this one
    return listener


def _inherited_socket() -> socket.socket | None:
    number = os.environ.pop(INHERITED, "")
    if not number.isdigit():
        return None
    try:
        listener = socket.socket(fileno=int(number))
    except OSError:
        return None
    listener.setblocking(False)
    os.set_inheritable(listener.fileno(), False)
    return listener


def _same_view(caller: int) -> bool:
    """SECURITY: a process that sees other files or other users is in a sandbox, and is not answered from outside."""
    return all(
        os.readlink(f"/proc/{caller}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}")
        for kind in ("mnt", "user", "pid")
    )


def _become(caller: int, cwd: bytes, variables: bytes) -> None:
    """Environment, folder and parents of the calling process."""
    from atip.system.programs import callers

    callers.stand_in_for(caller)
    os.environ.clear()
    for part in variables.split(b"\0") if variables else ():
        key, _, value = part.partition(b"=")
        os.environb[key] = value
    os.chdir(cwd)


def _module_files(only: dict[str, int] | None = None) -> dict[str, int]:
    """Source files of our modules that are loaded, and when each was changed."""
    names = only or {
        path
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "atip" and (path := getattr(module, "__file__", None))
    }
    times = {}
    for path in names:
        try:
            times[path] = os.stat(path).st_mtime_ns
        except OSError:
            times[path] = -1
    return times
