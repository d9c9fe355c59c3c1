"""System calls of a traced program, read as what they try: the arguments lie in its registers and its memory.

    read_call("unlink", Caller(pid), arguments)     # [Event(kind="delete", target="/w/a.txt", call="unlink")]

What a name or a flag means is decided here, what it is held against in `policy.confinement.observed`.
"""

from __future__ import annotations

import os
import socket
import struct
from typing import TYPE_CHECKING

from atip.model.value import Value
from atip.sandbox.kernel.seccomp import INTERNET, TRACED

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[["TracedThread", list[int]], "list[TraceEvent]"]

_AT_FDCWD = -100
_MAX_PATH = 4096
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_AT_EMPTY_PATH = 0x1000
_MAX_VARIABLES = 256
_SHELLS = ("bash", "zsh")
_TERMINALS = ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/")
_FAMILIES = {1: "unix", 2: "inet", 10: "inet6", 16: "netlink", 17: "packet", 40: "vsock"}


class TraceEvent(Value):
    """One try.

    `kind`: `read`, `create`, `write` (to what is there), `overwrite` (what was there is gone), `delete`, `rename`, `permission`,
    `spawn`, `process`, `signal`, `socket`, `listen`, `connect`, `terminal`, `environment`, `mount`, `system`.
    """

    kind: str
    target: str
    """Absolute path inside, which is the path outside for everything that was granted; or `address:port`, a name."""
    exists: bool = True
    """Whether something was there at that moment."""
    call: str = ""
    """The system call behind it."""
    source: str = ""
    """The old name of what was renamed."""


