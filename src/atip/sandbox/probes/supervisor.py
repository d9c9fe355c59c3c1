"""Supervisor: the only process of ours inside a probe sandbox; runs one probe after the other.

Executed, never imported: `python3 -I -S FILE CONTROL REPLY UID GID PROCESSES MEMORY SIZE SCRATCH`.
It is PID 1 of its namespace, so nothing inside can signal it, and not dumpable, so nothing inside
can look into it. After each probe it (1) kills everything else in the namespace, (2) reaps until
no child is left, (3) empties the scratch directory, and only then answers. Where it cannot do
that in time it ends itself, and with it the namespace: the host starts a fresh one.

Only the standard library, Python 3.9, and as few imports as possible: each start pays for them.
"""

from __future__ import annotations

import _ctypes
import _signal  # type: ignore[import-not-found]  # `signal` would import `enum`
import _thread
import posix as os  # all that `os` would add here is its own import
import resource
import select
import sys
import time
from _struct import Struct, pack

REQUEST = Struct("<IIII")
"""Bytes that follow, number of arguments, time limit in ms, bytes kept of each stream."""
REPLY = Struct("<iIIIIQQ")
"""Exit code or errno, flags, processes that had to be killed, stdout, stderr, microseconds on the clock and on processors."""
MAX_STRETCH = 8
"""Most clock time a probe may take while it waits for a processor, as a multiple of its limit."""
TIMED_OUT, TRUNCATED, NOT_STARTED, NEEDS_RESTART = 1, 2, 4, 8

WIPE_S = 1.0
LOOK_S = 0.4
"""Seconds between two checks of a probe."""
IDLE_S = 3.0
"""Seconds without any work after which a probe is over: it waits for input, a network or a screen that it will not get."""
BUSY_S = 0.015
"""Processor time between two looks that tells work from waiting; the kernel counts in steps of 0.01."""
TICKS = 100.0
"""Steps in a second of `/proc/PID/stat` (USER_HZ of every Linux)."""
_KILL = 9
_RESET_SIGNALS = (2, 13, 15, 25)
_CHUNK = 65536


class _Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
    _type_ = "l"


