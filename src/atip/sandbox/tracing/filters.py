"""The filter of a traced run: calls that touch files, programs, the network or the machine are reported to us.

Assembled like `seccomp`, and laid over the same protections. What those refuse is refused and never reported, with one
exception: the calls of `seccomp.TRACED` are left out there and are refused here, by our answer, so that a try to mount or
to restart the machine is seen. System-call numbers are data from the kernel's own headers.
"""

from __future__ import annotations

import struct

from atip.errors import SandboxError
from atip.sandbox.kernel.seccomp import TRACED
from atip.sandbox.kernel.syscall_numbers import ARCHITECTURES, NUMBERS

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_ARG0 = 16
_CLONE_THREAD = 0x00010000
TERMINAL_REQUESTS = (0x5402, 0x5403, 0x5404)
"""TCSETS, TCSETSW, TCSETSF: a program that changes its terminal."""

CHANNEL_FD = 998
"""Through which the launcher hands the kernel's end over: it cannot wait for us to hear of that."""

CALLS: dict[str, tuple[int | None, int | None]] = {
    # name: x86_64, aarch64
    "open": (2, None),
    "creat": (85, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rmdir": (84, None),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_send_signal": (424, 424),
    "socket": (41, 198),
    "bind": (49, 200),
    "connect": (42, 203),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "ioctl": (16, 29),
    **{name: NUMBERS[name] for name in TRACED},
}
"""Reported calls. `sendto` only with an address (on a connected socket it is an ordinary write), `clone` only of a process,
`ioctl` only where it changes a terminal."""
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def numbers(machine: str) -> dict[int, str]:
    """Call number → name.

    Raises:
        SandboxError: `sandbox.architecture`.
    """
    if machine not in ARCHITECTURES:
        raise SandboxError("sandbox.architecture", f"tracing does not support `{machine}`")
    column = ARCHITECTURES[machine][0]
    by_number = {calls[column]: name for name, calls in CALLS.items()}
    return {number: name for number, name in by_number.items() if number is not None}


def assemble_trace(machine: str) -> tuple[bytes, int]:
    """The program, and the number of `seccomp(2)`."""
    code = bytearray()

    def emit(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        code.extend(struct.pack("<HBBI", operation, if_true, if_false, value))

    emit(_LOAD, 0)
    for number, name in numbers(machine).items():
        match name:
            case "sendto":
                emit(_EQUAL, number, 0, 4)
                emit(_LOAD, _ARG0 + 8 * 4)
                emit(_EQUAL, 0, 0, 1)
                emit(_RETURN, _ALLOW)
            case "sendmsg":
                emit(_EQUAL, number, 0, 4)
                emit(_LOAD, _ARG0)
                emit(_EQUAL, CHANNEL_FD, 0, 1)
                emit(_RETURN, _ALLOW)
            case "clone":
                emit(_EQUAL, number, 0, 4)
                emit(_LOAD, _ARG0)
                emit(_ANY_BIT, _CLONE_THREAD, 0, 1)
                emit(_RETURN, _ALLOW)
            case "ioctl":
                emit(_EQUAL, number, 0, 6)
                emit(_LOAD, _ARG0 + 8)
                emit(_EQUAL, TERMINAL_REQUESTS[0], 3, 0)
                emit(_EQUAL, TERMINAL_REQUESTS[1], 2, 0)
                emit(_EQUAL, TERMINAL_REQUESTS[2], 1, 0)
                emit(_RETURN, _ALLOW)
            case _:
                emit(_EQUAL, number, 0, 1)
        emit(_RETURN, _NOTIFY)
    emit(_RETURN, _ALLOW)
    return bytes(code), _SECCOMP[machine]
