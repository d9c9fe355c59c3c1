"""Supervisor: the only process of ours inside a probe sandbox; runs one probe after the other.

Executed, never imported: `python3 -I -S -c SOURCE CONTROL REPLY UID GID PROCESSES MEMORY FILE`.
It is PID 1 of its namespace, so nothing inside can signal it, and not dumpable, so nothing inside
can look into it. After each probe it (1) kills everything else in the namespace, (2) reaps until
no child is left, (3) empties the scratch directories, and only then answers. Where it cannot do
that in time it ends itself, and with it the namespace: the host starts a fresh one.

Only the standard library, Python 3.9, and as few imports as possible: each start pays for them.
"""

from __future__ import annotations

import _ctypes
import _signal
import _thread
import os
import resource
import select
import struct
import sys
import time

REQUEST = struct.Struct("<IIII")
"""Bytes that follow, number of arguments, wall limit in ms, bytes kept of each stream."""
REPLY = struct.Struct("<iIIIIQ")
"""Exit code or errno, flags, processes that had to be killed, stdout, stderr, microseconds."""
TIMED_OUT, TRUNCATED, NOT_STARTED, WORN_OUT = 1, 2, 4, 8

SCRATCH = ("/home/probe", "/tmp", "/dev/shm")  # noqa: S108  the sandbox's own
WIPE_S = 1.0
_KILL = 9
_RESET_SIGNALS = (2, 13, 15, 25)
_CHUNK = 65536


class _Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
    _type_ = "l"


class _Call(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL
    _restype_ = _Long


def _libc(name):  # type: ignore[no-untyped-def]
    return _Call(_ctypes.dlsym(_ctypes.dlopen(None, 0), name))


def drop_privileges(uid: int, gid: int) -> None:
    """Give up every capability and, if we still are root, become `uid`."""
    prctl = _libc("prctl")
    # SECURITY: a start as root keeps three capabilities to get here; none may go further.
    if os.geteuid() != uid:
        for capability in range(64):
            prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT, CLEAR_ALL
        _libc("capset")(struct.pack("<Ii", 0x20080522, 0), bytes(24))
    # SECURITY: changing the uid forgets the wish to die with the parent.
    prctl(1, _KILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    # SECURITY: same uid as the probes; this closes /proc/1/{mem,fd,…} and ptrace for them.
    prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def set_limits(processes: int, memory: int, file: int) -> None:
    """Limits that every probe inherits, hard, so that none can raise them."""
    bounds = (
        (resource.RLIMIT_CORE, 1),  # one byte: also keeps a core handler of the host from starting
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_NPROC, processes + 2),  # our own two threads
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_AS, memory * 8),  # runtimes reserve far more than they use
    )
    for kind, value in bounds:
        if value >= 0:
            resource.setrlimit(kind, (value, value))


def restrict_thread() -> None:
    """Landlock, for this thread and all it starts: no signals or abstract sockets to outside.

    The main thread stays outside the domain. Kernels before ABI 6 refuse, and PID 1 of its own
    namespace is safe from signals without it.
    """
    syscall = _libc("syscall")
    ruleset = syscall(444, struct.pack("<QQQ", 0, 0, 3), 24, 0)
    if ruleset >= 0:
        syscall(446, ruleset, 0)
        os.close(ruleset)


def spawn(argv: list[bytes], env: dict[bytes, bytes], out: int, err: int) -> int:
    """Start one probe with nothing open but `/dev/null` and its two pipes."""
    return os.posix_spawn(
        argv[0],
        argv,
        env,
        file_actions=(
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out, 1),
            (os.POSIX_SPAWN_DUP2, err, 2),
        ),
        setsid=True,
        setsigmask=(),
        setsigdef=_RESET_SIGNALS,
    )


def collect(
    pid: int, streams: tuple[int, int], wall_s: float, keep: int
) -> tuple[list[bytearray], int]:
    """Read both streams until the program ends, the time is over, or too much was said."""
    kept = [bytearray(), bytearray()]
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(streams[0], select.POLLIN)
    poll.register(streams[1], select.POLLIN)
    poll.register(handle, select.POLLIN)
    deadline = time.monotonic() + wall_s
    flags = 0
    ended = False
    while not ended and not flags:
        left = deadline - time.monotonic()
        if left <= 0:
            flags = TIMED_OUT
            break
        for descriptor, _ in poll.poll(left * 1000):
            if descriptor == handle:
                ended = True
            elif not take(descriptor, kept[descriptor == streams[1]], keep):
                poll.unregister(descriptor)
            elif len(kept[descriptor == streams[1]]) > keep:
                flags = TRUNCATED
    os.close(handle)
    return kept, flags


def take(descriptor: int, into: bytearray, keep: int) -> bool:
    """Move what is there; False at the end of the stream."""
    data = os.read(descriptor, _CHUNK)
    into += data[: keep + 1 - len(into)]
    return bool(data)


