"""The system-call filter, run by a small interpreter of its own instruction set."""

from __future__ import annotations

import errno
import struct

import pytest

from atip.errors import SandboxError
from atip.sandbox.kernel.seccomp import (
    ONE_SHOT_FD,
    REFUSED,
    SHARED_OBJECTS,
    SeccompFilter,
    assemble,
)
from atip.sandbox.kernel.syscall_numbers import ARCHITECTURES, NUMBERS

ALLOW = "allow"
KILL = "kill"
MACHINES = ("x86_64", "aarch64")


def decide(
    program: bytes, number: int, args: tuple[int, ...] = (), audit: int = 0xC000003E
) -> object:
    """What the kernel would do: `allow`, `kill`, or an errno."""
    data = struct.pack("<IIQ6Q", number, audit, 0, *(args + (0,) * (6 - len(args))))
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    position = accumulator = 0
    while True:
        operation, if_true, if_false, value = code[position]
        position += 1
        if operation == 0x06:
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(value, value & 0xFFFF)
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
            continue
        if operation == 0x05:
            position += value
            continue
        true = {
            0x15: accumulator == value,
            0x35: accumulator >= value,
            0x45: bool(accumulator & value),
        }[operation]
        position += if_true if true else if_false


def call(
    name: str, *args: int, what: SeccompFilter | None = None, machine: str = "x86_64"
) -> object:
    column, audit = ARCHITECTURES[machine]
    number = NUMBERS[name][column]
    assert number is not None
    return decide(assemble(what or SeccompFilter(), machine), number, args, audit)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_refused_call_is_refused(machine: str) -> None:
    column = ARCHITECTURES[machine][0]
    for name in REFUSED:
        if NUMBERS[name][column] is not None:
            assert call(name, machine=machine) == errno.EPERM, name
    for name in SHARED_OBJECTS:
        assert call(name, machine=machine) == errno.ENOSYS


@pytest.mark.parametrize("number", [0, 1, 2, 3, 9, 39, 59, 60, 231, 257])
def test_ordinary_calls_are_allowed(number: int) -> None:
    assert decide(assemble(SeccompFilter(), "x86_64"), number) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("strict", [False, True])
def test_a_call_without_a_rule_is_allowed_whatever_its_neighbours_are(machine, strict) -> None:
    column, audit = ARCHITECTURES[machine]
    loose = dict.fromkeys(("shared_objects", "memfd", "sockets", "processes"), not strict)
    program = assemble(SeccompFilter(one_shot_exec=strict, **loose), machine)
    ruled = {numbers[column] for numbers in NUMBERS.values()}
    for number in set(range(600)) - ruled:
        assert decide(program, number, (7,) * 6, audit) == ALLOW, number


def test_other_architecture_is_killed_and_x32_numbers_do_not_exist() -> None:
    program = assemble(SeccompFilter(), "x86_64")
    assert decide(program, 1, audit=0x40000003) == KILL
    assert decide(program, 0x40000000 | 101) == errno.ENOSYS


@pytest.mark.parametrize("family", [1, 16, 17, 31, 38, 40, 44])
def test_socket_families_that_leave_the_network_namespace_are_refused(family: int) -> None:
    assert call("socket", family, 1) == errno.EAFNOSUPPORT


def test_internet_sockets_and_unix_pairs_are_allowed() -> None:
    assert call("socket", 2, 1) == ALLOW
    assert call("socket", 10, 2) == ALLOW
    assert call("socketpair", 1, 1) == ALLOW
    assert call("socketpair", 2, 1) == errno.EAFNOSUPPORT


def test_upper_half_of_an_int_argument_cannot_hide_a_value() -> None:
    assert call("socket", (1 << 32) | 1) == errno.EAFNOSUPPORT
    assert call("ioctl", 0, (1 << 32) | 0x5412) == errno.EPERM


def test_terminal_input_cannot_be_forged() -> None:
    assert call("ioctl", 0, 0x5412) == errno.EPERM
    assert call("ioctl", 0, 0x541C) == errno.EPERM
    assert call("ioctl", 0, 0x5413) == ALLOW


@pytest.mark.parametrize(
    "flag", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
)
def test_clone_makes_no_namespace_but_threads_and_processes(flag: int) -> None:
    assert call("clone", flag | 17) == errno.EPERM
    assert call("clone", 0x3D0F00) == ALLOW
    assert call("clone", 17) == ALLOW
    assert call("clone3") == errno.ENOSYS


@pytest.mark.parametrize(
    "name", ["prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setattr"]
)
def test_limits_and_scheduling_of_other_processes_are_refused(name: str) -> None:
    assert call(name, 0) == ALLOW
    assert call(name, 1) == errno.EPERM


def test_priority_can_be_lowered_for_oneself_only() -> None:
    assert call("setpriority", 0, 0) == ALLOW
    assert call("setpriority", 0, 1) == errno.EPERM
    assert call("setpriority", 2, 0) == errno.EPERM


def test_one_shot_exec_leaves_threads_and_one_descriptor() -> None:
    off = SeccompFilter(one_shot_exec=True, processes=False)
    for name in ("fork", "vfork", "execve"):
        assert call(name, what=off) == errno.EPERM
    assert call("clone", 17, what=off) == errno.EPERM
    assert call("clone", 0x3D0F00, what=off) == ALLOW
    assert call("execveat", ONE_SHOT_FD, 0, 0, 0, 0x1000, what=off) == ALLOW
    assert call("execveat", 3, 0, 0, 0, 0x1000, what=off) == errno.EPERM
    assert call("execveat", ONE_SHOT_FD, 0, 0, 0, 0, what=off) == errno.EPERM


def test_shared_objects_and_memfd_can_be_left_usable() -> None:
    loose = SeccompFilter(shared_objects=True, memfd=True)
    assert call("shmget", what=loose) == ALLOW
    assert call("memfd_create", what=loose) == ALLOW
    assert call("memfd_create") == errno.ENOSYS


def test_unknown_machine_is_refused() -> None:
    with pytest.raises(SandboxError) as refused:
        assemble(SeccompFilter(), "mips")
    assert refused.value.code == "sandbox.architecture"
