"""Inner launcher: the last code of ours before a confined program starts, inside its sandbox.

Executed, never imported: `python3 -I -S FILE CONFIG STATUS CHANNEL LIFELINE`, inherited descriptors.
Steps: (1) read the order, close all else; (2) open the listening sockets of the network gate and hand
them to the host; (3) take the host's programs away where another system is shown, and make what can be written
`noexec` where other programs may be started; (4) become an
unprivileged uid without capabilities; (5) the filter of system calls; (6) fork: the parent stays as
PID 1, reaps, and ends with the program or with the host (LIFELINE); the child goes on: (7) limits,
(8) controlling terminal, (9) Landlock scopes, and a telling filter for a traced run, (10) start the program – with
a filter, by descriptor and so that neither a second exec nor another process is possible. Failures go to STATUS,
which the exec closes. `inner.pl` takes the same steps in a tenth of the time, but for 2, 8 and traces.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would import `enum`
import ctypes
import marshal
import os
import resource
import select
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ONE_SHOT_FD = 1000
ONE_SHOT_LIMIT = 900
"""Descriptors of the program stay below ONE_SHOT_FD, so nothing else can be put there."""
CHANNEL_FD = 998
"""As in `tracing.filters`: what is sent there is not told."""
_AT_EMPTY_PATH = 0x1000
_TIOCSCTTY = 0x540E
_MOUNT_SETATTR = 442
_EXECVEAT = {"x86_64": 322, "aarch64": 281}


def read_order(descriptor: int) -> dict[str, Any]:
    """Read the order of the host; trusted, since only the host can write there."""
    data = b""
    while more := os.read(descriptor, 65536):
        data += more
    order: dict[str, Any] = marshal.loads(data)  # noqa: S302
    return order


def close_others(keep: set[int]) -> None:
    """Close what the launchers before us left open."""
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2 and descriptor not in keep:
            os.closerange(descriptor, descriptor + 1)


def open_gates(places: list[tuple[str, int]], spare: int, channel: int) -> None:
    """Listen inside, let the host accept: nothing of ours stays in here. And `spare` sockets of this network,
    through which the host may pass a callback on to the program."""
    import socket

    with socket.socket(fileno=channel) as host:
        for address, port in places:
            with socket.socket() as gate:
                gate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                gate.bind((address, port))
                gate.listen(64)
                rights = struct.pack("i", gate.fileno())
                host.sendmsg([b"g"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        for _ in range(spare):
            with socket.socket() as unused:
                rights = struct.pack("i", unused.fileno())
                host.sendmsg([b"s"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        host.recv(1)  # the host listens now; what connects is heard


def open_stand_in(channel: int) -> None:
    """Of a recorded network: a resolver and one listener, both served by the host."""
    import _socket  # `socket` would import `enum` and `selectors`: a fifth of the time of a short run

    resolver, gate = _socket.socket(2, 2), _socket.socket(2, 1)  # AF_INET; SOCK_DGRAM, SOCK_STREAM
    resolver.bind(("127.0.0.53", 53))
    gate.bind(("127.0.0.54", 1))
    gate.listen(64)
    hand_over(b"n", channel, resolver.fileno(), gate.fileno())
    resolver.close()
    gate.close()


def hand_over(word: bytes, channel: int, *descriptors: int) -> None:
    """Descriptors to the host; the channel stays open."""
    import _socket

    rights = struct.pack(f"{len(descriptors)}i", *descriptors)
    host = _socket.socket(fileno=channel)
    host.sendmsg([word], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    host.detach()


def set_limits(limits: list[tuple[int, int]]) -> None:
    """Hard limits, inherited by all that follows."""
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))


def take_terminal() -> None:
    """Make the private terminal the controlling one: password prompts open `/dev/tty`."""
    import fcntl

    fcntl.ioctl(0, _TIOCSCTTY, 0)


def change_mounts(changes: list[tuple[str, int, int, int]], libc: ctypes.CDLL) -> None:
    """Set and clear attributes, so that nothing planted in a writable place can be started."""
    for path, set_flags, clear_flags, flags in changes:
        attributes = struct.pack("<QQQQ", set_flags, clear_flags, 0, 0)
        size = ctypes.c_size_t(len(attributes))
        if libc.syscall(_MOUNT_SETATTR, -100, os.fsencode(path), flags, attributes, size) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


def take_away(paths: list[str], libc: ctypes.CDLL) -> None:
    """Unmount this host's programs where another system is shown; modules still needed are imported first."""
    if not paths:
        return
    import _socket  # noqa: F401
    import fcntl  # noqa: F401  what is imported later must be here now
    import socket  # noqa: F401

    for path in paths:
        if libc.umount2(os.fsencode(path), 2) != 0:  # MNT_DETACH
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