def drain(streams: tuple[int, int], kept: list[bytearray], keep: int) -> None:
    """What lay in the pipes when the last writer died; never waits."""
    poll = select.poll()
    for index, descriptor in enumerate(streams):
        poll.register(descriptor, select.POLLIN)
        while len(kept[index]) <= keep and poll.poll(0) and take(descriptor, kept[index], keep):
            pass
        poll.unregister(descriptor)


def end_all(main: int) -> tuple[int, int]:
    """Kill and reap everything; the program's exit code and how many others still lived."""
    try:
        os.kill(-1, _KILL)  # all of the namespace but PID 1, in one step no fork can escape
    except ProcessLookupError:
        pass
    code = -_KILL
    killed = 0
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return code, killed
        if pid == main:
            code = os.waitstatus_to_exitcode(status)
        elif os.WIFSIGNALED(status) and os.WTERMSIG(status) == _KILL:
            killed += 1


def wipe(root: str, deadline: float) -> bool:
    """Empty one scratch directory and undo what was done to itself; False if time ran out."""
    for name in os.listxattr(root):
        os.removexattr(root, name)
    if os.stat(root).st_uid == os.getuid():
        os.chmod(root, 0o1777)
    fresh = 0
    while True:
        names = os.listdir(root)
        if not names:
            return True
        for name in names:
            if time.monotonic() > deadline:
                return False
            fresh = remove(root + "/" + name, root, fresh)


def remove(path: str, root: str, fresh: int) -> int:
    """Delete a file, or lift a directory's subdirectories to the top: depth needs no recursion."""
    try:
        os.unlink(path)
        return fresh
    except IsADirectoryError:
        os.chmod(path, 0o700)
    for name in os.listdir(path):
        inner = path + "/" + name
        try:
            os.unlink(inner)
        except IsADirectoryError:
            os.chmod(inner, 0o700)
            fresh += 1
            os.rename(inner, f"{root}/.{time.monotonic_ns()}.{fresh}")
    os.rmdir(path)
    return fresh


def probe(
    argv: list[bytes], env: dict[bytes, bytes], wall_ms: int, keep: int
) -> tuple[bytes, bool]:
    """Run one probe and clean up after it; the reply, and whether we may go on."""
    started = time.monotonic()
    out_r, out_w = os.pipe()
    err_r, err_w = os.pipe()
    streams = (out_r, err_r)
    kept = [bytearray(), bytearray()]
    main = -1
    try:
        main = spawn(argv, env, out_w, err_w)
    except OSError as problem:
        code, flags, killed = problem.errno or 0, NOT_STARTED, 0
    os.close(out_w)
    os.close(err_w)
    if main > 0:
        kept, flags = collect(main, streams, wall_ms / 1000, keep)
        code, killed = end_all(main)
        drain(streams, kept, keep)
    os.close(out_r)
    os.close(err_r)
    took = time.monotonic() - started
    if len(kept[0]) > keep or len(kept[1]) > keep:
        flags |= TRUNCATED
    limit = time.monotonic() + WIPE_S
    if not all([wipe(root, limit) for root in SCRATCH]):
        flags |= WORN_OUT
    out, err = bytes(kept[0][:keep]), bytes(kept[1][:keep])
    head = REPLY.pack(code, flags, killed, len(out), len(err), int(took * 1e6))
    return head + out + err, not flags & WORN_OUT


def read_exactly(descriptor: int, size: int) -> bytes:
    """That many bytes; nothing at all means the host is gone, and so are we."""
    data = b""
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def serve(control: int, reply: int) -> None:
    """Answer requests until the host closes the control pipe."""
    try:
        restrict_thread()
        os.write(reply, b"R")
        going = True
        while going:
            size, count, wall_ms, keep = REQUEST.unpack(read_exactly(control, REQUEST.size))
            parts = read_exactly(control, size).split(b"\0")
            env = dict(zip(parts[count::2], parts[count + 1 :: 2]))  # noqa: B905  Python 3.9
            answer, going = probe(parts[:count], env, wall_ms, keep)
            while answer:
                answer = answer[os.write(reply, answer) :]
    finally:
        os._exit(1)  # whatever happened: the namespace ends with us


def main(arguments: list[str]) -> None:
    """Harden this process, then serve from a Landlocked thread."""
    control, reply, uid, gid, processes, memory, file = map(int, arguments)
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor in (control, reply):
            os.set_inheritable(descriptor, False)
        elif descriptor > 2:  # what the launcher left open; one of them is this listing itself
            os.closerange(descriptor, descriptor + 1)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")  # a memory hog in here dies before anything of the host
    # SECURITY: PID 1 gets only signals that it handles, and Python handles this one.
    _signal.signal(2, _signal.SIG_DFL)
    os.umask(0o022)
    os.chdir(SCRATCH[0])
    set_limits(processes, memory, file)
    drop_privileges(uid, gid)
    forever = _thread.allocate_lock()
    forever.acquire()
    _thread.start_new_thread(serve, (control, reply))
    forever.acquire()


if __name__ == "__main__":
    main(sys.argv[1:])
