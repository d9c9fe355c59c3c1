"""The Landlock backend: for hosts without namespaces, cheap, and weaker; it reports what it cannot enforce.

A thread under Landlock and a system-call filter (landlock_spawner.py) starts the program, which inherits
both and cannot take them off. What it enforces: files by allowlist, no network, no
signals to outside, verified bytes, time and output. What it cannot (`missing_for`) is refused, unless
the caller accepts each by name: `RunRequest.unsafe_accept`.
"""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import signal
from typing import TYPE_CHECKING

from atip.errors import ExecutionError, SandboxError
from atip.sandbox.bubblewrap.grants import plan_files
from atip.sandbox.bubblewrap.plan import build_environment
from atip.sandbox.kernel import syscalls as kernel
from atip.sandbox.kernel.landlock_spawner import spawner_for
from atip.sandbox.running import RunControl, RunningProcess
from atip.system.programs import processes

if TYPE_CHECKING:
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.bubblewrap.grants import FilePlan
    from atip.sandbox.run import OnOutput, Outcome, RunRequest


def missing_for(confinement: Confinement, files: FilePlan) -> tuple[str, ...]:
    """Parts of a Confinement that this backend cannot enforce, in stable words."""
    limits = confinement.limits
    facts = {
        # A daemon in a new session is out of reach without a process namespace.
        "process-tree": True,
        # `stat` is not handled by Landlock: names and sizes of files can be seen.
        "file-names": True,
        # Execute rights are bypassed through the dynamic loader.
        "exec": True,
        "deny": any(mount.kind.startswith("hide") for mount in files.mounts),
        "keep": files.survey is not None or any(mount.kind == "keep" for mount in files.mounts),
        "egress": bool(confinement.egress or confinement.tcp),
        "ingress": bool(confinement.ingress),
        "tty": confinement.tty,
        "processes": limits.processes is not None,
        "abstract-sockets-and-signals": kernel.landlock_abi() < 6,
    }
    return tuple(name for name, missing in facts.items() if missing)


def start(confinement: Confinement, request: RunRequest, on_output: OnOutput) -> RunningProcess:
    """Start a run, or say what would not be enforced.

    Raises:
        SandboxError: `sandbox.landlock-missing`, or `sandbox.weaker` with `details.missing`.
    """
    abi = kernel.landlock_abi()
    if abi < 4:
        raise SandboxError(
            "sandbox.landlock-missing",
            f"Landlock ABI 4 is needed, this kernel has {abi}",
            hint="kernel 6.7 or newer with `landlock` in `lsm=`",
        )
    home = os.path.realpath(request.home or os.path.expanduser("~"))
    granted = (
        confinement.fs_read or confinement.fs_write or confinement.fs_deny or confinement.fs_cache
    )
    workspace = os.path.realpath(request.workspace or request.cwd or home) if granted else home
    files = plan_files(confinement, home=home, workspace=workspace)
    missing = missing_for(confinement, files)
    if unaccepted := [name for name in missing if name not in request.unsafe_accept]:
        raise SandboxError(
            "sandbox.weaker",
            f"the Landlock backend cannot enforce: {', '.join(unaccepted)}",
            hint="use the bubblewrap backend, or accept each of these by name",
            details={"missing": unaccepted},
        )
    return _Launch(confinement, request, files, home, missing, on_output).start(abi)


class _Launch:
    """One start: descriptors here, restriction and spawn in a thread of its own."""

    def __init__(
        self,
        confinement: Confinement,
        request: RunRequest,
        files: FilePlan,
        home: str,
        missing: tuple[str, ...],
        on_output: OnOutput,
    ) -> None:
        self._confinement = confinement
        self._request = request
        self._files = files
        self._missing = missing
        self._on_output = on_output
        self._env, self._dropped = build_environment(confinement, request.caller_env, home, ())

    def start(self, abi: int) -> RunningProcess:
        out, out_w = os.pipe()
        err, err_w = os.pipe()
        reader, writer = os.pipe() if self._request.stdin else (-1, -1)
        try:
            pid = self._spawn(abi, (reader, out_w, err_w))
        except OSError as error:
            _close(out, err, writer)
            raise ExecutionError(
                "execution.not-started", f"the program cannot be started: {error}"
            ) from error
        finally:
            _close(reader, out_w, err_w)
        self._limit(pid)
        end = functools.partial(_kill_group, pid)
        return RunningProcess(
            RunControl(pid=pid, kill=end, settle=end, finish=self._finish),
            streams={out: "stdout", err: "stderr"},
            stdin=(writer, self._request.stdin),
            on_output=self._on_output,
            limits=self._confinement.limits,
        )

    def _spawn(self, abi: int, stdio: tuple[int, int, int]) -> int:
        binary = self._request.binary
        # SECURITY: the sealed copy is executed, not the path, which may hold other bytes by now.
        sealed_path = f"/proc/self/fd/{binary.descriptor}"
        interpreter = binary.interpreter
        argv = (
            (*interpreter, sealed_path, *self._request.argv[1:])
            if interpreter
            else self._request.argv
        )
        return spawner_for(abi, self._files).spawn(
            self._request.cwd or "/",
            functools.partial(
                processes.spawn,
                argv,
                self._env,
                program=interpreter[0] if interpreter else sealed_path,
                keep=(binary.descriptor,),
                stdin=stdio[0],
                stdout=stdio[1],
                stderr=stdio[2],
                setsid=True,
            ),
        )

    def _limit(self, pid: int) -> None:
        limits = self._confinement.limits
        resource_limits = (
            (resource.RLIMIT_CPU, limits.cpu_s),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_DATA, limits.memory_bytes),
        )
        with contextlib.suppress(ProcessLookupError):
            for kind, value in resource_limits:
                if value is not None:
                    resource.prlimit(pid, kind, (value, value))

    def _finish(self, outcome: Outcome) -> Outcome:
        return outcome.replace(
            backend="landlock",
            layers=("landlock", "seccomp", "no-network", "verified-bytes"),
            env_dropped=self._dropped,
            notes=tuple(f"not enforced: {name}" for name in self._missing),
        )


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


def _kill_group(pid: int) -> None:
    """The program and what stayed in its session; see `process-tree`."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
