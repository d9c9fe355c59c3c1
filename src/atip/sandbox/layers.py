"""Layers: what this host can really enforce, each proved and not guessed; for `atip doctor`.

A layer that works was seen to stop something (or to be active) in a sandbox started for the
purpose. Nothing here changes the host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.errors import AtipError, SandboxError
from atip.model.permissions.confinement import Confinement, Limits
from atip.model.value import Value
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.sandbox.kernel import syscalls as kernel
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import seal
from atip.system.programs import processes

if TYPE_CHECKING:
    from collections.abc import Iterator

SCOPES_ABI = 6


class Layer(Value):
    """One layer of the sandbox on this host."""

    name: str
    works: bool
    detail: str
    """Result of the check."""
    how_to_get: str = ""
    """Fix for a layer that does not work; empty where it works."""
    required: bool = True
    """False: the sandbox is safe without it, and says so in its results."""

    def to_json(self) -> dict[str, object]:
        """For `atip doctor --json`."""
        return {
            "name": self.name,
            "works": self.works,
            "detail": self.detail,
            "howToGet": self.how_to_get,
            "required": self.required,
        }


def check_layers() -> tuple[Layer, ...]:
    """Every layer, in the order in which they build on each other."""
    return tuple(_check())


def _check() -> Iterator[Layer]:
    program = processes.find_program("bwrap", bubblewrap.SEARCH)
    yield Layer(
        name="bubblewrap",
        works=program is not None,
        detail=program or "not found",
        how_to_get="" if program else "install the package `bubblewrap` (0.8 or newer)",
    )
    try:
        status = _status()
    except SandboxError as error:
        message = str(error.details.get("said", "")) or error.message
        yield Layer(
            name="namespaces",
            works=False,
            detail=message,
            how_to_get="allow unprivileged user namespaces (sysctl `kernel.unprivileged_userns_clone=1`, "
            "`kernel.apparmor_restrict_unprivileged_userns=0`, or an AppArmor profile for bwrap); "
            "in a container, start it with user namespaces allowed",
        )
    else:
        yield from _inside(status)
        yield _run_layer("noexec", ("cp",), "cp /bin/true /tmp/x && /tmp/x && echo ran")
        yield _run_layer("one-shot exec", (), "/bin/true && echo ran")
        yield from _watching_layers()
    yield _landlock()
    yield _cgroups()


def _status() -> dict[str, str]:
    """`/proc/self/status` of a probe, and what it saw of its surroundings."""
    script = (
        "cat /proc/self/status; "
        "echo Network: $(grep -c : /proc/net/dev); echo Processes: $(ls -d /proc/[0-9]* | wc -l); "
        "touch /usr/x /proc/sys/kernel/hostname 2>/dev/null && echo Writable: 1; "
        "echo Home: $(ls -A $HOME | wc -l)"
    )
    with ProbeSandbox() as box:
        text = box.run(["/bin/sh", "-c", script]).stdout.decode("utf-8", "replace")
    return {key: value.strip() for key, value in re.findall(r"^(\w+):[ \t]*(.*)$", text, re.M)}


def _inside(status: dict[str, str]) -> Iterator[Layer]:
    uid = status.get("Uid", "0").split()[0]
    # A probe, its shell and the supervisor, and only the loopback interface.
    alone = int(status.get("Processes", "99")) <= 6 and status.get("Network") == "1"
    yield Layer(
        name="namespaces",
        works=alone,
        detail="own processes and network" if alone else "other processes or interfaces are seen",
        how_to_get="" if alone else "report this with the output of `bwrap --version`",
    )
    capabilities = {status.get(f"Cap{kind}", "?").strip("0") for kind in ("Prm", "Eff", "Bnd")}
    powerless = uid != "0" and capabilities == {""} and status.get("NoNewPrivs") == "1"
    yield Layer(
        name="unprivileged",
        works=powerless,
        detail=f"uid {uid}, no capabilities" if powerless else f"uid {uid}, {capabilities}",
        how_to_get="" if powerless else "do not run as root inside a restricted container",
    )
    filtered = status.get("Seccomp") == "2"
    yield Layer(
        name="seccomp",
        works=filtered,
        detail=f"{status.get('Seccomp_filters', '?')} filter(s)" if filtered else "no filter",
        how_to_get="" if filtered else "a kernel with CONFIG_SECCOMP_FILTER",
    )
    sealed = "Writable" not in status and status.get("Home") == "0"
    yield Layer(
        name="read-only system",
        works=sealed,
        detail="system and kernel settings read-only, home empty"
        if sealed
        else "a write got through",
        how_to_get="" if sealed else "report this with the output of `bwrap --version`",
    )


def _run_layer(name: str, spawn: tuple[str, ...], script: str) -> Layer:
    """Try in a run what the layer must stop."""
    output = bytearray()
    confinement = Confinement(exec_allow=bool(spawn), exec_spawn=spawn, limits=Limits(wall_s=10))
    try:
        binary = seal("/bin/sh")
        try:
            request = RunRequest(argv=("sh", "-c", script), binary=binary)
            run_confined(confinement, request, lambda _name, data: output.extend(data))
        finally:
            binary.close()
    except AtipError as error:
        return Layer(
            name=name, works=False, detail=error.message, how_to_get="kernel 5.12 or newer"
        )
    works = b"ran" not in output
    return Layer(
        name=name,
        works=works,
        detail="a planted program was stopped" if works else "a planted program ran",
        how_to_get="" if works else "kernel 5.12 or newer",
    )


def _watching_layers() -> Iterator[Layer]:
    """Layers that `run --preview` and `observe` need."""
    from atip.sandbox.layers_watching import try_preview, try_trace

    for name, problem, detail, requirement in (
        ("preview", try_preview(), "a change was detected and kept away from the real file", "kernel 5.11 or newer with overlayfs"),
        ("trace", try_trace(), "a write was detected", "kernel 5.5 or newer with seccomp notification"),
    ):  # fmt: skip
        yield Layer(
            name=name,
            works=not problem,
            detail=problem or detail,
            how_to_get=requirement if problem else "",
            required=False,
        )


def _landlock() -> Layer:
    abi = kernel.landlock_abi()
    return Layer(
        name="landlock",
        works=abi >= SCOPES_ABI,
        detail=f"ABI {abi}" if abi else "not in this kernel",
        how_to_get="" if abi >= SCOPES_ABI else "kernel 6.12 or newer with `landlock` in `lsm=`",
        required=False,
    )


def _cgroups() -> Layer:
    """A group was made, bounded and removed, or was refused."""
    from atip.sandbox.kernel.cgroups import find_parent

    parent = find_parent()
    return Layer(
        name="memory of a whole run",
        works=parent is not None,
        detail=f"control group below {parent}"
        if parent
        else "no control group can be created; memory limits apply to each process",
        how_to_get=""
        if parent
        else "a delegated cgroup v2 (`systemd-run --user --scope -p Delegate=yes`)",
        required=False,
    )
