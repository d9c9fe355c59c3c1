"""Seccomp: the system-call filter of the sandbox, assembled in pure Python.

`assemble` turns a `SeccompFilter` into the bytes of a classic BPF program for `bwrap --seccomp` or
`seccomp(2)`. It is a deny list: namespaces, mounts and missing capabilities do the real work, the
filter takes away what those leave open (nested namespaces, sockets that ignore the network
namespace, shared kernel objects that would outlive a probe). Values are compared as the kernel
reads them: the low 32 bits of `int` arguments, since it ignores the rest.
"""

from __future__ import annotations

import errno
import functools
import itertools
from _struct import pack

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.kernel.syscall_numbers import ARCHITECTURES, NUMBERS

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _JUMP, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x05, 0x06
_ROW = 6  # so many comparisons in a row are as quick as halving again, and shorter
_FARTHEST = 255  # of a conditional jump
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000
_X32_BIT = 0x40000000
_ARG0 = 16  # offset of args[0] in struct seccomp_data; the low word comes first (little endian)

AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
INTERNET = (AF_INET, AF_INET6)
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS|CGROUP|UTS|IPC|USER|PID|NET
_CLONE_THREAD = 0x00010000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AT_EMPTY_PATH = 0x1000
_SPECIAL_BITS = 0o6000  # set-user-ID, set-group-ID
_MAKES_FILE = (
    0x400040  # O_CREAT | O_TMPFILE; without one of them a mode is not read, and is anything
)
_STREAM, _SEQPACKET = 1, 5
_SOCKET_FLAGS = (0, 0x800, 0x80000, 0x80800)  # SOCK_NONBLOCK, SOCK_CLOEXEC
_Instruction = tuple[int, ...]
"""Code, value and, for a comparison, how far to jump if true and if false."""
ONE_SHOT_FD = 1000
"""Descriptor of the one program that may still be executed when exec is off."""

REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
    *("process_madvise", "process_mrelease", "move_pages", "migrate_pages"),
    *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr"),
    *("fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr", "unshare", "setns"),
    *("bpf", "perf_event_open", "keyctl", "add_key", "request_key", "userfaultfd"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("swapon", "swapoff", "reboot", "sethostname", "setdomainname", "acct", "quotactl"),
    *("quotactl_fd", "syslog", "settimeofday", "clock_settime", "clock_adjtime"),
    *("adjtimex", "iopl", "ioperm", "modify_ldt", "lookup_dcookie", "open_by_handle_at"),
    *("name_to_handle_at", "fanotify_init", "vhangup", "uselib", "ustat", "memfd_secret"),
)
"""Refused with EPERM in every sandbox."""

TRACED = (
    *(
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "move_mount",
        "fsopen",
        "open_tree",
        "mount_setattr",
    ),
    *("unshare", "setns", "ptrace", "reboot", "sethostname", "setdomainname", "settimeofday"),
    *("clock_settime", "swapon", "swapoff", "init_module", "finit_module", "delete_module"),
    *("kexec_load", "kexec_file_load", "acct", "quotactl"),
)
"""Of these, what a traced run tells before it refuses it (`tracing.filters`): what only an administrator does."""

SHARED_OBJECTS = (
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
)
"""Kernel objects that live on without a process: one probe could leave them for the next."""

ATTRIBUTES = ("setxattr", "lsetxattr", "fsetxattr", "setxattrat")
"""Extended attributes: would have to be looked for after each probe; ENOTSUP is a usual answer."""


class SeccompFilter(Value):
    """Settings of one filter, beyond the calls in `REFUSED`."""

    shared_objects: bool = False
    """True: System V IPC, POSIX message queues and extended attributes stay usable."""
    memfd: bool = False
    """True: `memfd_create` stays usable. False closes an exec and a memory escape."""
    sockets: bool = True
    """False: no socket at all but unix pairs, where no network namespace stands behind it."""
    one_shot_exec: bool = False
    """True: only `ONE_SHOT_FD` can be executed, by descriptor."""
    processes: bool = True
    """False: threads only; no other process can be made."""
    traced: bool = False
    """True: `TRACED`, and sockets of all families, are left to the filter of a traced run, which is always laid over this one."""


