"""Bubblewrap: start a program in new namespaces, as root or not, and leave nothing behind.

`start` is the one place that runs `bwrap`. What is shown inside is decided by the callers; this
module adds what never varies: all namespaces, no capabilities, a new session, and a kernel uid that
is not 0. `inner` becomes PID 1 and must end when the host closes (or, dying, loses) a pipe.

Root callers: mounting needs root (tools below a private home), running must not be root. So
bubblewrap waits with its new user namespace, we map uid 0 *and* 65534 into it, and the inner
launcher changes to 65534 after the mounts are made. The kernel then counts processes per
namespace, and even a kept capability would mean nothing to the host.
"""

from __future__ import annotations

import os
import select
import stat

from atip.errors import SandboxError
from atip.model.value import Value
from atip.system.programs import processes
from atip.system.programs.lasting import from_lasting_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

UID = 65534
SEARCH = ("/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin")
_NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--hostname", "sandbox", "--new-session", "--as-pid-1"),
    *("--clearenv", "--cap-drop", "ALL"),
)
# Not `--die-with-parent`: killed by it in the wrong moment, bubblewrap leaves the half-made namespace
# waiting for ever. Instead PID 1, which is ours, holds a pipe of the host and ends when that ends.
_INFO_LIMIT = 65536
_PIPE_BYTES = 65536
SETTLE_S = 5.0
END_S = 0.5
"""Time for the launcher to see its namespace end, and to count its processor time."""
HINT = (
    "install bubblewrap 0.8 or newer and allow user namespaces "
    "(`atip doctor` shows which layer is missing)"
)


class BubblewrapProcess(Value):
    """A running bubblewrap: its own process, and PID 1 of the namespace as seen from here.

    `end` must be called exactly once.
    """

    pid: int
    inner_pid: int
    inner: int
    """Handle (pidfd) of the same: a number could belong to another process by the time it is used."""


def find_bubblewrap() -> str:
    """The absolute path of `bwrap`.

    Raises:
        SandboxError: `sandbox.bubblewrap-missing`.
    """
    program = processes.find_program("bwrap", SEARCH)
    if program is None:
        raise SandboxError("sandbox.bubblewrap-missing", "bubblewrap is not installed", hint=HINT)
    return program


class NamespaceOrder(Value):
    """A program to start in new namespaces, and its view of the system."""

    arguments: Sequence[str]
    """Mounts, as arguments of bubblewrap."""
    inner: Sequence[str]
    """Command of PID 1."""
    files: Mapping[str, bytes] = {}
    """Made-up files inside, path → content."""
    over: bool = False
    """True: `files` cover files that are there already, in a place where none can be made."""
    keep: tuple[int, ...] = ()
    """Descriptors that `inner` inherits."""
    stdio: tuple[int, int, int] = (-1, -1, -1)
    """Descriptors for its standard streams; -1: none."""
    seccomp: bytes = b""
    """The filter, applied to `inner` and all it starts; empty: `inner` applies its own."""
    capabilities: tuple[str, ...] = ()
    """Of its own user namespace, that `inner` still needs and must give up."""
    seals: bool = False
    """True: `inner` makes the root read-only, in a tenth of the time."""
    prefix: Sequence[str] = ()
    """A command that ends by executing bubblewrap."""


def start(
    order: NamespaceOrder,
    *,
    spawn_by: Callable[[Callable[[], int]], int] = from_lasting_thread,
    hold: Callable[[int], object] | None = None,
) -> BubblewrapProcess:
    """Start the inner program of an order.

    Args:
        hold: is called with PID 1, which waits, before it starts anything.
        spawn_by: chooses the thread to start from: what it sees of the files, bubblewrap will see.

    Raises:
        SandboxError: `sandbox.namespaces-unavailable` with what bubblewrap said.
    """
    root = os.geteuid() == 0
    opened: list[int] = []
    try:
        info, info_w = _pipe(opened)
        gate, gate_w = _pipe(opened)
        # Bubblewrap holds the reading ends too: should we be killed in the middle, it neither
        # dies of a broken pipe nor waits for ever, and what it started sees our end and leaves.
        descriptors = [info, info_w, gate, *order.keep]
        program = find_bubblewrap()
        plain = _plainly(program) if order.capabilities and not root else []
        command = [*order.prefix, *plain, program, *_NAMESPACES, "--info-fd", str(info_w)]
        command += _identity(root, gate, order.capabilities)
        command += order.arguments
        for path, content in order.files.items():
            descriptors.append(_content(content, opened))
            kind = "--ro-bind-data" if order.over else "--file"
            command += ["--perms", "0444", kind, str(descriptors[-1]), path]
        command += [] if order.seals else ["--remount-ro", "/"]
        if order.seccomp:
            descriptors.append(_content(order.seccomp, opened))
            command += ["--seccomp", str(descriptors[-1])]
        command += ["--", *order.inner]
        stdin, stdout, stderr = order.stdio
        pid = spawn_by(
            lambda: processes.spawn(
                command, {}, keep=descriptors, stdin=stdin, stdout=stdout, stderr=stderr
            )
        )
        _close(opened, info_w)
        inner_pid = _inner_pid(info)
        inner_handle = _handle_of(inner_pid, pid) if inner_pid else -1
        if inner_pid and hold is not None:
            hold(inner_pid)
        if inner_pid and root:
            _map_users(inner_pid, f"0 0 1\n{UID} {UID} 1\n")
        os.write(gate_w, b"x")
    finally:
        for descriptor in opened:
            os.close(descriptor)
    if not inner_pid:
        raise _unavailable(processes.wait(pid))
    return BubblewrapProcess(pid=pid, inner_pid=inner_pid, inner=inner_handle)


