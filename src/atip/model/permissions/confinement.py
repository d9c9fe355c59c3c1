"""Confinement: what a running program may touch, as one frozen value.

The words are those of AIP-29 "Sandbox" plus limits. Every list is an allowlist, and an **empty
list means nothing is allowed**; there is no "absent means anything". What a manifest asks for is
a request: policy decides, and passes a Confinement to the `sandbox` package, which enforces it
exactly or refuses. This module neither decides nor enforces.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MIB = 1024 * 1024
ANY_PROGRAM = "*"
"""In `exec_spawn`, alone: every program of the read-only system. Never read from a manifest."""


class Limits(Value):
    """Bounds of one run. `None` means no bound of that kind is asked for; zero is a bound."""

    wall_s: float | None = None
    """Seconds of real time; then everything the run started is killed."""
    cpu_s: int | None = None
    """Seconds of processor time of each process."""
    memory_bytes: int | None = None
    """Private writable memory of each process, and of the whole run where cgroups allow."""
    processes: int | None = None
    """Processes and threads alive at one moment."""
    file_bytes: int | None = None
    """Size of each file written, and of each scratch file system."""
    output_bytes: int | None = None
    """Kept of standard output and of standard error, each; more ends a probe."""

    def to_json(self) -> dict[str, object]:
        """Only the bounds that are set."""
        limits = {
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "memory_bytes": self.memory_bytes,
            "processes": self.processes,
            "file_bytes": self.file_bytes,
            "output_bytes": self.output_bytes,
        }
        return {name: value for name, value in limits.items() if value is not None}


NO_LIMITS = Limits()


class Confinement(Value):
    """Everything a run may do. The default value allows nothing but computing.

    Programs, libraries and data of the operating system (`/usr` and the like) are always readable:
    without them nothing starts. All else must be granted here.
    """

    fs_read: tuple[str, ...] = ()
    """Readable paths: `/literal`, `/dir/**`, `~/…`, or a glob that is expanded at the start.
    Empty: nothing beyond the system."""
    fs_write: tuple[str, ...] = ()
    """Writable (and readable) paths: only `/literal` and `/dir/**` can be enforced.
    Empty: nothing but a scratch home and a scratch `/tmp`, which are thrown away."""
    fs_deny: tuple[str, ...] = ()
    """Never readable nor writable; wins over both lists above. Empty: no exception."""
    fs_keep: tuple[str, ...] = ()
    """Readable, and never writable although a writable folder holds them: hooks, settings of agents. Existing paths; or
    `**/NAME`, at any depth below what can be written, existing or not. Empty: no exception."""
    fs_cache: tuple[str, ...] = ()
    """Writable folders that nothing reads but runs with the same entry: what `fs_keep` names may be made there. Existing plain
    paths. Never from a manifest. Empty: none."""
    egress: tuple[str, ...] = ()
    """Host names (`api.example.com`, `*.example.com`) reachable through the proxy on ports 443
    and 80, or `host:port` for that port alone. Empty: no network."""
    egress_watched: bool = False
    """True: run the proxy even if it allows nothing, so that refused hosts can be reported. Never from a manifest."""
    egress_private: tuple[str, ...] = ()
    """Names of `egress` which may lead to loopback or private addresses. Never from a manifest.
    Empty: public addresses only."""
    tcp: tuple[str, ...] = ()
    """`host:port` forwarded as raw TCP, for protocols without proxy support (databases). Never from
    a manifest; loopback included, since the user granted it. Empty: none."""
    ingress: tuple[str, ...] = ()
    """Loopback callback URLs to expose. Empty: no incoming connections."""
    exec_allow: bool = False
    """False: the program cannot start another one, whatever `exec_spawn` says (P9)."""
    exec_spawn: tuple[str, ...] = ()
    """Program names that may be started if `exec_allow`, or `ANY_PROGRAM`. Empty: none."""
    exec_written: bool = False
    """True: what lies in a writable place may be started too, as a shell line needs that builds and tests. Whatever is planted
    runs inside of the same walls. Never from a manifest."""
    env_pass: tuple[str, ...] = ()
    """Variables passed from the caller. Empty: none."""
    env_set: tuple[tuple[str, str], ...] = ()
    """Variables forced to a value, whatever the caller has. Empty: none."""
    tty: bool = False
    """True: a private terminal, never the user's."""
    limits: Limits = NO_LIMITS

    @property
    def has_gate(self) -> bool:
        """Whether a proxy listens inside; it allows what `egress` names."""
        return bool(self.egress) or self.egress_watched

    @property
    def environment(self) -> Mapping[str, str]:
        """`env_set` as a mapping."""
        return dict(self.env_set)

    def to_json(self) -> dict[str, object]:
        """The AIP-29 `sandbox:` block, with `limits` and the grants a manifest cannot ask for."""
        network: dict[str, object] = {"egress": list(self.egress), "ingress": list(self.ingress)}
        if self.egress_private:
            network["private"] = list(self.egress_private)
        if self.tcp:
            network["tcp"] = list(self.tcp)
        files: dict[str, object] = {
            "read": list(self.fs_read),
            "write": list(self.fs_write),
            "deny": list(self.fs_deny),
        }
        if self.fs_keep:
            files["keep"] = list(self.fs_keep)
        if self.fs_cache:
            files["cache"] = list(self.fs_cache)
        return {
            "network": network,
            "fs": files,
            "exec": {"allow": self.exec_allow, "spawn": list(self.exec_spawn)},
            "env": {"pass": list(self.env_pass), "set": dict(self.env_set)},
            "tty": {"required": self.tty},
            "limits": self.limits.to_json(),
        }


PROBE = Confinement(
    # A probe may start helpers (wrapper scripts are common); they live in the same confinement.
    exec_allow=True,
    limits=Limits(
        wall_s=2.0,
        memory_bytes=512 * MIB,
        processes=64,
        file_bytes=16 * MIB,
        output_bytes=1_000_000,
    ),
)
"""Confinement of `--agent`, `--help` and `--version`: no network, empty home, read-only system, closed
stdin, no terminal, 2 s, 1 MB, 64 processes. `exec_spawn` stays empty because no program is
promised; those of the read-only system can be started. The 2 s are processor time, or waiting for
anything but a processor: on a loaded machine a probe gets its turn (`sandbox/probes/supervisor.py`)."""