@functools.cache
def assemble(what: SeccompFilter, machine: str) -> bytes:
    """The program for one architecture (`x86_64`, `aarch64`).

    Raises:
        SandboxError: `sandbox.architecture` where the system-call numbers are not known.
    """
    if machine not in ARCHITECTURES:
        raise SandboxError(
            "sandbox.architecture",
            f"no system-call filter is known for `{machine}`",
            hint="x86_64 and aarch64 are supported",
        )
    column, audit = ARCHITECTURES[machine]
    program = _Program(column)
    for name in REFUSED:
        if not (what.traced and name in TRACED):
            program.refuse(name, errno.EPERM)
    if not what.shared_objects:
        for name in SHARED_OBJECTS:
            program.refuse(name, errno.ENOSYS)
        for name in ATTRIBUTES:
            program.refuse(name, errno.ENOTSUP)
    if not what.memfd:
        program.refuse("memfd_create", errno.ENOSYS)
    if not what.sockets:
        program.refuse("socket", errno.EAFNOSUPPORT)
    _arguments(program, traced=what.traced)
    if not what.processes:
        program.refuse("fork", errno.EPERM)
        program.refuse("vfork", errno.EPERM)
        program.require_bits("clone", 0, _CLONE_THREAD, errno.EPERM)
    if what.one_shot_exec:
        _one_shot(program)
    return program.assemble(audit, x32=machine == "x86_64")


def _arguments(program: _Program, *, traced: bool) -> None:
    """Calls that are fine with some arguments only."""
    # SECURITY: unix, netlink, packet and vsock sockets reach out of a network namespace.
    if not traced:
        program.allow_only("socket", 0, INTERNET, errno.EAFNOSUPPORT)
    program.allow_only("socketpair", 0, (AF_UNIX,), errno.EAFNOSUPPORT)
    # SECURITY: a datagram socket, of a pair too, can send to any socket that has a name in the file system.
    pairs = tuple(kind | flags for kind in (_STREAM, _SEQPACKET) for flags in _SOCKET_FLAGS)
    program.allow_only("socketpair", 1, pairs, errno.EPROTONOSUPPORT)
    _no_special_bits(program)
    # SECURITY: keys pushed into a terminal run as the user's commands.
    program.refuse_values("ioctl", 1, (_TIOCSTI, _TIOCLINUX), errno.EPERM)
    # SECURITY: a nested user namespace brings back all capabilities inside it.
    program.refuse_bits("clone", 0, _NEW_NAMESPACES, errno.EPERM)
    # Its flags lie in memory, out of reach of a filter; ENOSYS makes libc fall back to clone.
    program.refuse("clone3", errno.ENOSYS)
    # SECURITY: limits and priorities of *another* process: the supervisor has the same uid.
    for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler"):
        program.allow_only(name, 0, (0,), errno.EPERM)
    for name in ("sched_setparam", "sched_setattr"):
        program.allow_only(name, 0, (0,), errno.EPERM)
    program.allow_only("setpriority", 0, (0,), errno.EPERM)
    program.allow_only("setpriority", 1, (0,), errno.EPERM)
    program.refuse("ioprio_set", errno.EPERM)


def _no_special_bits(program: _Program) -> None:
    """SECURITY: a set-user-ID file in a writable place belongs to the caller, root perhaps, and stays there after the run."""
    for name, mode in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)):
        program.refuse_bits(name, mode, _SPECIAL_BITS, errno.EPERM)
    for name, mode in (("creat", 1), ("mknod", 1), ("mknodat", 2)):
        program.refuse_bits(name, mode, _SPECIAL_BITS, errno.EPERM)
    for name, flags in (("open", 1), ("openat", 2)):
        program.refuse_both_bits(
            name, (flags, _MAKES_FILE), (flags + 1, _SPECIAL_BITS), errno.EPERM
        )
    # Its mode is in memory, out of reach of a filter; callers fall back to openat.
    program.refuse("openat2", errno.ENOSYS)


def _one_shot(program: _Program) -> None:
    program.refuse("execve", errno.EPERM)
    # SECURITY: RLIMIT_NOFILE is below this number, so no other file can get it.
    program.allow_only("execveat", 0, (ONE_SHOT_FD,), errno.EPERM)
    program.allow_only("execveat", 4, (_AT_EMPTY_PATH,), errno.EPERM)