def drop_privileges(uid: int, libc: ctypes.CDLL) -> None:
    """Give up every capability and, if we still are root, become `uid`."""
    # SECURITY: a start keeps a few capabilities to get here; none may go further.
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    if os.geteuid() != uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    libc.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT, CLEAR_ALL
    if libc.capset(struct.pack("<Ii", 0x20080522, 0), bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
    # SECURITY: PID 1 has the uid of the program; this closes its /proc entries and ptrace.
    libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def apply_filter(code: bytes, libc: ctypes.CDLL) -> None:
    """A filter of system calls for us and all that follows."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(22, 2, program, 0, 0) != 0:  # PR_SET_SECCOMP, MODE_FILTER
        raise OSError(ctypes.get_errno(), "seccomp")


def restrict(libc: ctypes.CDLL) -> None:
    """Landlock scopes where the kernel has them: no signals, no abstract sockets to outside."""
    ruleset = libc.syscall(444, struct.pack("<QQQ", 0, 0, 3), ctypes.c_size_t(24), 0)
    if ruleset >= 0:
        libc.syscall(446, ruleset, 0)
        os.close(ruleset)


def tell(trace: tuple[bytes, int], channel: int, libc: ctypes.CDLL) -> None:
    """Let the host hear what the program touches: a filter that tells, whose other end the host gets."""
    os.dup2(channel, CHANNEL_FD, inheritable=False)
    os.close(channel)
    code = ctypes.create_string_buffer(trace[0], len(trace[0]))
    program = struct.pack("HxxxxxxP", len(trace[0]) // 8, ctypes.addressof(code))
    listener = libc.syscall(trace[1], 1, 8, program)  # SET_MODE_FILTER, FLAG_NEW_LISTENER
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp listener")
    hand_over(b"t", CHANNEL_FD, listener)
    os.close(CHANNEL_FD)
    os.close(listener)


def execute_once(order: dict[str, Any], libc: ctypes.CDLL) -> None:
    """Start the program by descriptor behind the filter; returns only on failure."""
    program = os.open(order["program"], os.O_RDONLY)
    os.dup2(program, ONE_SHOT_FD, inheritable=False)
    os.close(program)
    # SECURITY: the limit must be below ONE_SHOT_FD before the filter permits that number.
    resource.setrlimit(resource.RLIMIT_NOFILE, (ONE_SHOT_LIMIT, ONE_SHOT_LIMIT))
    argv = (ctypes.c_char_p * (len(order["argv"]) + 1))(*map(os.fsencode, order["argv"]))
    pairs = [os.fsencode(f"{name}={value}") for name, value in order["env"].items()]
    env = (ctypes.c_char_p * (len(pairs) + 1))(*pairs)
    apply_filter(order["one_shot"], libc)
    number = _EXECVEAT[os.uname().machine]
    libc.syscall(number, ONE_SHOT_FD, b"", argv, env, _AT_EMPTY_PATH)
    raise OSError(ctypes.get_errno(), "execveat")


def launch(order: dict[str, Any], status: int, channel: int, libc: ctypes.CDLL) -> None:
    """Steps 7 to 10, in the child."""
    for number in (2, 13, 25):  # Python handles or ignores these
        _signal.signal(number, _signal.SIG_DFL)
    set_limits(order["limits"])  # (7)
    if os.getsid(0) != os.getpid():
        os.setsid()
    if order["tty"]:
        take_terminal()  # (8)
    restrict(libc)  # (9)
    os.chdir(order["cwd"])  # only now: root without capabilities may not enter a private folder
    if order["trace"]:
        tell(order["trace"], channel, libc)
    os.write(status, b"S")  # all is set up; what follows on this pipe is a failed exec
    if order["one_shot"]:  # (10)
        execute_once(order, libc)
    os.execve(order["program"], order["argv"], order["env"])  # noqa: S606


def watch(program: int, lifeline: int) -> int:
    """PID 1: reap until the program or the host ends; the exit status to end with."""
    bell, ring = os.pipe()
    os.set_blocking(ring, False)
    _signal.set_wakeup_fd(ring)
    _signal.signal(17, lambda *_: None)  # SIGCHLD
    poll = select.poll()
    poll.register(lifeline, 0)
    poll.register(bell, select.POLLIN)
    while True:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == program:
                    code = os.waitstatus_to_exitcode(ended[1])
                    return 128 - code if code < 0 else code
        except ChildProcessError:
            return 125
        for descriptor, _ in poll.poll():
            if descriptor == lifeline:
                return 125
            os.read(bell, 4096)


def become_init(program: int, lifeline: int) -> None:
    """Keep nothing but the lifeline, then watch; the namespace ends when this returns."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    close_others({lifeline})
    # SECURITY: PID 1 gets only signals that it handles; Python handles this one too.
    _signal.signal(2, _signal.SIG_DFL)
    os._exit(watch(program, lifeline))


def main(arguments: list[str]) -> None:
    """Read the order and carry it out, or say why not and leave."""
    config, status, channel, lifeline = map(int, arguments)
    libc = ctypes.CDLL(None, use_errno=True)
    os.set_inheritable(status, False)
    os.set_inheritable(lifeline, False)
    try:
        order = read_order(config)
        close_others({status, channel, lifeline})  # (1)
        trace = os.dup(channel) if order["trace"] else -1
        if order["gates"] or order["spare"]:
            open_gates(order["gates"], order["spare"], channel)  # (2)
        else:
            os.close(channel)
        if order["recorded"]:
            open_stand_in(trace)
        take_away(order["taken"], libc)  # (3)
        change_mounts(order["mounts"], libc)
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)  # no codec: it may lie on the host
        os.write(score, b"1000")
        os.close(score)
        os.umask(0o022)
        drop_privileges(order["uid"], libc)  # (4)
        apply_filter(order["filter"], libc)  # (5)
        program = os.fork()  # (6)
        if program:
            become_init(program, lifeline)
        libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
        os.close(lifeline)
        launch(order, status, trace, libc)
    except OSError as problem:
        os.write(status, f"{problem.errno or 0} {problem}".encode())
    os._exit(125)


if __name__ == "__main__":
    main(sys.argv[1:])