class TracedThread:
    """The thread that waits: its memory, its directories."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
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
            number = signed(directory)
            link = "cwd" if number == _AT_FDCWD else f"fd/{number}"
            text = os.path.join(os.readlink(f"{self._at}/{link}"), text)
        return os.path.normpath(text)

    def exists(self, path: str) -> bool:
        return os.path.lexists(f"{self._at}/root{path}")

    def program(self) -> str:
        """The name of the program that runs."""
        return os.path.basename(os.readlink(f"{self._at}/exe").removesuffix(" (deleted)"))

    def process(self) -> int:
        """The process that the thread belongs to, by its number inside."""
        with open(f"{self._at}/status", "rb") as file:
            for line in file:
                if line.startswith(b"NStgid:"):
                    return int(line.split()[-1])
        return 0

    def variables(self, address: int) -> dict[str, str]:
        """The variables that a program is started with."""
        variables: dict[str, str] = {}
        pointers = self.memory(address, 8 * _MAX_VARIABLES)
        for (pointer,) in struct.iter_unpack("<Q", pointers[: len(pointers) // 8 * 8]):
            if not pointer:
                break
            name, _, value = self.text(pointer).partition("=")
            variables[name] = value
        return variables


def signed(number: int) -> int:
    """A register as the `int` that the kernel reads."""
    return int(struct.unpack("<i", struct.pack("<I", number & 0xFFFFFFFF))[0])


def read_call(name: str, caller: TracedThread, arguments: list[int]) -> list[TraceEvent]:
    """Events of a system call; empty for one without an effect worth reporting."""
    if name in TRACED:
        return [_system_event(name, caller, arguments)]
    read = _READERS.get(name)
    return [event.replace(call=name) for event in read(caller, arguments)] if read else []


def is_refused(name: str, arguments: list[int]) -> bool:
    """Calls that the tracer refuses in the place of the filter below. By registers alone, which no other process can change."""
    return name in TRACED or (name == "socket" and signed(arguments[0]) not in INTERNET)


def _system_event(name: str, caller: TracedThread, a: list[int]) -> TraceEvent:
    mounts = ("mount", "umount2", "pivot_root", "move_mount", "fsopen", "open_tree")
    if name == "mount":
        return TraceEvent(kind="mount", target=caller.path(_AT_FDCWD, a[1]), call=name)
    if name in ("umount2", "pivot_root", "chroot", "swapon", "swapoff"):
        kind = "mount" if name in mounts else "system"
        return TraceEvent(kind=kind, target=caller.path(_AT_FDCWD, a[0]), call=name)
    return TraceEvent(kind="mount" if name in mounts else "system", target=name, call=name)


def _opened(caller: TracedThread, path: str, flags: int) -> list[TraceEvent]:
    if path.startswith(_TERMINALS):
        if caller.program() in _SHELLS:
            return []  # it only checks whether the process exists
        return [TraceEvent(kind="terminal", target=path, exists=caller.exists(path))]
    exists = caller.exists(path)
    writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC)
    if not flags & _WRITING or (exists and not writes):
        kind = "read"  # to make a file that is there changes nothing
    elif not exists:
        kind = "create"
    else:
        kind = "overwrite" if flags & os.O_TRUNC else "write"
    return [TraceEvent(kind=kind, target=path, exists=exists)]


def _open(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    return _opened(caller, caller.path(_AT_FDCWD, a[0]), a[1])


def _openat(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    return _opened(caller, caller.path(a[0], a[1]), a[2])


def _openat2(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    (flags,) = struct.unpack("<Q", caller.memory(a[2], 8))
    return _opened(caller, caller.path(a[0], a[1]), flags)


def _creat(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    return _opened(caller, caller.path(_AT_FDCWD, a[0]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def _change(kind: str, directory: int | None, at: int) -> Reader:
    """A call that changes the name at argument positions (directory or None, path)."""

    def read(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
        where = _AT_FDCWD if directory is None else a[directory]
        text = caller.text(a[at]) if a[at] else ""  # none at all: the directory itself is meant
        path = caller.absolute(where, text)
        return [TraceEvent(kind=kind, target=path, exists=caller.exists(path))]

    return read


def _change_open_file(kind: str) -> Reader:
    """A call that changes an open file."""

    def read(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
        path = caller.absolute(a[0], "")
        if not path.startswith("/"):
            return []  # a pipe, a socket
        return [TraceEvent(kind=kind, target=path, exists=caller.exists(path))]

    return read


def _renamed(old: tuple[int | None, int], new: tuple[int | None, int]) -> Reader:
    """The old name goes, the new one comes."""

    def read(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
        names = [
            caller.path(_AT_FDCWD if directory is None else a[directory], a[at])
            for directory, at in (old, new)
        ]
        if not caller.exists(names[0]):
            return []
        exists = caller.exists(names[1])
        return [TraceEvent(kind="rename", target=names[1], exists=exists, source=names[0])]

    return read


def _execve(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    path = caller.path(_AT_FDCWD, a[0])
    return [TraceEvent(kind="spawn", target=path, exists=caller.exists(path))]


def _execveat(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    text = caller.text(a[1])
    path = caller.absolute(a[0], "" if not text and a[4] & _AT_EMPTY_PATH else text)
    return [TraceEvent(kind="spawn", target=path, exists=caller.exists(path))]


def _forked(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    return [TraceEvent(kind="process", target=caller.program())]


def _signalled(at: int) -> Reader:
    """A signal to another process; one to itself (`abort`) does not count, and 0 is only a check. `exists`: to a process of this run."""

    def read(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
        number, target = signed(a[at]), signed(a[0])
        if number == 0 or target == caller.process():
            return []
        own = target not in (-1, 0, 1) and caller.exists(f"/proc/{abs(target)}")
        return [
            TraceEvent(kind="signal", target=f"{number} to {target}", exists=own or target == 0)
        ]

    return read


def _socket(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    family = signed(a[0])
    kinds = {1: "stream", 2: "datagram", 3: "raw"}
    kind = kinds.get(a[1] & 0xF, str(a[1] & 0xF))
    return [TraceEvent(kind="socket", target=f"{_FAMILIES.get(family, family)} {kind}")]


def read_address(data: bytes) -> tuple[str, int] | None:
    """Address and port of a socket address of the Internet families; None for any other."""
    (family,) = struct.unpack("<H", data[:2])
    if family == socket.AF_INET:
        port, host = struct.unpack(">H4s", data[2:8])
        return socket.inet_ntop(socket.AF_INET, host), port
    if family == socket.AF_INET6:
        port, host = struct.unpack(">H4x16s", data[2:24])
        mapped = host[:12] == bytes(10) + b"\xff\xff"
        if mapped:
            return socket.inet_ntop(socket.AF_INET, host[12:]), port
        return f"[{socket.inet_ntop(socket.AF_INET6, host)}]", port
    return None


def _address(kind: str, at: int, size: int) -> Reader:
    def read(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
        address = read_address(caller.memory(a[at], min(a[size], 128)))
        return [TraceEvent(kind=kind, target=f"{address[0]}:{address[1]}")] if address else []

    return read


def _sendmsg(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    pointer, size = struct.unpack("<QI", caller.memory(a[1], 12))
    return _address("connect", 0, 1)(caller, [pointer, size]) if pointer else []


def _terminal(caller: TracedThread, a: list[int]) -> list[TraceEvent]:
    target = caller.absolute(a[0], "")
    return [TraceEvent(kind="terminal", target=target)] if target.startswith("/dev/") else []


_READERS: dict[str, Reader] = {
    "open": _open,
    "openat": _openat,
    "openat2": _openat2,
    "creat": _creat,
    "truncate": _change("overwrite", None, 0),
    "ftruncate": _change_open_file("write"),
    "unlink": _change("delete", None, 0),
    "unlinkat": _change("delete", 0, 1),
    "rmdir": _change("delete", None, 0),
    "rename": _renamed((None, 0), (None, 1)),
    "renameat": _renamed((0, 1), (2, 3)),
    "renameat2": _renamed((0, 1), (2, 3)),
    "mkdir": _change("create", None, 0),
    "mkdirat": _change("create", 0, 1),
    "mknod": _change("create", None, 0),
    "mknodat": _change("create", 0, 1),
    "link": _change("create", None, 1),
    "linkat": _change("create", 2, 3),
    "symlink": _change("create", None, 1),
    "symlinkat": _change("create", 1, 2),
    "chmod": _change("permission", None, 0),
    "fchmod": _change_open_file("permission"),
    "fchmodat": _change("permission", 0, 1),
    "fchmodat2": _change("permission", 0, 1),
    "chown": _change("permission", None, 0),
    "fchown": _change_open_file("permission"),
    "lchown": _change("permission", None, 0),
    "fchownat": _change("permission", 0, 1),
    "utime": _change("permission", None, 0),
    "utimes": _change("permission", None, 0),
    "utimensat": _change("permission", 0, 1),
    "setxattr": _change("permission", None, 0),
    "lsetxattr": _change("permission", None, 0),
    "removexattr": _change("permission", None, 0),
    "lremovexattr": _change("permission", None, 0),
    "execve": _execve,
    "execveat": _execveat,
    "fork": _forked,
    "vfork": _forked,
    "clone": _forked,
    "kill": _signalled(1),
    "tkill": _signalled(1),
    "tgkill": _signalled(2),
    "rt_sigqueueinfo": _signalled(1),
    "pidfd_send_signal": _signalled(1),
    "socket": _socket,
    "bind": _address("listen", 1, 2),
    "connect": _address("connect", 1, 2),
    "sendto": _address("connect", 4, 5),
    "sendmsg": _sendmsg,
    "ioctl": _terminal,
}