class _Program:
    """Rules by call number, found by halving: a long row of comparisons is slow to put on, for every start."""

    def __init__(self, column: int) -> None:
        self._column = column
        self._rules: dict[int, list[_Instruction]] = {}

    def assemble(self, audit: int, *, x32: bool) -> bytes:
        """The whole: another architecture is killed, a call with rules is held against them, the rest is allowed."""
        code = [(_LOAD, 4), (_EQUAL, audit, 1, 0), (_RETURN, _KILL), (_LOAD, 0)]
        if x32:  # SECURITY: the x32 table has other numbers for the same calls.
            code += [(_AT_LEAST, _X32_BIT, 0, 1), (_RETURN, _ERRNO | errno.ENOSYS)]
        code += _search(sorted(self._rules.items()))
        return b"".join(_encode(*instruction) for instruction in code)

    def refuse(self, name: str, error: int) -> None:
        self._add(name, [(_RETURN, _ERRNO | error)])

    def allow_only(self, name: str, index: int, values: tuple[int, ...], error: int) -> None:
        """Refuse unless argument `index` is one of `values`."""
        self._unless(name, index, [(_EQUAL, value) for value in values], error)

    def require_bits(self, name: str, index: int, bits: int, error: int) -> None:
        self._unless(name, index, [(_ANY_BIT, bits)], error)

    def refuse_values(self, name: str, index: int, values: tuple[int, ...], error: int) -> None:
        self._when(name, index, [(_EQUAL, value) for value in values], error)

    def refuse_bits(self, name: str, index: int, bits: int, error: int) -> None:
        self._when(name, index, [(_ANY_BIT, bits)], error)

    def refuse_both_bits(
        self, name: str, first: tuple[int, int], second: tuple[int, int], error: int
    ) -> None:
        """Refuse where each of two arguments (index, bits) has one of its bits."""
        self._add(
            name,
            [
                (_LOAD, _ARG0 + 8 * first[0]),
                (_ANY_BIT, first[1], 0, 3),
                (_LOAD, _ARG0 + 8 * second[0]),
                (_ANY_BIT, second[1], 0, 1),
                (_RETURN, _ERRNO | error),
            ],
        )

    def _unless(self, name: str, index: int, tests: list[tuple[int, int]], error: int) -> None:
        """A match goes past the refusal, to the next rule."""
        count = len(tests)
        passing = [(code, value, count - at, 0) for at, (code, value) in enumerate(tests)]
        self._add(name, [(_LOAD, _ARG0 + 8 * index), *passing, (_RETURN, _ERRNO | error)])

    def _when(self, name: str, index: int, tests: list[tuple[int, int]], error: int) -> None:
        """A match goes to the refusal; past it goes what matched nothing."""
        last = len(tests) - 1
        caught = [
            (code, value, last - at, int(at == last)) for at, (code, value) in enumerate(tests)
        ]
        self._add(name, [(_LOAD, _ARG0 + 8 * index), *caught, (_RETURN, _ERRNO | error)])

    def _add(self, name: str, rule: list[_Instruction]) -> None:
        number = NUMBERS[name][self._column]
        if number is not None:
            self._rules.setdefault(number, []).extend(rule)


def _search(rules: list[tuple[int, list[_Instruction]]]) -> list[_Instruction]:
    """Instructions that find the rule of the number in the accumulator, and allow where it has none."""
    if len(rules) <= _ROW:
        return [*_row(rules), (_RETURN, _ALLOW)]
    middle = len(rules) // 2
    below, above = _search(rules[:middle]), _search(rules[middle:])
    first = rules[middle][0]
    if len(below) <= _FARTHEST:
        return [(_AT_LEAST, first, len(below), 0), *below, *above]
    return [(_AT_LEAST, first, 0, 1), (_JUMP, len(below)), *below, *above]


def _row(rules: list[tuple[int, list[_Instruction]]]) -> list[_Instruction]:
    """One comparison after the other; neighbors with the same rule share it."""
    code: list[_Instruction] = []
    for rule, alike in itertools.groupby(rules, lambda pair: pair[1]):
        numbers = [number for number, _ in alike]
        body = rule if len(rule) == 1 else [*rule, (_RETURN, _ALLOW)]
        last = len(numbers) - 1
        for at, number in enumerate(numbers):
            code.append((_EQUAL, number, last - at, len(body) if at == last else 0))
        code += body
    return code


def _encode(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return pack("<HBBI", code, if_true, if_false, value)
