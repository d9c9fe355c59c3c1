"""The filter of a traced run: calls that touch files, programs or the network are told to us, and then go on.

Assembled like `seccomp`, and laid over the same protections: what those refuse is refused and never told. A
telling filter decides nothing. System-call numbers are data from the kernel's own headers.
"""

from __future__ import annotations

import struct

from atip.errors import SandboxError
from atip.sandbox.syscall_numbers import ARCHITECTURES

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_ARG0 = 16

CALLS: dict[str, tuple[int | None, int | None]] = {
    # name: x86_64, aarch64
    "open": (2, None),
    "creat": (85, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "truncate": (76, 45),
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
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "execve": (59, 221),
    "execveat": (322, 281),
    "connect": (42, 203),
    "sendto": (44, 206),
}
"""What is told. `sendto` only with an address: on a connected socket it is an ordinary write."""
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def numbers(machine: str) -> dict[int, str]:
    """Call number → name.

    Raises:
        SandboxError: `sandbox.architecture`.
    """
    if machine not in ARCHITECTURES:
        raise SandboxError("sandbox.architecture", f"no tracing is known for `{machine}`")
    column = ARCHITECTURES[machine][0]
    found = {calls[column]: name for name, calls in CALLS.items()}
    return {number: name for number, name in found.items() if number is not None}


def assemble_trace(machine: str) -> tuple[bytes, int]:
    """The program, and the number of `seccomp(2)`."""
    code = bytearray()

    def emit(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        code.extend(struct.pack("<HBBI", operation, if_true, if_false, value))

    emit(_LOAD, 0)
    for number, name in numbers(machine).items():
        if name == "sendto":
            emit(_EQUAL, number, 0, 4)
            emit(_LOAD, _ARG0 + 8 * 4)
            emit(_EQUAL, 0, 0, 1)
            emit(_RETURN, _ALLOW)
            emit(_RETURN, _NOTIFY)
        else:
            emit(_EQUAL, number, 0, 1)
            emit(_RETURN, _NOTIFY)
    emit(_RETURN, _ALLOW)
    return bytes(code), _SECCOMP[machine]
