"""The full backend: starts what `plan` decided, and opens the network gate.

Order of the layers: outer mounts (owners of files, previews) → bubblewrap (namespaces, mounts) → inner launcher
(network gates, `noexec`, uid, filter, limits, Landlock) → one-shot exec. Nothing of a failed start remains.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import time

from atip.errors import ExecutionError, SandboxError
from atip.sandbox.bubblewrap import launchers, owners, system_view
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.sandbox.bubblewrap import plan as bubblewrap_plan
from atip.sandbox.kernel.cgroups import make_group
from atip.sandbox.protected import journal
from atip.sandbox.running import RunControl, RunningProcess
from atip.system.programs.lasting import from_lasting_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.bubblewrap.launchers import Launcher
    from atip.sandbox.bubblewrap.plan import OuterOrder, SandboxPlan
    from atip.sandbox.network.proxy import EgressProxy
    from atip.sandbox.run import OnOutput, Outcome, RunRequest

START_S = 10.0
RESOLVER = "127.0.0.53"  # of a recorded network (`recorder`, `inner.open_stand_in`)
_FOR_NOEXEC = ("CAP_SYS_ADMIN", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH")
"""Of its own user namespace, for the inner launcher: to change mounts, also of private folders, and to give all up."""


def start(confinement: Confinement, request: RunRequest, on_output: OnOutput) -> RunningProcess:
    """Plan, prepare, start, and open the network gate."""
    recovered = journal.recover(request.journal) if request.journal else ()
    decided = bubblewrap_plan.plan(confinement, request)
    bubblewrap_plan.check_cwd(decided)
    for path in decided.files.writable:
        os.makedirs(path, mode=0o700, exist_ok=True) if not os.path.exists(path) else None
    with contextlib.ExitStack() as undo:
        for path in decided.files.placeholders:
            from atip.sandbox.bubblewrap.placeholders import hold_placeholder, release_placeholder

            undo.callback(release_placeholder, path, hold_placeholder(path))
        if decided.files.survey is not None and request.journal and not request.overlays:
            try:
                undo.callback(journal.begin(request.journal, decided.files.survey))
            except OSError as error:
                recovered += (f"leftovers are not cleaned up after a kill: {error.strerror}",)
        running = _Launch(decided, on_output, undo, recovered).start()
        undo.pop_all()  # from here on `finish` undoes it
        return running


class _Launch:
    """One start and its end. `_theirs` are descriptors for the sandbox, closed once it has them."""

    def __init__(
        self,
        decided: SandboxPlan,
        on_output: OnOutput,
        undo: contextlib.ExitStack,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._decided = decided
        self._confinement = decided.confinement
        self._on_output = on_output
        self._undo = undo.pop_all()
        self._notes = notes
        self._memory_total = False
        self._theirs = contextlib.ExitStack()
        self._ours = contextlib.ExitStack()
        self._egress: EgressProxy | None = None

    def start(self) -> RunningProcess:
        with contextlib.ExitStack() as failed:
            failed.callback(self._undo.close)
            failed.callback(self._ours.close)
            with self._theirs:
                running = self._start()
            failed.pop_all()
            self._ours.pop_all()  # closed by the RunningProcess and by `finish`
        return running

    def _start(self) -> RunningProcess:
        stdio, streams, stdin = self._open_streams()
        status, status_w = self._pipe()
        inner = launchers.inner(self._decided)
        order = self._content(inner.order)
        channel, channel_in = (None, ()) if inner.quick else self._channel()
        lifeline_r, lifeline = os.pipe()
        self._theirs.callback(os.close, lifeline_r)
        self._undo.callback(os.close, lifeline)
        started = self._bubblewrap(stdio, inner, (order, status_w, *channel_in, lifeline_r))
        self._theirs.close()
        failed = contextlib.ExitStack()
        failed.callback(bubblewrap.end, started)
        with failed:
            if channel is not None:
                self._open_gates(channel)
                self._begin_trace(channel)
                channel.close()
            self._await_exec(status, streams)
            failed.pop_all()
        os.close(status)
        control = RunControl(
            pid=started.pid,
            kill=functools.partial(bubblewrap.kill, started),
            settle=functools.partial(bubblewrap.settle, started),
            finish=functools.partial(self._finish, started),
        )
        return RunningProcess(
            control,
            streams=streams,
            stdin=stdin,
            on_output=self._on_output,
            limits=self._confinement.limits,
            terminal=next(iter(streams)) if self._confinement.tty else -1,
            keyboard=self._decided.request.keyboard,
        )

    def _bubblewrap(
        self, stdio: tuple[int, int, int], inner: Launcher, inner_fds: tuple[int, ...]
    ) -> bubblewrap.BubblewrapProcess:
        decided = self._decided
        binary = self._open(f"/proc/self/fd/{decided.request.binary.descriptor}")
        # By descriptor: the program directories inside may show no interpreter at all.
        interpreter = self._open(inner.program)
        start = [f"/proc/self/fd/{interpreter}"]
        if decided.root:
            start = system_view.host_start(inner.program)
        code = self._content(inner.code)
        root = os.geteuid() == 0
        outer = bubblewrap_plan.outer_order(decided, root=root)
        prefix, prefix_fds = self._prefix(outer) if outer and not root else ([], ())
        placeholder_files = system_view.placeholder_files(decided.home)
        placeholder_files["/etc/hosts"] = bubblewrap_plan.hosts_file(self._confinement)
        if _recorded(decided):
            placeholder_files["/etc/hosts"] += b"127.0.0.1 sandbox\n"
            placeholder_files["/etc/resolv.conf"] = (
                f"nameserver {RESOLVER}\noptions timeout:10 attempts:1\n".encode()
            )
        copied = {} if decided.root else system_view.open_settings()
        for descriptor in copied.values():
            self._theirs.callback(os.close, descriptor)
        command = [*start, *inner.options, f"/proc/self/fd/{code}"]
        order = bubblewrap.NamespaceOrder(
            arguments=bubblewrap_plan.arguments_of(decided, binary, copied),
            inner=[*command, *map(str, inner_fds)],
            files=placeholder_files,
            over=bool(decided.root),
            keep=(*inner_fds, binary, interpreter, code, *prefix_fds, *copied.values()),
            capabilities=_capabilities(decided),
            seals=decided.spawns or bool(decided.root),
            stdio=stdio,
            prefix=prefix,
        )
        among = functools.partial(owners.spawn_among, outer) if outer and root else None
        return bubblewrap.start(order, hold=self._hold, spawn_by=among or from_lasting_thread)

    def _hold(self, pid: int) -> None:
        """One bound on the memory of all processes together, where a control group can be had."""
        memory = self._confinement.limits.memory_bytes
        group = make_group(memory) if memory is not None else None
        if group is not None:
            self._undo.callback(group.close)
            self._memory_total = group.hold(pid)

    def _prefix(self, order: OuterOrder) -> tuple[list[str], tuple[int, ...]]:
        outer = launchers.outer(order)
        order_fd, code = self._content(outer.order), self._content(outer.code)
        command = [outer.program, *outer.options, f"/proc/self/fd/{code}", str(order_fd)]
        return command, (order_fd, code)

    def _open_streams(self) -> tuple[tuple[int, int, int], dict[int, str], tuple[int, bytes]]:
        """(theirs), (ours to read), (ours to write, what to write)."""
        data = self._decided.request.stdin
        if self._confinement.tty:
            master, slave = os.openpty()
            self._ours.callback(os.close, master)
            self._theirs.callback(os.close, slave)
            _set_size(slave, self._decided.request.terminal_size)
            return (slave, slave, slave), {master: "stdout"}, (master if data else -1, data)
        out, out_w = self._pipe()
        err, err_w = self._pipe()
        if not data:
            return (
                (self._decided.request.stdin_fd, out_w, err_w),
                {out: "stdout", err: "stderr"},
                (-1, b""),
            )
        reader, writer = os.pipe()
        self._theirs.callback(os.close, reader)
        self._ours.callback(os.close, writer)
        return (reader, out_w, err_w), {out: "stdout", err: "stderr"}, (writer, data)

    def _open_gates(self, channel: socket.socket) -> None:
        """Take the listening sockets that the inner launcher opened, and serve them."""
        gates = self._decided.gates
        if not gates and not self._decided.callbacks:
            return
        import socket

        from atip.model.text.hosts import parse_endpoint
        from atip.sandbox.network.proxy import EgressPolicy, EgressProxy, resolve_name

        resolve = self._decided.request.resolve or resolve_name
        proxy = EgressProxy(EgressPolicy(self._confinement, resolve))
        self._egress = proxy
        self._undo.callback(proxy.close)
        channel.settimeout(START_S)
        forwards = [parse_endpoint(text) for text in self._confinement.tcp]
        for index in range(len(gates)):
            _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
            if not descriptors:
                return  # it died; the status tells why
            gate = socket.socket(fileno=descriptors[0])
            if index == 0 and self._confinement.has_gate:
                proxy.serve_proxy(gate)
            else:
                host, port = forwards[index - self._confinement.has_gate]
                proxy.serve_forward(gate, host, port)
        if self._decided.callbacks and not self._open_doors(channel):
            return
        channel.send(b"k")

    def _open_doors(self, channel: socket.socket) -> bool:
        """Take the sockets that the launcher made inside, and let callbacks in through them."""
        import socket

        from atip.sandbox.network.ingress import IngressListener, count_spare

        inside: list[socket.socket] = []
        for _ in range(count_spare(self._decided.callbacks)):
            _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
            if not descriptors:
                return False  # it died; the status tells why
            inside.append(socket.socket(fileno=descriptors[0]))
        listener = IngressListener(self._decided.callbacks, inside)
        self._undo.callback(listener.close)
        listener.serve()
        return True

    def _begin_trace(self, channel: socket.socket) -> None:
        """Listen to a traced program before it starts; without its launcher the status has the reason."""
        tracer = self._decided.request.tracer
        if tracer is not None:
            channel.settimeout(START_S)
            with contextlib.suppress(OSError):
                if tracer.recorder is not None:
                    tracer.recorder.take(channel)
                tracer.begin(channel)

    def _await_exec(self, status: int, streams: dict[int, str]) -> None:
        """Wait until the program itself runs.

        Raises:
            ExecutionError: `execution.not-started`, when the program cannot be executed.
            SandboxError: when the sandbox around it could not be made.
        """
        report = _read_until_end(status, START_S)
        if report == b"S":
            return
        output = b"".join(_read_now(descriptor) for descriptor in streams)
        details = {
            "told": report.decode("utf-8", "replace"),
            "said": output.decode("utf-8", "replace"),
        }
        if report.startswith(b"S"):
            raise ExecutionError(
                "execution.not-started",
                f"`{self._decided.program}` cannot be executed: {details['told'][1:]}",
                details=details,
            )
        raise SandboxError(
            "sandbox.set-up",
            f"the sandbox could not be set up as requested: {details['said'] or details['told']}",
            hint="`atip doctor` shows which layer is missing",
            details=details,
        )

    def _finish(self, started: bubblewrap.BubblewrapProcess, outcome: Outcome) -> Outcome:
        os.close(started.inner)
        undone = self._undone()
        self._undo.close()
        decided = self._decided
        layers = ["namespaces", "seccomp", "read-only-system", "verified-bytes"]
        if decided.spawns:
            layers += [] if self._confinement.exec_written else ["noexec"]
            layers += ["spawn-list"] if decided.lists else []
        else:
            layers.append("one-shot-exec")
        layers += ["image"] if decided.root else []
        layers += ["proxy"] if self._confinement.egress else ["no-network"]
        layers += ["memory-total"] if self._memory_total else []
        each = (
            "limits on processor time"
            if self._memory_total
            else "limits on memory and processor time"
        )
        notes: tuple[str, ...] = (f"{each} hold for each process",)
        if decided.files.expanded:
            notes += ("files created later are not covered by an expanded read pattern",)
        notes += (*self._notes, *undone)
        return outcome.replace(
            backend="bubblewrap",
            layers=tuple(layers),
            attempts=tuple(self._egress.attempts) if self._egress else (),
            env_dropped=decided.env_dropped,
            notes=notes,
        )

    def _undone(self) -> tuple[str, ...]:
        """Names that must not appear are set aside. A preview changed nothing, and its changes are shown to a person."""
        survey = self._decided.files.survey
        if survey is None or self._decided.request.overlays:
            return ()
        from atip.sandbox.protected.undo import undo_changes

        return undo_changes(survey)

    def _channel(self) -> tuple[socket.socket, tuple[int]]:
        """Our end, and the number of the other: sockets are handed over through it."""
        import socket

        ours, theirs = socket.socketpair()
        self._ours.callback(ours.close)
        self._theirs.callback(theirs.close)
        return ours, (theirs.fileno(),)

    def _pipe(self) -> tuple[int, int]:
        ours, theirs = os.pipe()
        self._ours.callback(os.close, ours)
        self._theirs.callback(os.close, theirs)
        return ours, theirs

    def _open(self, path: str) -> int:
        descriptor = os.open(path, os.O_RDONLY)
        self._theirs.callback(os.close, descriptor)
        return descriptor

    def _content(self, data: bytes) -> int:
        """A descriptor that yields `data` from the start, whatever its size."""
        descriptor = os.memfd_create("atip", os.MFD_CLOEXEC)
        self._theirs.callback(os.close, descriptor)
        os.write(descriptor, data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor


def _recorded(decided: SandboxPlan) -> bool:
    """Whether the network is a stand-in."""
    tracer = decided.request.tracer
    return tracer is not None and tracer.recorder is not None


def _capabilities(decided: SandboxPlan) -> tuple[str, ...]:
    return (
        *(_FOR_NOEXEC if decided.spawns or decided.root else ()),
        *(("CAP_NET_BIND_SERVICE",) if _recorded(decided) else ()),
    )


def _set_size(terminal: int, size: tuple[int, int]) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[0], size[1], 0, 0))


def _read_until_end(descriptor: int, within_s: float) -> bytes:
    deadline = time.monotonic() + within_s
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = b""
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        more = os.read(descriptor, 4096)
        if not more:
            return data
        data += more
    return b"?" + data


def _read_now(descriptor: int) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        return os.read(descriptor, 4096) if poll.poll(200) else b""
    except OSError:  # a terminal whose other side is gone
        return b""