def make_user_namespace(table: str) -> int:
    """A handle of a new user namespace, with `table` for users and groups; without processes. For root callers.

    Raises:
        SandboxError: `sandbox.namespaces-unavailable`.
    """
    opened: list[int] = []
    try:
        info, info_w = _pipe(opened)
        gate, gate_w = _pipe(opened)
        command = [find_bubblewrap(), "--unshare-user", "--info-fd", str(info_w)]
        command += ["--userns-block-fd", str(gate), "--ro-bind", "/", "/", "--", "/nothing"]
        pid = processes.spawn(command, {}, keep=(info, info_w, gate))
        _close(opened, info_w)
        waiting = _inner_pid(info)
        if not waiting:
            raise _unavailable(processes.wait(pid))
        try:
            _map_users(waiting, table)
            return os.open(f"/proc/{waiting}/ns/user", os.O_RDONLY)
        finally:
            processes.kill(waiting)
            _close(opened, gate_w)  # bubblewrap itself waits there, not its child
            processes.wait(pid)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def kill(started: BubblewrapProcess) -> None:
    """Kill the namespace; our child then ends by itself."""
    processes.kill_handle(started.inner)


def settle(started: BubblewrapProcess) -> None:
    """Wait until the namespace is gone. The launcher reports the program's end before that."""
    kill(started)
    poll = select.poll()
    poll.register(started.inner, select.POLLIN)  # PID 1 ends when all others have
    poll.poll(SETTLE_S * 1000)


def end(started: BubblewrapProcess) -> None:
    """Kill the namespace and its launcher, and wait until both are gone."""
    # SECURITY: the launcher alone may die before it has released an unfinished namespace.
    settle(started)
    os.close(started.inner)
    if processes.wait(started.pid, END_S) is None:
        processes.kill(started.pid)
        processes.wait(started.pid)


def _plainly(program: str) -> list[str]:
    """Prefix that starts bubblewrap without its set-user-ID right; empty where it has none.

    With that right it refuses to leave `inner` a capability, even of its own namespace.
    """
    setpriv = processes.find_program("setpriv", SEARCH)
    privileged = os.stat(program).st_mode & stat.S_ISUID
    return [setpriv, "--no-new-privs"] if privileged and setpriv else []


def _identity(root: bool, gate: int, capabilities: Sequence[str]) -> list[str]:
    # As root just enough to become UID after the mounts; `inner` then drops these as well.
    needed = {*capabilities, *(("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP") if root else ())}
    arguments = [part for name in sorted(needed) for part in ("--cap-add", name)]
    if root:
        return ["--userns-block-fd", str(gate), *arguments]
    # It waits before it starts `inner`: a short run could be over before we have a handle of it.
    return ["--block-fd", str(gate), "--uid", str(UID), "--gid", str(UID), *arguments]


def _handle_of(inner_pid: int, pid: int) -> int:
    """Handle of PID 1; if its set-up has already failed, of our own child, which ends with it."""
    try:
        return os.pidfd_open(inner_pid)
    except ProcessLookupError:
        return os.pidfd_open(pid)


def _map_users(pid: int, table: str) -> None:
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{pid}/{name}", "w", encoding="utf-8") as target:
            target.write(table)


def _unavailable(exit_code: int | None) -> SandboxError:
    return SandboxError(
        "sandbox.namespaces-unavailable",
        "bubblewrap could not create the namespaces of a sandbox",
        hint=HINT,
        details={"exit_code": exit_code},
    )


def _inner_pid(descriptor: int) -> int:
    # Written in pieces: read to the end, or bubblewrap's set-up stage stays behind.
    data = b""
    while len(data) < _INFO_LIMIT:
        more = os.read(descriptor, 4096)
        if not more:
            break
        data += more
    rest = data.partition(b'"child-pid":')[2].lstrip()
    number = rest[: len(rest) - len(rest.lstrip(b"0123456789"))]
    return int(number or 0)


def _pipe(opened: list[int]) -> tuple[int, int]:
    pair = os.pipe()
    opened.extend(pair)
    return pair


def _content(content: bytes, opened: list[int]) -> int:
    """A descriptor that yields `content` and then ends; small enough to wait in the pipe."""
    if len(content) > _PIPE_BYTES:
        raise SandboxError("sandbox.content", "a generated file for the sandbox is too large")
    reader, writer = _pipe(opened)
    os.write(writer, content)
    _close(opened, writer)
    return reader


def _close(opened: list[int], descriptor: int) -> None:
    opened.remove(descriptor)
    os.close(descriptor)
