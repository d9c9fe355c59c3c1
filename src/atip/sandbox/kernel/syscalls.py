"""Kernel: the few system calls that Python has no name for (Landlock, prctl, seccomp).

Used to find out what this host can enforce, and by the Landlock backend. Each function is a thin
entry point: it takes plain numbers and bytes, and raises OSError.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
CLONE_FS = 0x200
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH = 1


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def set_no_new_privileges() -> None:
    """No later exec of this thread can gain rights; Landlock and seccomp ask for it."""
    _check(_libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


@functools.cache
def landlock_abi() -> int:
    """The version of Landlock here; 0 where the kernel has none or it is switched off."""
    version = _libc().syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)
    return max(0, int(version))


def landlock_ruleset(fs: int, net: int, scoped: int, abi: int) -> int:
    """A descriptor of a new rule set that handles the given rights; older kernels know fewer."""
    attributes = struct.pack("<QQQ", fs, net, scoped)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return _check(_libc().syscall(LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0))


def landlock_allow_path(ruleset: int, path_fd: int, rights: int) -> None:
    """Grant rights below an open file or directory."""
    rule = struct.pack("<Qi", rights, path_fd)
    _check(_libc().syscall(LANDLOCK_ADD, ruleset, _RULE_PATH, rule, 0))


def landlock_restrict_thread(ruleset: int) -> None:
    """Put this thread, and all it starts from now on, under the rule set. For ever."""
    _check(_libc().syscall(LANDLOCK_RESTRICT, ruleset, 0))


def seccomp_restrict_thread(program: bytes) -> None:
    """Put this thread, and all it starts, behind a filter program. For ever."""
    code = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _check(_libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0))


def detach_directory_of_thread() -> None:
    """From now on `chdir` of this thread changes its own working directory, not the process's."""
    _check(_libc().unshare(CLONE_FS))
