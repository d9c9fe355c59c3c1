"""Launchers: our small programs around bubblewrap, and the order for each.

The *inner* one is PID 1 and the last code of ours before the program. It exists twice: in Perl (`inner.pl`), which starts
in a tenth of Python's time, for most runs; and in Python (`inner.py`), which also hands sockets over and takes
terminals, and is there where Perl is not. The layers are the same. The *outer* one lays the overlays of a preview.
"""

from __future__ import annotations

import functools
import marshal
import os
import resource
import sys

from atip.errors import ExecutionError
from atip.model.value import Value
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.sandbox.bubblewrap import plan as bubblewrap_plan
from atip.sandbox.bubblewrap import system_view
from atip.sandbox.kernel.seccomp import SeccompFilter, assemble
from atip.sandbox.kernel.syscall_numbers import ARCHITECTURES, INNER_CALLS
from atip.system.programs import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.permissions.confinement import Limits
    from atip.sandbox.bubblewrap.plan import OuterOrder, SandboxPlan


_FILTER = SeccompFilter(shared_objects=True)
_MOST = (1 << 63) - 1


class Launcher(Value):
    """One of our programs around a run."""

    program: str
    """Its interpreter."""
    options: tuple[str, ...]
    code: bytes
    order: bytes
    quick: bool = False
    """True: in Perl; takes no channel to the host."""


def inner(decided: SandboxPlan) -> Launcher:
    """The launcher inside. Sockets are handed over, and a terminal is taken, by the one in Python.

    Raises:
        ExecutionError: `execution.not-started` for words that no program can be given.
    """
    # SECURITY: a C string ends at NUL; the program would get another word than was judged.
    if any("\0" in word for word in (*decided.argv, *decided.env, *decided.env.values())):
        raise ExecutionError("execution.not-started", "an argument or variable contains NUL")
    perl = find_perl()
    busy = decided.gates or decided.callbacks or decided.confinement.tty or decided.request.tracer
    if perl is not None and not busy:
        order = _quick_inner_order(decided)
        return Launcher(
            program=perl, options=("-f",), code=_script("inner"), order=order, quick=True
        )
    return Launcher(
        # By descriptor: the program directories inside may show no interpreter at all.
        program=system_view.find_interpreter().program,
        options=("-I", "-S"),
        code=_compile("inner"),
        order=marshal.dumps(_inner_order(decided)),
    )


def outer(order: OuterOrder) -> Launcher:
    """The one outside, for a caller who is not root."""
    return Launcher(
        program=os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable),
        options=("-I", "-S"),
        code=_compile("outer"),
        order=marshal.dumps((order.overlays, order.mounts, order.layer)),
    )


@functools.cache
def find_perl() -> str | None:
    """The system's Perl, from directories that every sandbox shows."""
    path = processes.find_program("perl", bubblewrap.SEARCH)
    real = os.path.realpath(path) if path else ""
    return real if real.startswith(tuple(f"{tree}/" for tree in system_view.TREES)) else None


def _inner_order(decided: SandboxPlan) -> dict[str, object]:
    from atip.sandbox.network.ingress import count_spare

    tracer = decided.request.tracer
    return {
        "gates": list(decided.gates),
        "spare": count_spare(decided.callbacks),
        "mounts": bubblewrap_plan.mount_changes(decided),
        "taken": bubblewrap_plan.launcher_mounts(decided),
        "limits": _limits(decided.confinement.limits),
        "tty": decided.confinement.tty,
        "uid": system_view.UID,
        "cwd": _cwd(decided),
        "program": decided.program,
        "argv": list(decided.argv),
        "env": dict(decided.env),
        # SECURITY: what is left out here is refused by the tracer, who must be there
        "filter": assemble(_FILTER.replace(traced=tracer is not None), os.uname().machine),
        "one_shot": _one_shot(decided),
        "trace": (tracer.filter, tracer.number) if tracer is not None else None,
        "recorded": tracer is not None and tracer.recorder is not None,
    }


def _quick_inner_order(decided: SandboxPlan) -> bytes:
    machine = os.uname().machine
    limits = " ".join(f"{kind} {value}" for kind, value in _limits(decided.confinement.limits))
    env = [f"{name}={value}" for name, value in decided.env.items()]
    mounts = [field for change in bubblewrap_plan.mount_changes(decided) for field in change]
    lists = (mounts, decided.argv, env, bubblewrap_plan.launcher_mounts(decided))
    fixed = (system_view.UID, _cwd(decided), decided.program, assemble(_FILTER, machine))
    return _pack((*_calls(machine), *fixed, _one_shot(decided), limits, *map(_pack, lists)))


def _pack(fields: Iterable[str | bytes | int]) -> bytes:
    """Length and content of each field, for `unpack "(N/a*)*"`."""
    packed = bytearray()
    for field in fields:
        data = field if isinstance(field, bytes) else os.fsencode(str(field))
        packed += len(data).to_bytes(4, "big") + data
    return bytes(packed)


def _cwd(decided: SandboxPlan) -> str:
    return os.path.realpath(decided.request.cwd or decided.home)


def _one_shot(decided: SandboxPlan) -> bytes:
    """The filter of a one-shot exec; empty where other programs may be started."""
    if decided.spawns:
        return b""
    filter_options = _FILTER.replace(
        one_shot_exec=True,
        processes=decided.confinement.exec_allow,
        traced=decided.request.tracer is not None,
    )
    return assemble(filter_options, os.uname().machine)


@functools.cache
def _calls(machine: str) -> tuple[str, str]:
    """Names and numbers of the system calls of `inner.pl`."""
    column, _ = ARCHITECTURES[machine]
    return " ".join(INNER_CALLS), " ".join(str(pair[column]) for pair in INNER_CALLS.values())


def _limits(limits: Limits) -> list[tuple[int, int]]:
    """Resource limits for the inner launcher to set."""
    limit_values: list[tuple[int, int | None]] = [
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_AS, None if limits.memory_bytes is None else limits.memory_bytes * 8),
    ]
    return [(kind, min(value, _MOST)) for kind, value in limit_values if value is not None]


@functools.cache
def _compile(module: str) -> bytes:
    """One of our programs as a `.pyc` file."""
    import importlib.util

    name = f"atip.sandbox.bubblewrap.{module}"
    spec = importlib.util.find_spec(name)
    code = spec.loader.get_code(name) if spec and spec.loader else None  # type: ignore[attr-defined]
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


@functools.cache
def _script(name: str) -> bytes:
    """One of our programs in Perl."""
    with open(f"{os.path.dirname(__file__)}/{name}.pl", "rb") as script:
        return script.read()
