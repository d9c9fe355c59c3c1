"""Worker: the host's end of one probe confinement: start it, run probes, replace it when it dies.

Replies come from inside a sandbox: every length is checked against what was asked for, and
nothing is parsed beyond a fixed header. Not thread-safe; `ProbeSandbox` hands each worker to one
caller at a time.
"""

from __future__ import annotations

import functools
import importlib.util
import marshal
import os
import select
import time
from typing import TYPE_CHECKING

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.sandbox.bubblewrap import system_view
from atip.sandbox.kernel.seccomp import SeccompFilter, assemble
from atip.sandbox.probes.protocol import (
    MAX_STRETCH,
    NEEDS_RESTART,
    NOT_STARTED,
    REPLY,
    REQUEST,
    TIMED_OUT,
    TRUNCATED,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.model.permissions.confinement import Limits

GRACE_S = 2.0
"""Time beyond the longest that a probe may take in which the supervisor must have cleaned up and answered."""
START_S = 10.0
SCRATCH_BYTES = 64 * 1024 * 1024
_OUTPUT_BYTES = 1_000_000
_CHUNK = 65536
_INSIDE = "/run/supervisor.pyc"

_SCRATCH = ("/tmp", "/var/tmp", "/scratch")  # noqa: S108  the sandbox's own

ENVIRONMENT = {
    "PATH": system_view.SEARCH_PATH,
    "USER": system_view.USER,
    "LOGNAME": system_view.USER,
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "COLUMNS": "100",
}
"""All that a probe finds in its environment, besides HOME and TMPDIR (both the scratch directory)
and what the caller sets."""


class ProbeResult(Value):
    """Result of one probe. Bytes as written, at most the limit of each stream."""

    exit_code: int | None
    """As in `subprocess`: -N for signal N. None when nothing was started (see `failure`)."""
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    truncated: bool = False
    """A stream went over the limit; the program was ended there."""
    leftovers: int = 0
    """Processes that still lived when the program itself had ended; all were killed."""
    duration_s: float = 0.0
    cpu_s: float = 0.0
    """Processor time of the program and of all that it started."""
    failure: str = ""
    """`sandbox.not-started` (no such file, not a program …) or `sandbox.died`; empty otherwise."""

    @property
    def ok(self) -> bool:
        """Ended by itself with status 0, in time and within the output limit."""
        return self.exit_code == 0 and not self.timed_out and not self.truncated


class Worker:
    """One confinement. Starts on first use; a dead one is replaced on the next use."""

    def __init__(self, visible: tuple[str, ...], limits: Limits, root: str = "") -> None:
        self._visible = visible
        self._root = root
        self._scratch = scratch_for(visible)
        self._limits = limits
        self._keep = _OUTPUT_BYTES if limits.output_bytes is None else limits.output_bytes
        self._started: bubblewrap.BubblewrapProcess | None = None
        self._control = self.reply = self._said = -1
        self._began = self._deadline = 0.0
        self._sent = False
        self._buffer = bytearray()
        self._poll = select.poll()

    def ensure(self) -> None:
        """Start the confinement unless it runs.

        Raises:
            SandboxError: when it cannot be made; nothing runs then.
        """
        if self._started is None:
            self._start()

    def close(self) -> None:
        """Kill the whole namespace and forget it."""
        started, self._started = self._started, None
        if started is not None:
            bubblewrap.end(started)
        for descriptor in (self._control, self.reply, self._said):
            if descriptor >= 0:
                os.close(descriptor)
        self._control = self.reply = self._said = -1
        self._sent = False
        self._buffer.clear()

    def send(self, argv: tuple[str, ...], env_set: Mapping[str, str], wall_s: float) -> None:
        """Hand over one probe; `receive` must follow."""
        env = {**ENVIRONMENT, "HOME": self._scratch, "TMPDIR": self._scratch, **env_set}
        request = encode_request(argv, env, wall_s, self._keep)
        for _ in range(
            2
        ):  # it may have died of old age while idle: nothing was run, start a new one
            self.ensure()
            try:
                os.write(self._control, request)
                break
            except BrokenPipeError:
                self.close()
        self._sent = True
        self._began = time.monotonic()
        self._deadline = self._began + wall_s * MAX_STRETCH + GRACE_S

    def receive(self) -> ProbeResult:
        """The result of the probe that was sent; a dead or stuck confinement is a result too."""
        if not self._sent:
            return ProbeResult(exit_code=None, failure="sandbox.died")
        self._sent = False
        head = self._read(REPLY.size)
        if head is None:
            return self._lost()
        code, flags, killed, out, err, micros, cpu_micros = REPLY.unpack(head)
        # SECURITY: never trust a length from inside; the prober's memory depends on it.
        body = self._read(out + err) if max(out, err) <= self._keep else None
        if body is None:
            return self._lost()
        if flags & NEEDS_RESTART:
            self.close()
        if flags & NOT_STARTED:
            detail = os.strerror(code).encode()
            return ProbeResult(exit_code=None, stderr=detail, failure="sandbox.not-started")
        return ProbeResult(
            exit_code=code,
            stdout=body[:out],
            stderr=body[out:],
            timed_out=bool(flags & TIMED_OUT),
            truncated=bool(flags & TRUNCATED),
            leftovers=killed,
            duration_s=micros / 1e6,
            cpu_s=cpu_micros / 1e6,
        )

    def _lost(self) -> ProbeResult:
        late = time.monotonic() >= self._deadline
        self.close()
        took = max(0.0, time.monotonic() - self._began)
        return ProbeResult(exit_code=None, timed_out=late, duration_s=took, failure="sandbox.died")

    def _read(self, size: int) -> bytes | None:
        """Exactly `size` bytes before the deadline, or None. At most one answer is under way."""
        while len(self._buffer) < size:
            if not self._poll.poll(max(0.0, self._deadline - time.monotonic()) * 1000):
                return None
            data = os.read(self.reply, _CHUNK)
            if not data:
                return None
            self._buffer += data
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _start(self) -> None:
        control_r, self._control = os.pipe()
        self.reply, reply_w = os.pipe()
        self._poll = select.poll()
        self._poll.register(self.reply, select.POLLIN)
        self._said, said_w = os.pipe()
        try:
            order = bubblewrap.NamespaceOrder(
                arguments=_arguments(self._visible, self._scratch, self._root),
                inner=_inner(control_r, reply_w, self._limits, self._scratch, self._root),
                # A root of its own has these files already.
                files={
                    **({} if self._root else system_view.placeholder_files(self._scratch)),
                    _INSIDE: _supervisor(),
                },
                keep=(control_r, reply_w),
                seccomp=assemble(SeccompFilter(), os.uname().machine),
                stdio=(-1, -1, said_w),
            )
            self._started = bubblewrap.start(order)
        except BaseException:
            self.close()
            raise
        finally:
            for descriptor in (control_r, reply_w, said_w):
                os.close(descriptor)
        self._deadline = time.monotonic() + START_S
        if self._read(1) != b"R":
            raise self._did_not_start()

    def _did_not_start(self) -> SandboxError:
        started, self._started = self._started, None
        if started is not None:
            bubblewrap.end(started)
        output = os.read(self._said, 4096).decode("utf-8", "replace").strip()
        self.close()
        return SandboxError(
            "sandbox.namespaces-unavailable",
            "the sandbox for probes could not be set up on this host",
            hint=bubblewrap.HINT,
            details={"said": output},
        )


def wait_for_any(workers: Iterable[Worker]) -> Worker:
    """The first worker that has an answer or has used up its time."""
    waiting = list(workers)
    for worker in waiting:
        if not worker._sent:
            return worker
    poll = select.poll()
    by_descriptor = {worker.reply: worker for worker in waiting}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.POLLIN)
    first = min(waiting, key=lambda worker: worker._deadline)
    ready = poll.poll(max(0.0, first._deadline - time.monotonic()) * 1000)
    return by_descriptor[ready[0][0]] if ready else first


