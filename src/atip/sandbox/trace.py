"""Trace: what a confined program really touches, seen by the kernel and told to us call by call.

Seccomp user notification: the traced program waits in each call of `trace_filter.CALLS` until our thread has read its
arguments and lets it go on. No debugger, no extra package, works as root or not, and the sandbox stays
as it is. Each such call costs a fraction of a millisecond (benchmarks/README.md); computing costs nothing. What is noted are *tries*: whether
a write got through is decided by the sandbox and told by its grants.

Never used for decisions: a program could change an argument after we have read it.
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

from atip.model.value import Value
from atip.sandbox.trace_filter import assemble_trace, numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_SYNC_WAKE_UP = 1
_NOTIFICATION = struct.Struct("<QIIiIQ6Q")
_RESPONSE = struct.Struct("<QqiI")
_CONTINUE = 1
_AT_FDCWD = -100
_MAX_PATH = 4096
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_AT_EMPTY_PATH = 0x1000
MAX_EVENTS = 100_000


class Event(Value):
    """One try. `kind`: `read`, `write`, `delete`, `spawn`, `connect`."""

    kind: str
    target: str
    """Absolute path inside, which is the path outside for everything that was granted; or `address:port`."""
    exists: bool = True
    """Whether something was there at that moment."""


class Tracer:
    """Collects the events of one run; `begin` is called by the backend, `end` by whoever waited."""

    def __init__(self) -> None:
        machine = os.uname().machine
        self.filter, self.number = assemble_trace(machine)
        self._names = numbers(machine)
        self._events: dict[Event, None] = {}
        self._thread: threading.Thread | None = None
        self._begun = False
        self.complete = True
        """False: there were more events than are kept."""
        self.calls = 0
        """How many calls were told."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Each different try once, in the order in which it was first made."""
        return tuple(self._events)

    def begin(self, channel: socket.socket) -> None:
        """Take the kernel's end from the launcher inside, and listen.

        Raises:
            OSError: it was not handed over.
        """
        _, handed, _, _ = socket.recv_fds(channel, 1, 1)
        if not handed:
            raise OSError(errno.EPIPE, "the launcher ended before the trace began")
        # kernel 6.6: hand the processor over instead of waking up
        with contextlib.suppress(OSError):
            fcntl.ioctl(handed[0], _SET_FLAGS, _SYNC_WAKE_UP)
        self._thread = threading.Thread(target=self._listen, args=(handed[0],), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until everything that was told is noted; the program has ended by now."""
        if self._thread is not None:
            self._thread.join(5.0)

    def _listen(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while True:
                (_, what), *_rest = poll.poll()
                if what & select.POLLIN:
                    self._one(listener)
                elif what & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                    return  # nobody is left inside
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
        # it may have ended, or have handed in nonsense: the kernel will tell it so
        with contextlib.suppress(OSError, ValueError, struct.error):
            self._note(self._names.get(number, ""), pid, arguments)
        with contextlib.suppress(FileNotFoundError):
            fcntl.ioctl(listener, _SEND, _RESPONSE.pack(identity, 0, 0, _CONTINUE))

    def _note(self, name: str, pid: int, arguments: list[int]) -> None:
        if not self._begun:  # up to its first exec it is our own launcher
            self._begun = name in ("execve", "execveat")
            return
        read = _READERS.get(name)
        for event in read(_Caller(pid), arguments) if read else ():
            if len(self._events) >= MAX_EVENTS:
                self.complete = False
                return
            self._events[event] = None


class _Caller:
    """The thread that waits: its memory, its directories."""

    def __init__(self, pid: int) -> None:
        self._at = f"/proc/{pid}"

    def memory(self, address: int, size: int) -> bytes:
        handle = os.open(f"{self._at}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(handle, size, address)
        finally:
            os.close(handle)

    def text(self, address: int) -> str:
        """A path; read up to the end of a page first, since what follows may not be there."""
        data = self.memory(address, 4096 - address % 4096)
        if b"\0" not in data:
            data += self.memory(address + len(data), _MAX_PATH)
        return os.fsdecode(data.split(b"\0", 1)[0][:_MAX_PATH])

    def path(self, directory: int, address: int) -> str:
        """The absolute path that a call names, without looking at links."""
        return self.absolute(directory, self.text(address))

    def absolute(self, directory: int, text: str) -> str:
        if not text.startswith("/"):
            number = struct.unpack("<i", struct.pack("<I", directory & 0xFFFFFFFF))[0]
            link = "cwd" if number == _AT_FDCWD else f"fd/{number}"
            text = os.path.join(os.readlink(f"{self._at}/{link}"), text)
        return os.path.normpath(text)

    def exists(self, path: str) -> bool:
        return os.path.lexists(f"{self._at}/root{path}")


def _opened(caller: _Caller, path: str, flags: int) -> list[Event]:
    exists = caller.exists(path)
    kind = "write" if flags & _WRITING else "read"
    return [Event(kind=kind, target=path, exists=exists)]


def _open(caller: _Caller, a: list[int]) -> list[Event]:
    return _opened(caller, caller.path(_AT_FDCWD, a[0]), a[1])


def _openat(caller: _Caller, a: list[int]) -> list[Event]:
    return _opened(caller, caller.path(a[0], a[1]), a[2])


def _openat2(caller: _Caller, a: list[int]) -> list[Event]:
    (flags,) = struct.unpack("<Q", caller.memory(a[2], 8))
    return _opened(caller, caller.path(a[0], a[1]), flags)


def _creat(caller: _Caller, a: list[int]) -> list[Event]:
    return _opened(caller, caller.path(_AT_FDCWD, a[0]), os.O_WRONLY | os.O_CREAT)


def _change(kind: str, *pairs: tuple[int | None, int]) -> Callable[..., list[Event]]:
    """A call that changes the names at argument positions (directory or None, path)."""

    def read(caller: _Caller, a: list[int]) -> list[Event]:
        found = []
        for directory, at in pairs:
            path = caller.path(_AT_FDCWD if directory is None else a[directory], a[at])
            found.append(Event(kind=kind, target=path, exists=caller.exists(path)))
        return found

    return read


def _renamed(*pairs: tuple[int | None, int]) -> Callable[..., list[Event]]:
    """The old name goes, the new one comes."""

    def read(caller: _Caller, a: list[int]) -> list[Event]:
        old, new = _change("write", *pairs)(caller, a)
        return [old.replace(kind="delete"), new]

    return read


def _execve(caller: _Caller, a: list[int]) -> list[Event]:
    path = caller.path(_AT_FDCWD, a[0])
    return [Event(kind="spawn", target=path, exists=caller.exists(path))]


def _execveat(caller: _Caller, a: list[int]) -> list[Event]:
    text = caller.text(a[1])
    if not text and a[4] & _AT_EMPTY_PATH:
        path = caller.absolute(a[0], "")
    else:
        path = caller.absolute(a[0], text)
    return [Event(kind="spawn", target=path, exists=caller.exists(path))]


def _address(at: int, size: int) -> Callable[..., list[Event]]:
    def read(caller: _Caller, a: list[int]) -> list[Event]:
        data = caller.memory(a[at], min(a[size], 128))
        (family,) = struct.unpack("<H", data[:2])
        if family == socket.AF_INET:
            port, host = struct.unpack(">H4s", data[2:8])
            name = f"{socket.inet_ntop(socket.AF_INET, host)}:{port}"
        elif family == socket.AF_INET6:
            port, host = struct.unpack(">H4x16s", data[2:24])
            name = f"[{socket.inet_ntop(socket.AF_INET6, host)}]:{port}"
        else:
            return []
        return [Event(kind="connect", target=name)]

    return read


_READERS: dict[str, Callable[..., list[Event]]] = {
    "open": _open,
    "openat": _openat,
    "openat2": _openat2,
    "creat": _creat,
    "truncate": _change("write", (None, 0)),
    "unlink": _change("delete", (None, 0)),
    "unlinkat": _change("delete", (0, 1)),
    "rmdir": _change("delete", (None, 0)),
    "rename": _renamed((None, 0), (None, 1)),
    "renameat": _renamed((0, 1), (2, 3)),
    "renameat2": _renamed((0, 1), (2, 3)),
    "mkdir": _change("write", (None, 0)),
    "mkdirat": _change("write", (0, 1)),
    "mknod": _change("write", (None, 0)),
    "mknodat": _change("write", (0, 1)),
    "link": _change("write", (None, 1)),
    "linkat": _change("write", (2, 3)),
    "symlink": _change("write", (None, 1)),
    "symlinkat": _change("write", (1, 2)),
    "chmod": _change("write", (None, 0)),
    "fchmodat": _change("write", (0, 1)),
    "fchmodat2": _change("write", (0, 1)),
    "chown": _change("write", (None, 0)),
    "lchown": _change("write", (None, 0)),
    "fchownat": _change("write", (0, 1)),
    "execve": _execve,
    "execveat": _execveat,
    "connect": _address(1, 2),
    "sendto": _address(4, 5),
}