class _Call(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL
    _restype_ = _Long


def _libc(name: str) -> _Call:
    """A function of the C library; integers and bytes are passed as they are."""
    return _Call(_ctypes.dlsym(_ctypes.dlopen(None, 0), name))  # type: ignore[arg-type]


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
        _libc("capset")(pack("<Ii", 0x20080522, 0), bytes(24))
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
    ruleset = syscall(444, pack("<QQQ", 0, 0, 3), 24, 0)
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


def cpu_reaped() -> float:
    """Processor seconds of everything that was reaped so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_proc(path: str) -> bytes:
    """The start of a file of the kernel; empty when it is not there (any more)."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            return os.read(handle, 4096)
        finally:
            os.close(handle)
    except OSError:
        return b""


def activity() -> tuple[float, bool]:
    """Processor seconds of all processes so far, and whether one of them runs or waits for a processor or a disk."""
    used, is_ready = cpu_reaped(), False
    for name in os.listdir("/proc"):
        fields = read_proc(f"/proc/{name}/stat").rpartition(b")")[2].split()
        if name.isdigit() and name != "1" and fields:
            used += sum(map(int, fields[11:15])) / TICKS  # its own and that of children it reaped
            is_ready = is_ready or fields[0] in (b"R", b"D")
    return used, is_ready


def starved() -> float:
    """Seconds since the machine started in which something waited for a processor; 0 where the kernel does not count them."""
    total = read_proc("/proc/pressure/cpu").split(b"\n", 1)[0].rpartition(b"total=")[2]
    return int(total) / 1e6 if total.isdigit() else 0.0


class TimeLimit:
    """When a probe has had its time: seconds of processor, or of waiting for anything but a processor.

    One that only waits is over after `IDLE_S`. On an idle machine the limit is the clock. On a loaded one a program that waits for its turn gets up to
    `MAX_STRETCH` times as long, so that what a program answers does not depend on what else runs.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._step_s = min(LOOK_S, limit_s / 2)
        self._started = time.monotonic()
        self._reaped = cpu_reaped()
        self._starved = starved()
        self._used = 0.0
        self._worked = self._started  # when it was last seen at work
        self.next_look = self._started + self._step_s

    def is_over(self) -> bool:
        """Look at the processes; False sets the time of the next look."""
        now = time.monotonic()
        total, is_ready = activity()
        used, before = total - self._reaped, self._used
        self._used = used
        elapsed = now - self._started
        is_working = is_ready or used - before > BUSY_S
        self._worked = now if is_working else self._worked
        self.next_look = now + self._step_s
        if elapsed < self._limit_s:
            self.next_look = min(self.next_look, self._started + self._limit_s)
            return now - self._worked >= IDLE_S
        charged = max(used, elapsed - (starved() - self._starved))
        return not is_working or charged >= self._limit_s or elapsed >= self._limit_s * MAX_STRETCH


class Streams:
    """Both output pipes of one probe, read without ever waiting for the wrong thing."""

    def __init__(self, out: int, err: int, keep: int, control: int) -> None:
        self.output = {out: bytearray(), err: bytearray()}
        self.open = {out, err}
        self._keep = keep
        self._control = control
        self._poll = select.poll()
        self._poll.register(control, 0)  # tells only that the host is gone
        self._poll.register(out, select.POLLIN)
        self._poll.register(err, select.POLLIN)

    def read_until_end(self, pid: int, limit: TimeLimit) -> int:
        """Until the program ends (0), the time is over, or too much was said."""
        handle = os.pidfd_open(pid)
        self._poll.register(handle, select.POLLIN)
        try:
            while True:
                left_ms = (limit.next_look - time.monotonic()) * 1000
                if left_ms <= 0:
                    if limit.is_over():
                        return TIMED_OUT
                    continue
                if handle in self.take(left_ms):
                    return 0
                for data in self.output.values():
                    if len(data) > self._keep:
                        return TRUNCATED
        finally:
            self._poll.unregister(handle)
            os.close(handle)

    def take(self, wait_ms: float) -> list[int]:
        """Move what is there within the time; the descriptors that had something to tell."""
        ready = self._poll.poll(wait_ms)
        for descriptor, events in ready:
            if descriptor == self._control:
                os._exit(0)
            if descriptor in self.open:
                data = os.read(descriptor, _CHUNK) if events & select.POLLIN else b""
                if data:
                    buffer = self.output[descriptor]
                    buffer += data[: self._keep + 1 - len(buffer)]
                else:
                    self._poll.unregister(descriptor)
                    self.open.discard(descriptor)
        return [descriptor for descriptor, _ in ready]

    def drain(self) -> None:
        """Read what is left in the pipes after the last writer died; never waits."""
        while self.open and self.take(0):
            pass


def end_all(main: int) -> tuple[int, int]:
    """Kill and reap everything; the program's exit code and how many others still lived."""
    try:  # noqa: SIM105  contextlib is an import
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


def look(directory: str) -> tuple[int, int, int]:
    """State of a scratch directory, equal while it is untouched: a tmpfs counts its entries in the size."""
    status = os.stat(directory)
    return status.st_size, status.st_mode, status.st_nlink


def wipe(directory: str) -> bool:
    """Empty the scratch directory and undo what was done to itself; False if time ran out."""
    deadline = time.monotonic() + WIPE_S
    if os.stat(directory).st_uid == os.getuid():
        os.chmod(directory, 0o1777)  # of one user, and it alone is in here
    fresh = 0
    while names := os.listdir(directory):
        for name in names:
            if time.monotonic() > deadline:
                return False
            fresh = remove(directory + "/" + name, directory, fresh)
    return True


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


class Supervisor:
    """Answers requests from the control pipe until the host closes it."""

    def __init__(self, control: int, reply: int, scratch: str) -> None:
        self._control = control
        self._reply = reply
        self._buffer = b""
        self._scratch = scratch
        self._untouched = look(scratch)

    def serve(self) -> None:
        """Answer requests until told to stop; the namespace ends with this process, whatever happens."""
        try:
            restrict_thread()
            os.write(self._reply, b"R")
            going = True
            while going:
                size, count, wall_ms, keep = REQUEST.unpack(self._take(REQUEST.size))
                parts = self._take(size).split(b"\0")
                env = dict(zip(parts[count::2], parts[count + 1 :: 2]))  # noqa: B905  Python 3.9
                answer, going = self._probe(parts[:count], env, wall_ms, keep)
                while answer:
                    answer = answer[os.write(self._reply, answer) :]
        finally:
            os._exit(1)

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            more = os.read(self._control, _CHUNK)
            if not more:
                os._exit(0)
            self._buffer += more
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _probe(
        self, argv: list[bytes], env: dict[bytes, bytes], wall_ms: int, keep: int
    ) -> tuple[bytes, bool]:
        """Run one probe and clean up after it; the reply, and whether we may go on."""
        started, reaped = time.monotonic(), cpu_reaped()
        out_r, out_w = os.pipe()
        err_r, err_w = os.pipe()
        streams = Streams(out_r, err_r, keep, self._control)
        main = killed = 0
        try:
            main = spawn(argv, env, out_w, err_w)
        except OSError as problem:
            code, flags = problem.errno or 0, NOT_STARTED
        os.close(out_w)
        os.close(err_w)
        if main:
            flags = streams.read_until_end(main, TimeLimit(wall_ms / 1000))
            code, killed = end_all(main)
            streams.drain()
        os.close(out_r)
        os.close(err_r)
        took, used = time.monotonic() - started, cpu_reaped() - reaped
        if look(self._scratch) != self._untouched and not self._restore():
            flags |= NEEDS_RESTART
        out, err = streams.output[out_r], streams.output[err_r]
        if len(out) > keep or len(err) > keep:
            flags |= TRUNCATED
            out, err = out[:keep], err[:keep]
        head = REPLY.pack(code, flags, killed, len(out), len(err), int(took * 1e6), int(used * 1e6))
        return head + out + err, not flags & NEEDS_RESTART

    def _restore(self) -> bool:
        return wipe(self._scratch) and look(self._scratch) == self._untouched


def main(arguments: list[str]) -> None:
    """Harden this process, then serve from a Landlocked thread."""
    control, reply, uid, gid, processes, memory, file = map(int, arguments[:-1])
    scratch = arguments[-1]
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
    os.chdir(scratch)
    set_limits(processes, memory, file)
    drop_privileges(uid, gid)
    forever = _thread.allocate_lock()
    forever.acquire()
    _thread.start_new_thread(Supervisor(control, reply, scratch).serve, ())
    forever.acquire()


if __name__ == "__main__":
    main(sys.argv[1:])