def encode_request(
    argv: tuple[str, ...], env: Mapping[str, str], wall_s: float, keep: int
) -> bytes:
    """One request frame: header, then arguments and variables separated by NUL.

    Raises:
        SandboxError: `sandbox.argv` for an empty or relative program, or a NUL anywhere.
    """
    parts = [*argv]
    for name, value in env.items():
        parts += (name, value)
    if not argv or not os.path.isabs(argv[0]) or any("\0" in part for part in parts):
        raise SandboxError("sandbox.argv", "a probe needs an absolute program and no NUL bytes")
    body = "\0".join(parts).encode("utf-8", "surrogateescape")
    return REQUEST.pack(len(body), len(argv), int(wall_s * 1000), keep) + body


@functools.cache
def _supervisor() -> bytes:
    """The supervisor as a `.pyc` file: compiling it would cost as much as starting Python."""
    name = "atip.sandbox.probes.supervisor"
    spec = importlib.util.find_spec(name)
    code = spec.loader.get_code(name) if spec and spec.loader else None  # type: ignore[attr-defined]
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def scratch_for(visible: tuple[str, ...]) -> str:
    """Path for the scratch directory: `/tmp`, unless a visible path lies there itself."""
    for candidate in _SCRATCH:
        names = {*map(os.path.normpath, visible), *map(os.path.realpath, visible)}
        if not any(name.startswith(candidate + "/") for name in names):
            return candidate
    raise SandboxError("sandbox.visible", "no path left for a scratch directory")


def _arguments(visible: tuple[str, ...], scratch: str, root: str) -> list[str]:
    """Mounts of a probe: the system, what must be visible, and one scratch file system."""
    tree = system_view.find_interpreter().tree
    other = [name for name in ("/tmp", "/var/tmp") if name != scratch]  # noqa: S108
    return [
        *(system_view.root_arguments(root) if root else system_view.system_arguments()),
        *("--proc", "/proc"),
        # SECURITY: written by a root caller's sandbox, these reach the whole host.
        *("--ro-bind", "/proc/sys", "/proc/sys"),
        *system_view.device_arguments(),
        *("--perms", "1777", "--size", str(SCRATCH_BYTES), "--tmpfs", scratch),
        # One directory to look at after each probe instead of three.
        *("--symlink", scratch, "/dev/shm"),  # noqa: S108
        *(part for name in other for part in ("--perms", "0755", "--dir", name)),
        *system_view.visible_arguments(visible + ((tree,) if tree else ())),
    ]


def _inner(control: int, reply: int, limits: Limits, scratch: str, root: str) -> list[str]:
    numbers = (
        control,
        reply,
        bubblewrap.UID,
        bubblewrap.UID,
        -3 if limits.processes is None else limits.processes,
        -1 if limits.memory_bytes is None else limits.memory_bytes,
        -1 if limits.file_bytes is None else limits.file_bytes,
    )
    program = system_view.find_interpreter().program
    start = system_view.host_start(program) if root else [program]
    return [*start, "-I", "-S", _INSIDE, *map(str, numbers), scratch]
